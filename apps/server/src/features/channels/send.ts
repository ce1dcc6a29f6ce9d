import type { LookupAddress } from 'node:dns'
import type { DestinationKind } from '@tocsin/protocol'
import { Api } from 'grammy'
import type { Context } from '../../context.ts'
import { UnreadableSecretError } from '../../sealed-secret.ts'
import type { Schedule } from './destination.ts'
import { httpKinds, type SendLimits } from './http-message.ts'
import { pickHttpConfig, sendHttp } from './http-sender.ts'
import { type Answer, classifyStatus, createUnsentResult, isSuccess, type SendResult } from './kinds/kind.ts'
import type { Message } from './kinds/message.ts'
import { classifyTelegram, parseNewGroupId } from './kinds/telegram.ts'
import { sendPush } from './push/send-push.ts'
import { openSecrets, sealSecrets, UNREADABLE_SECRETS } from './secrets.ts'
import { sendMailMessage } from './send-mail.ts'
import * as store from './store.ts'

const patientKinds: DestinationKind[] = ['webhook', 'email']

export const getSchedule = (kind: DestinationKind): Schedule => (patientKinds.includes(kind) ? 'patient' : 'brief')

const TELEGRAM_TIMEOUT_SECONDS = 15

/** A message: `type` and `data` for programs, `message` for people. */
export interface OutgoingMessage {
  /** The id is the same for each attempt of a delivery. */
  id: string
  type: string
  data: object
  message: Message
  /** Only used for web push: true if the message only says that there is an alert. */
  hidesContent?: boolean
  /** Only used for web push and mail: the code that confirms the destination. */
  code?: string
  /** If set, the request may only go to these IP addresses of the host. */
  addresses?: LookupAddress[]
}

/**
 * Sends a message to a destination. The attempt is not recorded.
 * @throws StartedTooLate
 */
export async function send(
  ctx: Context,
  destination: store.Destination,
  outgoing: OutgoingMessage,
  limits: SendLimits,
): Promise<SendResult> {
  try {
    return await sendWithSecrets(ctx, destination, outgoing, limits)
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error
    return createUnsentResult(UNREADABLE_SECRETS)
  }
}

async function sendWithSecrets(
  ctx: Context,
  destination: store.Destination,
  { id, type, data, message, code, hidesContent = false, addresses }: OutgoingMessage,
  limits: SendLimits,
): Promise<SendResult> {
  const { kind, sealed } = destination
  if (kind === 'telegram') return sendToChat(ctx, destination, message, limits)
  if (kind === 'web-push')
    return sendPush(ctx, destination, { id, type, message, code, hidesContent, addresses }, limits)
  if (kind === 'email') {
    const { address } = openSecrets(ctx.config, { id: destination.id, kind, sealed })
    const content = { message, isCode: code !== undefined }
    return sendMailMessage(ctx, { id: destination.id, address }, id, content, limits)
  }
  const at = ctx.clock.now()
  const commonFields = { config: pickHttpConfig(ctx), destination: { id: destination.id, sealed }, at, addresses }
  if (kind === 'webhook') {
    const body = JSON.stringify({ type, timestamp: at.toISOString(), data })
    const answer = await sendHttp({ ...commonFields, kind, id, body }, limits)
    return { answer, classification: classifyStatus(answer) }
  }
  const answer = await sendHttp({ ...commonFields, kind, message }, limits)
  return { answer, classification: httpKinds[kind].classify(answer, at) }
}

/** Sends a message to a chat, and sends it again if the group of the chat has a new id. */
async function sendToChat(
  ctx: Context,
  { id, sealed }: store.Destination,
  message: Message,
  limits: SendLimits,
): Promise<SendResult> {
  const { telegram: bot } = ctx.config
  const { chatId, threadId } = openSecrets(ctx.config, { id, kind: 'telegram', sealed })
  if (bot === null) return createUnsentResult('This site no longer has a Telegram bot')
  if (chatId === null) return createUnsentResult('No chat is linked')
  const attempt = (sealedSecrets: string) => {
    const destination = { id, sealed: sealedSecrets }
    const at = ctx.clock.now()
    return sendHttp({ config: pickHttpConfig(ctx), destination, at, kind: 'telegram', bot, message }, limits)
  }
  const first = await attempt(sealed)
  const migratedTo = parseNewGroupId(first)
  if (migratedTo === null) return classifyChatAnswer(first)
  const newSecrets = sealSecrets(ctx.config, id, { chatId: migratedTo, threadId })
  await store.replaceSealed(ctx.db, id, sealed, newSecrets)
  return classifyChatAnswer(await attempt(newSecrets))
}

/**
 * Reads a response of Telegram. The recorded text of a success is shortened, because Telegram
 * repeats the whole message in it.
 */
function classifyChatAnswer(answer: Answer): SendResult {
  const recordedAnswer = isSuccess(answer.status) ? { ...answer, response: '{"ok":true}' } : answer
  return { answer: recordedAnswer, classification: classifyTelegram(answer) }
}

/**
 * Returns the API of the operator's bot, or null if no bot is set. The operator sets the API root,
 * so it may be a private address.
 */
export function createTelegramApi({ config: { telegram } }: Context): Api | null {
  if (telegram === null) return null
  return new Api(telegram.token, { apiRoot: telegram.apiRoot, timeoutSeconds: TELEGRAM_TIMEOUT_SECONDS })
}
