import type { Context } from '../../../context.ts'
import { type Answer, type Reading, reading, readStatus } from '../kinds/kind.ts'
import { post } from '../post.ts'
import { openSecrets } from '../secrets.ts'
import type { Destination } from '../store.ts'
import { encrypt } from './encrypt.ts'
import { getVapidKeys } from './vapid-keys.ts'
import { createVapidTokens } from './vapid-token.ts'
import { topicOf, urgencies, writePush } from './write-push.ts'

type Written = Parameters<typeof writePush>[0]

const authorize = createVapidTokens()

/** Of tests and codes, which a person waits for. */
const ofText = { ttlSeconds: 5 * 60, urgency: 'high' as const }

interface Push {
  type: string
  message: Written
  code?: string | undefined
  hidesContent: boolean
}

/**
 * Encrypts a message for a browser and hands it to its push service. `delivered` means that the
 * push service has taken it.
 * @throws UnreadableKey
 */
export async function sendPush(
  ctx: Context,
  { id, sealed }: Pick<Destination, 'id' | 'sealed'>,
  { type, message, code, hidesContent }: Push,
  signal: AbortSignal,
): Promise<{ answer: Answer; reading: Reading }> {
  const { config, clock, logger } = ctx
  const { url, p256dh, auth } = openSecrets(config, { id, kind: 'web-push', sealed })
  const keys = await getVapidKeys(ctx)
  const payload = JSON.stringify(writePush(message, { type, code, publicUrl: config.http.publicUrl, hidesContent }))
  const { ttlSeconds, urgency } = 'alert' in message ? urgencies[message.alert.priority] : ofText
  const request = await encrypt({ endpoint: url, keys: { p256dh, auth } }, payload, {
    TTL: ttlSeconds,
    urgency,
    ...('alert' in message ? { topic: topicOf(message.alert) } : {}),
    headers: { Authorization: authorize(keys, config.push.contact, url, clock.now()) },
  })
  const answer = await post({ url, ...request, allowPrivate: config.feed.allowPrivate, signal })
  if (answer.status === 401 || answer.status === 403) {
    logger.error({ host: new URL(url).host, response: answer.response }, 'a push service refuses this server’s key')
  }
  return { answer, reading: readPush(answer) }
}

/** RFC 8030: the message is stored (201), or the subscription has ended (404, 410). */
export function readPush(answer: Answer): Reading {
  const { status } = answer
  if (status === 404 || status === 410) {
    return reading('gone', `Answered ${status}: the browser is no longer subscribed`)
  }
  if (status === 413) return reading('dead', 'Answered 413: the message is too long')
  return readStatus(answer)
}
