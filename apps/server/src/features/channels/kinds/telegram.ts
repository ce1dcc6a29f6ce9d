import { type Api, GrammyError, InlineKeyboard } from 'grammy'
import { type Answer, longer, parseBody, type Reading, reading, readStatus, toMs } from './kind.ts'
import { type AlertMessage, fit, fitDigest, fitLine, type Message, titleOf } from './message.ts'

const MAX_CHARACTERS = 4_096
const MUTE = 'mute:'
/** A wrong token stops the bot for everybody; the operator has to correct it. */
const WRONG_TOKEN_MS = 10 * 60_000

export interface Chat {
  chatId: number
  /** A topic of a group. */
  threadId: number | null
}

/** The callback data of the button that mutes a destination for an hour. */
export const muteData = (destinationId: string) => `${MUTE}${destinationId}`
export const mutedIdOf = (data: string) => (data.startsWith(MUTE) ? data.slice(MUTE.length) : null)

const ACKNOWLEDGE = 'ack:'
/** The callback data of the button that acknowledges an alert; at most 64 bytes. */
const acknowledgeData = (destinationId: string, logIndex: number) => `${ACKNOWLEDGE}${destinationId}:${logIndex}`

export function acknowledgedOf(data: string): { destinationId: string; logIndex: number } | null {
  const [, destinationId, logIndex] = /^ack:([0-9a-f-]{36}):(\d{1,15})$/.exec(data) ?? []
  return destinationId === undefined ? null : { destinationId, logIndex: Number(logIndex) }
}

/** @returns HTML whose untrusted parts are escaped, and the buttons below it */
export function writeTelegram(message: Message, destinationId: string): { html: string; buttons: InlineKeyboard } {
  const buttons = new InlineKeyboard()
  if ('text' in message) {
    if (isLinkable(message.link)) buttons.url('Open', message.link)
    return { html: fit(message.text, MAX_CHARACTERS, escapeHtml), buttons }
  }
  if ('digest' in message) {
    const { digest } = message
    if (isLinkable(digest.link)) buttons.url('Open', digest.link)
    return { html: fitDigest(digest, MAX_CHARACTERS, writeLine), buttons }
  }
  const { alert } = message
  const { acknowledge } = alert
  if (acknowledge) buttons.text('Acknowledge', acknowledgeData(destinationId, acknowledge.logIndex))
  buttons.text('Mute 1 h', muteData(destinationId))
  if (isLinkable(alert.link)) buttons.url('Open', alert.link)
  const html = fit(alert.summary, MAX_CHARACTERS, (summary) => writeParts(alert, summary).join('\n'))
  return { html, buttons }
}

const writeLine = (alert: AlertMessage) => fitLine(alert, (summary) => writeParts(alert, summary).join(' '))

function writeParts(alert: AlertMessage, summary: string): string[] {
  const links = `<a href="${escapeHtml(alert.link)}">Open</a>, <a href="${escapeHtml(alert.proofLink)}">Proof</a>`
  return [`<b>${escapeHtml(titleOf(alert))}</b>`, escapeHtml(summary), `${alert.at}, ${alert.number}, ${links}`]
}

/** Telegram refuses messages with buttons that lead to addresses such as localhost. */
function isLinkable(link: string | undefined): link is string {
  return link?.startsWith('https://') === true
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Sends a message, once more if the group has a new id. Never rejects. */
export async function sendTelegram(
  api: Api,
  chat: Chat,
  { html, buttons }: ReturnType<typeof writeTelegram>,
  signal: AbortSignal,
): Promise<{ answer: Answer; migratedTo: number | null }> {
  const startMs = performance.now()
  // grammY never removes its listener, and the given signal lives as long as the server.
  const own = AbortSignal.any([signal])
  const other = {
    parse_mode: 'HTML' as const,
    link_preview_options: { is_disabled: true },
    ...(chat.threadId === null ? {} : { message_thread_id: chat.threadId }),
    ...(buttons.inline_keyboard.flat().length === 0 ? {} : { reply_markup: buttons }),
  }
  const attempt = async (chatId: number): Promise<Omit<Answer, 'tookMs'>> => {
    try {
      // The type of grammY's signal is that of a polyfill.
      const sent = await api.sendMessage(chatId, html, other, own as Parameters<Api['sendMessage']>[3])
      const response = JSON.stringify({ ok: true, message_id: sent.message_id })
      return { status: 200, response, retryAfterMs: null }
    } catch (error) {
      if (!(error instanceof GrammyError)) return { status: null, response: explain(signal), retryAfterMs: null }
      const { error_code, description, parameters } = error
      const response = JSON.stringify({ ok: false, error_code, description, parameters })
      return { status: error_code, response, retryAfterMs: toMs(parameters.retry_after) }
    }
  }
  const first = await attempt(chat.chatId)
  const migratedTo = newGroupOf(first)
  const answer = migratedTo === null ? first : await attempt(migratedTo)
  return { answer: { ...answer, tookMs: Math.round(performance.now() - startMs) }, migratedTo }
}

const explain = (signal: AbortSignal) => (signal.aborted ? 'The server was stopped' : 'Telegram could not be reached')

/** The id of the supergroup that a group has become. */
function newGroupOf({ response }: Pick<Answer, 'response'>): number | null {
  const { parameters } = parseBody(response) as { parameters?: { migrate_to_chat_id?: unknown } }
  const id = parameters?.migrate_to_chat_id
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null
}

export function readTelegram(answer: Answer): Reading {
  const { status, response, retryAfterMs } = answer
  const { description } = parseBody(response)
  const says = typeof description === 'string' ? `Telegram says: ${description}` : `Answered ${status}`
  if (status === 403) return reading('gone', says)
  if (status === 400) return reading(/chat not found/i.test(says) ? 'gone' : 'dead', says)
  if (status === 401) return reading('retry', says, { retryAfterMs: WRONG_TOKEN_MS, pausesKind: true })
  if (status === 429) return reading('retry', says, { retryAfterMs: longer(retryAfterMs, null) })
  return readStatus(answer)
}
