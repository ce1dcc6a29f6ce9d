import type { LookupAddress } from 'node:dns'
import type { Context } from '../../../context.ts'
import type { SendLimits } from '../http-message.ts'
import { pickHttpConfig, sendHttp } from '../http-sender.ts'
import {
  type Answer,
  type Classification,
  classifyAs,
  classifyStatus,
  createUnsentResult,
  type SendResult,
} from '../kinds/kind.ts'
import type { Destination } from '../store.ts'
import { findVapidKeys } from './vapid-keys.ts'
import { alertOptions, createPushMessage, digestOptions, formatTopic } from './write-push.ts'

type PushContent = Parameters<typeof createPushMessage>[0]

/** Lifetime and urgency of tests and codes, which a person is waiting for. */
const textOptions = { ttlSeconds: 5 * 60, urgency: 'high' as const }

const getPushOptions = (message: PushContent) =>
  'alert' in message ? alertOptions[message.alert.priority] : 'digest' in message ? digestOptions : textOptions

interface Push {
  id: string
  type: string
  message: PushContent
  code?: string | undefined
  hidesContent: boolean
  addresses?: LookupAddress[] | undefined
}

/**
 * Encrypts a message for a browser and sends it to the push service. `delivered` means that the
 * push service has accepted the message.
 * @throws UnreadableSecretError, StartedTooLate
 */
export async function sendPush(
  ctx: Context,
  { id, sealed, host }: Pick<Destination, 'id' | 'sealed' | 'host'>,
  { id: messageId, type, message, code, hidesContent, addresses }: Push,
  limits: SendLimits,
): Promise<SendResult> {
  const { config, clock, logger } = ctx
  const keys = await findVapidKeys(ctx)
  if (keys === null) {
    return createUnsentResult('This site’s key for web push can’t be read. Only its operator can restore it')
  }
  const payload = JSON.stringify(
    createPushMessage(message, { id: messageId, type, code, publicUrl: config.http.publicUrl, hidesContent }),
  )
  const { ttlSeconds, urgency } = getPushOptions(message)
  const options = { TTL: ttlSeconds, urgency, ...('alert' in message ? { topic: formatTopic(message.alert) } : {}) }
  const { contact } = config.push
  const answer = await sendHttp(
    {
      config: pickHttpConfig(ctx),
      destination: { id, sealed },
      at: clock.now(),
      addresses,
      kind: 'web-push',
      payload,
      options,
      keys,
      contact,
    },
    limits,
  )
  if (answer.status === 401 || answer.status === 403) {
    logger.error({ host, response: answer.response }, 'a push service refuses this server’s key')
  }
  return { answer, classification: classifyPush(answer) }
}

/**
 * Classifies the response of a push service (RFC 8030): the message was stored (201), or the
 * subscription has ended (404, 410).
 */
export function classifyPush(answer: Answer): Classification {
  const { status } = answer
  if (status === 404 || status === 410) {
    return classifyAs('gone', `Returned ${status}: the browser is no longer subscribed`)
  }
  if (status === 413) return classifyAs('dead', 'Returned 413: the message is too long')
  return classifyStatus(answer)
}
