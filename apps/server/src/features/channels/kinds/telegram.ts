import type { InlineKeyboardButton } from 'grammy/types'
import {
  type Answer,
  type Classification,
  classifyAs,
  classifyStatus,
  getLongerWaitMs,
  parseBody,
  type Request,
  secondsToMs,
} from './kind.ts'
import { type AlertMessage, fitDigest, fitLine, fitText, formatTitle, type Message } from './message.ts'

/** Leaves apostrophes as they are, because escaped characters count towards the length limit. */
const escapeHtml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const MAX_CHARACTERS = 4_096
const MUTE = 'mute:'
/**
 * Pause after Telegram has rejected the bot's token. It affects all Telegram destinations until the
 * operator corrects the token.
 */
const WRONG_TOKEN_PAUSE_MS = 10 * 60_000

/**
 * The operator's bot. The operator sets the API root, so requests to private addresses are allowed.
 */
export interface Bot {
  token: string
  apiRoot: string
}

export interface Chat {
  chatId: number
  /** The id of a topic in the group, or null. */
  threadId: number | null
}

/** Returns the callback data of the button that mutes a destination for an hour. */
export const formatMuteData = (destinationId: string) => `${MUTE}${destinationId}`
export const parseMuteData = (data: string) => (data.startsWith(MUTE) ? data.slice(MUTE.length) : null)

const ACKNOWLEDGE = 'ack:'
/** Returns the callback data of the button that acknowledges an alert. Telegram allows 64 bytes. */
const formatAcknowledgeData = (destinationId: string, logIndex: number) => `${ACKNOWLEDGE}${destinationId}:${logIndex}`

export function parseAcknowledgeData(data: string): { destinationId: string; logIndex: number } | null {
  const [, destinationId, logIndex] = /^ack:([0-9a-f-]{36}):(\d{1,15})$/.exec(data) ?? []
  return destinationId === undefined ? null : { destinationId, logIndex: Number(logIndex) }
}

/** @returns HTML whose untrusted parts are escaped, and the row of buttons below it */
export function createTelegramMessage(
  message: Message,
  destinationId: string,
): { html: string; buttons: InlineKeyboardButton[] } {
  if ('text' in message)
    return { html: fitText(message.text, MAX_CHARACTERS, escapeHtml), buttons: createOpenButtons(message.link) }
  if ('digest' in message) {
    const { digest } = message
    return { html: fitDigest(digest, MAX_CHARACTERS, formatLine), buttons: createOpenButtons(digest.link) }
  }
  const { alert } = message
  const { acknowledge } = alert
  const buttons = [
    ...(acknowledge
      ? [{ text: 'Acknowledge', callback_data: formatAcknowledgeData(destinationId, acknowledge.logIndex) }]
      : []),
    { text: 'Mute 1 h', callback_data: formatMuteData(destinationId) },
    ...createOpenButtons(alert.link),
  ]
  const html = fitText(alert.summary, MAX_CHARACTERS, (summary) => formatParts(alert, summary).join('\n'))
  return { html, buttons }
}

/**
 * Returns the button for a link, if it is public. Telegram rejects messages with buttons that lead
 * to addresses such as localhost.
 */
const createOpenButtons = (link: string | undefined) =>
  link?.startsWith('https://') ? [{ text: 'Open', url: link }] : []

const formatLine = (alert: AlertMessage) => fitLine(alert, (summary) => formatParts(alert, summary).join(' '))

function formatParts(alert: AlertMessage, summary: string): string[] {
  const links = `<a href="${escapeHtml(alert.link)}">Open</a>, <a href="${escapeHtml(alert.proofLink)}">Proof</a>`
  return [
    `<b>${escapeHtml(formatTitle(alert))}</b>`,
    escapeHtml(summary),
    `${alert.at}, ${alert.logIndexText}, ${links}`,
  ]
}

/** Builds a call of `sendMessage` of the Bot API. */
export function buildTelegram(bot: Bot, { chatId, threadId }: Chat, message: Message, destinationId: string): Request {
  const { html, buttons } = createTelegramMessage(message, destinationId)
  const body = {
    chat_id: chatId,
    text: html,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    ...(threadId === null ? {} : { message_thread_id: threadId }),
    ...(buttons.length === 0 ? {} : { reply_markup: { inline_keyboard: [buttons] } }),
  }
  return { url: `${bot.apiRoot}/bot${bot.token}/sendMessage`, headers: {}, body: JSON.stringify(body) }
}

/** Returns the id of the supergroup that the group was converted to, or null. */
export function parseNewGroupId({ response }: Pick<Answer, 'response'>): number | null {
  const { parameters } = parseBody(response) as { parameters?: { migrate_to_chat_id?: unknown } }
  const id = parameters?.migrate_to_chat_id
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null
}

export function classifyTelegram(answer: Answer): Classification {
  const { status, response, retryAfterMs } = answer
  const { description, parameters } = parseBody(response) as {
    description?: unknown
    parameters?: { retry_after?: unknown }
  }
  const problem = typeof description === 'string' ? `Telegram says: ${description}` : `Returned ${status}`
  if (status === 403) return classifyAs('gone', problem)
  if (status === 400) return classifyAs(/chat not found/i.test(problem) ? 'gone' : 'dead', problem)
  if (status === 401) return classifyAs('retry', problem, { retryAfterMs: WRONG_TOKEN_PAUSE_MS, pausesKind: true })
  if (status === 429)
    return classifyAs('retry', problem, {
      retryAfterMs: getLongerWaitMs(retryAfterMs, secondsToMs(parameters?.retry_after)),
    })
  return classifyStatus(answer)
}
