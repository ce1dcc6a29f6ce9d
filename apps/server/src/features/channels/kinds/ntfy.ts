import { DAY_MS } from '@tocsin/protocol/durations'
import { classifyAs, classifyStatus, type HttpKind, isSuccess, parseBody } from './kind.ts'
import { type AlertMessage, countBytes, fitDigest, fitLine, fitText, formatTitle, type Message } from './message.ts'

const MAX_BYTES = 4_096
const MAX_TITLE_LENGTH = 200
const DAILY_QUOTA = 42_908

const priorities = { low: 2, medium: 3, high: 4, critical: 5 } as const

export const ntfy: HttpKind = {
  checkAddress(url) {
    if (!/^\/[\w-]{1,64}$/.test(url.pathname) || url.search !== '') {
      throw new Error('Expected a server and a topic, for example https://ntfy.sh/my-secret-topic')
    }
  },

  /** JSON messages are posted to the root of the server and name their topic in the body. */
  buildRequest({ url, token }, message) {
    const { origin, pathname } = new URL(url)
    return {
      url: `${origin}/`,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
      body: JSON.stringify({ topic: pathname.slice(1), ...write(message) }),
    }
  },

  classify(answer, now) {
    const { status, response } = answer
    if (isSuccess(status)) return classifyStatus(answer)
    const { code, error } = parseBody(response)
    const problem = typeof error === 'string' ? `ntfy says: ${error}` : `Returned ${status}`
    if (status !== null && [400, 401, 403, 413].includes(status)) return classifyAs('dead', problem)
    if (status === 429 && code === DAILY_QUOTA) {
      const untilMs = (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS
      return classifyAs('retry', problem, { retryAfterMs: untilMs - now.getTime() })
    }
    return classifyStatus(answer)
  },
}

/** ntfy shows plain text, so nothing has to be escaped. */
function write(message: Message) {
  if ('text' in message) {
    const click = message.link === undefined ? {} : { click: message.link }
    return { title: 'Tocsin', message: fitText(message.text, MAX_BYTES, (text) => text, countBytes), ...click }
  }
  if ('digest' in message) {
    const { digest } = message
    return { title: 'Tocsin', message: fitDigest(digest, MAX_BYTES, formatLine, countBytes), click: digest.link }
  }
  const { alert } = message
  return {
    title: fitText(formatTitle(alert), MAX_TITLE_LENGTH, (title) => title),
    message: fitText(
      alert.summary,
      MAX_BYTES,
      (summary) => `${summary}\n${alert.at}, ${alert.logIndexText}`,
      countBytes,
    ),
    priority: priorities[alert.priority],
    click: alert.link,
    actions: [
      { action: 'view', label: 'Proof', url: alert.proofLink },
      ...(alert.acknowledge
        ? [{ action: 'http', label: 'Acknowledge', url: alert.acknowledge.url, method: 'POST', clear: true }]
        : []),
    ],
  }
}

/** Writes one alert of a digest. ntfy turns the URLs in the text into links. */
const formatLine = (alert: AlertMessage) =>
  fitLine(
    alert,
    (summary) =>
      `${formatTitle(alert)}: ${summary} (${alert.at}, ${alert.logIndexText}) ${alert.link} ${alert.proofLink}`,
  )
