import type { Mail } from '../../../context.ts'
import { renderMail } from '../../../mail/layout.ts'
import { type Answer, type Classification, classifyAs } from './kind.ts'
import { type AlertMessage, type Digest, formatTitle, type Message } from './message.ts'

const MAX_SUBJECT = 150
/**
 * Enhanced status codes about the address of the recipient (RFC 3463, RFC 7505). Only the code at
 * the beginning of the response counts, because the text may contain IP addresses.
 */
const RECIPIENT_UNKNOWN = /^\d{3}[ -]5\.1\.(?:[1-4]|6|10)\b/
/**
 * Codes about the address of the sender, and 5.1.90, with which Exchange reports that the sender
 * has reached a limit. The operator can correct these errors, so the email is retried.
 */
const SENDER_REFUSED = /^\d{3}[ -]5\.1\.(?:7|8|90)\b/

/** `unsubscribePage` is a link for people, `unsubscribeUrl` one for email clients (RFC 8058). */
interface Links {
  unsubscribePage: string
  unsubscribeUrl: string
}

/**
 * @param isCode true for the mail with the code that confirms the address
 * @returns a mail without user input: it contains only texts of alerts and of this product
 */
export function createMail(
  to: string,
  message: Message,
  { unsubscribePage, unsubscribeUrl }: Links,
  isCode = false,
): Mail {
  const { subject, ...content } = write(message)
  const occasion = isCode
    ? 'an account entered this address for alerts. Stop the codes of this account'
    : 'this address was confirmed for alerts. Stop them'
  const note = `You get this because ${occasion}: ${unsubscribePage}`
  return {
    to,
    subject: [...subject].slice(0, MAX_SUBJECT).join(''),
    ...renderMail({ heading: subject, ...content, note }),
    headers: { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}

function write(message: Message) {
  if ('digest' in message) return createDigestContent(message.digest)
  return 'alert' in message ? createAlertContent(message.alert) : createTextContent(message)
}

function createAlertContent(alert: AlertMessage) {
  return {
    subject: formatTitle(alert),
    preview: alert.summary,
    paragraphs: [alert.summary],
    facts: [
      { label: 'Time', value: alert.at },
      { label: 'Log index', value: alert.logIndexText },
      { label: 'Proof', value: alert.proofLink },
    ],
    action: { label: 'Open alert', url: alert.link },
  }
}

function createTextContent({ text, link }: { text: string; link?: string }) {
  const action = link === undefined ? {} : { action: { label: 'Open', url: link } }
  return { subject: 'Tocsin alerts by email', preview: text, paragraphs: text.split(/\n\s*\n/), ...action }
}

function createDigestContent({ heading, alerts, link }: Digest) {
  return {
    subject: heading,
    preview: alerts.map(formatTitle).join('; ').slice(0, MAX_SUBJECT),
    paragraphs: alerts.map((alert) => ({
      text: `${formatTitle(alert)}: ${alert.summary} (${alert.at}, ${alert.logIndexText})`,
      links: [
        { label: 'Open alert', url: alert.link },
        { label: 'Proof', url: alert.proofLink },
      ],
    })),
    action: { label: 'Open all', url: link },
  }
}

/**
 * Classifies the reply of an SMTP server. `code` is null if the server could not be reached or did
 * not reply in time.
 */
export function classifySmtp(
  code: number | null,
  response: string,
  tookMs: number,
): { answer: Answer; classification: Classification } {
  const answer = { status: code, response, tookMs, retryAfterMs: null }
  if (code === null) return { answer, classification: classifyAs('retry', response) }
  if (code >= 200 && code < 300) return { answer, classification: classifyAs('delivered', `Accepted with ${code}`) }
  if (code < 500) return { answer, classification: classifyAs('retry', `The mail server returned ${code}`) }
  if (SENDER_REFUSED.test(response)) {
    const reason = `The mail server returned ${code}: it refuses this site as the sender`
    return { answer, classification: classifyAs('retry', reason) }
  }
  return RECIPIENT_UNKNOWN.test(response)
    ? { answer, classification: classifyAs('gone', `The mail server returned ${code}: the address does not exist`) }
    : { answer, classification: classifyAs('dead', `The mail server returned ${code}, which is not retried`) }
}
