import {
  classifyAs,
  classifyStatus,
  getLongerWaitMs,
  type HttpKind,
  isSuccess,
  parseBody,
  secondsToMs,
} from './kind.ts'
import { type AlertMessage, fitDigest, fitLine, fitText, formatTitle, type Message } from './message.ts'

const MAX_CHARACTERS = 2_000
/**
 * Upper limit of `retry_after` in seconds. Larger values are milliseconds, which older versions of
 * the API sent.
 */
const MAX_SECONDS = 3_600
/** Pause after a 429 of the proxy in front of Discord, which does not say how long to wait. */
const REFUSAL_PAUSE_MS = 60_000
const SUPPRESS_EMBEDS = 4

const hosts = ['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com']

export const discord: HttpKind = {
  checkAddress(url) {
    if (!hosts.includes(url.hostname) || !url.pathname.startsWith('/api/webhooks/')) {
      throw new Error('Expected the address of a Discord webhook: https://discord.com/api/webhooks/…')
    }
  },

  buildRequest({ url }, message) {
    const body = { content: write(message), allowed_mentions: { parse: [] }, flags: SUPPRESS_EMBEDS }
    return { url, headers: {}, body: JSON.stringify(body) }
  },

  classify(answer) {
    const { status, response } = answer
    if (isSuccess(status)) return classifyStatus(answer)
    const body = parseBody(response)
    if (status === 404 && body.code === 10_015) return classifyAs('gone', 'Discord says that the webhook was deleted')
    if (status === 401) return classifyAs('gone', 'Discord says that the address of the webhook is not valid')
    if (status === 413) return classifyAs('dead', 'Returned 413: the message is too long')
    if (status !== 429) return classifyStatus(answer)
    if (typeof body.retry_after !== 'number') {
      const retryAfterMs = getLongerWaitMs(answer.retryAfterMs, REFUSAL_PAUSE_MS)
      return classifyAs('retry', 'Discord refuses this server for now', { retryAfterMs, pausesKind: true })
    }
    const seconds = body.retry_after > MAX_SECONDS ? body.retry_after / 1_000 : body.retry_after
    const retryAfterMs = getLongerWaitMs(answer.retryAfterMs, secondsToMs(seconds))
    return classifyAs('retry', 'Discord asks to wait', { retryAfterMs, pausesKind: body.global === true })
  },
}

function write(message: Message): string {
  if ('text' in message) {
    const link = formatLink(message.link)
    return fitText(message.text, MAX_CHARACTERS - link.length, escapeMarkdown) + link
  }
  if ('digest' in message) {
    const link = formatLink(message.digest.link)
    return fitDigest(message.digest, MAX_CHARACTERS - link.length, formatLine) + link
  }
  const { alert } = message
  return fitText(alert.summary, MAX_CHARACTERS, (summary) => formatParts(alert, summary).join('\n'))
}

const formatLink = (link: string | undefined) => (link === undefined ? '' : `\n<${link}>`)
const formatLine = (alert: AlertMessage) => fitLine(alert, (summary) => formatParts(alert, summary).join(' '))

function formatParts(alert: AlertMessage, summary: string): string[] {
  const links = `[Open](<${alert.link}>), [Proof](<${alert.proofLink}>)`
  return [
    `**${escapeMarkdown(formatTitle(alert))}**`,
    escapeMarkdown(summary),
    `${alert.at}, ${alert.logIndexText}, ${links}`,
  ]
}

/**
 * Escapes Markdown. A zero-width space separates @ from a name and a scheme from its address, so
 * that untrusted text contains no mention and no link, even where `allowed_mentions` is ignored.
 */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\*_~`|>#[\]()<:-]/g, '\\$&')
    .replaceAll('@', '@\u200b')
    .replaceAll('//', '/\u200b/')
}
