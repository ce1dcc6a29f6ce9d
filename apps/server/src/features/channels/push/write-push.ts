import type { Priority, PushMessage } from '@tocsin/protocol'
import type { AlertMessage, Message } from '../kinds/message.ts'
import { bytesOf, cleanText, fit, fitDigest, fitLine, titleOf } from '../kinds/message.ts'

/**
 * Push services must accept 4,096 bytes (RFC 8030, 7.2). The encryption adds 103 (RFC 8188, RFC
 * 8291).
 */
const MAX_BYTES = 4_096 - 103

/** How long a push service keeps the message for a device that is off, and how it wakes it. */
export const urgencies: Record<Priority, { ttlSeconds: number; urgency: 'low' | 'normal' | 'high' }> = {
  low: { ttlSeconds: 15 * 60, urgency: 'low' },
  medium: { ttlSeconds: 60 * 60, urgency: 'normal' },
  high: { ttlSeconds: 4 * 60 * 60, urgency: 'high' },
  critical: { ttlSeconds: 24 * 60 * 60, urgency: 'high' },
}

/** A phone may be off for the night in which its alerts are held back. */
export const ofDigest = { ttlSeconds: 24 * 60 * 60, urgency: 'normal' as const }

/**
 * What the service worker shows. A newer message with the same tag replaces it.
 * @param hidesContent says only that there is an alert
 */
export function writePush(
  message: Message,
  { id, type, code, publicUrl, hidesContent }: Omit<Written, 'message'>,
): PushMessage {
  if ('text' in message) {
    const rest = {
      type,
      title: 'Tocsin',
      path: '/settings/channels',
      // A notice does not replace an earlier one, which is about another destination.
      tag: type === 'channel.notice' ? id : type,
      ...(code === undefined ? {} : { code }),
    }
    return { ...rest, body: fit(message.text, MAX_BYTES, (text) => text, sizeWith(rest)) }
  }
  if ('digest' in message) {
    const { digest } = message
    const [only] = digest.alerts.length === 1 ? digest.alerts : []
    const proof = only ? { proofPath: pathOf(only.proofLink, publicUrl) } : {}
    // A notification opens one page. It does not replace an earlier digest, which has other alerts.
    const path = pathOf((only ?? digest).link, publicUrl)
    const rest = { type, title: 'Tocsin', path, ...proof, tag: only?.id ?? id }
    const body = hidesContent
      ? 'Alerts were held back. Open them to read them.'
      : fitDigest(digest, MAX_BYTES, writeLine, sizeWith(rest))
    return { ...rest, body }
  }
  const { alert } = message
  const common = {
    type,
    path: pathOf(alert.link, publicUrl),
    proofPath: pathOf(alert.proofLink, publicUrl),
    tag: alert.id,
  }
  if (hidesContent) return { ...common, title: 'New alert', body: 'Open it to read it.' }
  const render = (summary: string) => `${summary}\n${alert.at}, ${alert.number}`
  const rest = { ...common, title: cleanText(titleOf(alert)) }
  return { ...rest, body: fit(alert.summary, MAX_BYTES, render, sizeWith(rest)) }
}

const writeLine = (alert: AlertMessage) =>
  fitLine(alert, (summary) => `${titleOf(alert)}: ${summary} (${alert.at}, ${alert.number})`)

interface Written {
  message: Message
  /** The same for each attempt of a delivery. */
  id: string
  type: string
  /** Confirms the destination. */
  code?: string | undefined
  publicUrl: string
  hidesContent: boolean
}

const pathOf = (link: string, publicUrl: string) => link.slice(publicUrl.length)
/** The bytes of the whole message with a body, as it is sent: JSON escapes some characters. */
const sizeWith = (rest: Omit<PushMessage, 'body'>) => (body: string) => bytesOf(JSON.stringify({ ...rest, body }))

/** A pending message with the same topic is replaced at the push service: at most 32 characters. */
export function topicOf({ id }: Pick<AlertMessage, 'id'>): string {
  return id.replaceAll('-', '')
}
