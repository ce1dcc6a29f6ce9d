import type { Priority, PushMessage } from '@tocsin/protocol'
import type { AlertMessage, Message } from '../kinds/message.ts'
import { countBytes, fitDigest, fitLine, fitText, formatTitle } from '../kinds/message.ts'

/**
 * Maximum size of a message before encryption. Push services must accept 4,096 bytes (RFC 8030,
 * 7.2), and the encryption adds 103 (RFC 8188, RFC 8291).
 */
const MAX_BYTES = 4_096 - 103

/**
 * For each priority, how long a push service stores the message for a device that is off, and with
 * which urgency it wakes the device.
 */
export const alertOptions: Record<Priority, { ttlSeconds: number; urgency: 'low' | 'normal' | 'high' }> = {
  low: { ttlSeconds: 15 * 60, urgency: 'low' },
  medium: { ttlSeconds: 60 * 60, urgency: 'normal' },
  high: { ttlSeconds: 4 * 60 * 60, urgency: 'high' },
  critical: { ttlSeconds: 24 * 60 * 60, urgency: 'high' },
}

/**
 * Lifetime and urgency of a digest. Alerts may be held back for a night in which the phone is off,
 * so the digest is stored until the next day.
 */
export const digestOptions = { ttlSeconds: 24 * 60 * 60, urgency: 'normal' as const }

/**
 * Writes the content of the notification that the service worker shows. A newer notification with
 * the same tag replaces it.
 * @param hidesContent true if the message only says that there is an alert
 */
export function createPushMessage(
  message: Message,
  { id, type, code, publicUrl, hidesContent }: Omit<PushContent, 'message'>,
): PushMessage {
  if ('text' in message) {
    const messageFields = {
      type,
      title: 'Tocsin',
      path: '/settings/channels',
      // Each notice has its own tag, because two notices may be about different destinations.
      tag: type === 'channel.notice' ? id : type,
      ...(code === undefined ? {} : { code }),
    }
    return {
      ...messageFields,
      body: fitText(message.text, MAX_BYTES, (text) => text, createSizeCounter(messageFields)),
    }
  }
  if ('digest' in message) {
    const { digest } = message
    const [onlyAlert] = digest.alerts.length === 1 ? digest.alerts : []
    const proof = onlyAlert ? { proofPath: toPath(onlyAlert.proofLink, publicUrl) } : {}
    // A notification opens one page: that of the only alert, or the list of all alerts. Each digest
    // of several alerts has its own tag, because two digests contain different alerts.
    const path = toPath((onlyAlert ?? digest).link, publicUrl)
    const messageFields = { type, title: 'Tocsin', path, ...proof, tag: onlyAlert?.id ?? id }
    const body = hidesContent
      ? 'Alerts were held back. Open them to read them.'
      : fitDigest(digest, MAX_BYTES, formatLine, createSizeCounter(messageFields))
    return { ...messageFields, body }
  }
  const { alert } = message
  const commonFields = {
    type,
    path: toPath(alert.link, publicUrl),
    proofPath: toPath(alert.proofLink, publicUrl),
    tag: alert.id,
  }
  if (hidesContent) return { ...commonFields, title: 'New alert', body: 'Open it to read it.' }
  const render = (summary: string) => `${summary}\n${alert.at}, ${alert.logIndexText}`
  const messageFields = { ...commonFields, title: formatTitle(alert) }
  return { ...messageFields, body: fitText(alert.summary, MAX_BYTES, render, createSizeCounter(messageFields)) }
}

const formatLine = (alert: AlertMessage) =>
  fitLine(alert, (summary) => `${formatTitle(alert)}: ${summary} (${alert.at}, ${alert.logIndexText})`)

interface PushContent {
  message: Message
  /** The id is the same for each attempt of a delivery. */
  id: string
  type: string
  /** Code that confirms the destination. */
  code?: string | undefined
  publicUrl: string
  hidesContent: boolean
}

const toPath = (link: string, publicUrl: string) => link.slice(publicUrl.length)
/**
 * Returns a function that computes the size of the message in bytes, as JSON with a given body.
 * JSON escapes some characters of the body.
 */
const createSizeCounter = (messageFields: Omit<PushMessage, 'body'>) => (body: string) =>
  countBytes(JSON.stringify({ ...messageFields, body }))

/**
 * Returns the topic of an alert, at most 32 characters. The push service replaces a pending message
 * with the same topic.
 */
export function formatTopic({ id }: Pick<AlertMessage, 'id'>): string {
  return id.replaceAll('-', '')
}
