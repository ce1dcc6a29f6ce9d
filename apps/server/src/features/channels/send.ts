import type { DestinationKind } from '@tocsin/protocol'
import { Api } from 'grammy'
import type { Context } from '../../context.ts'
import { UnreadableKey } from '../../sealed-secret.ts'
import type { Schedule } from './destination.ts'
import { httpKinds, type Limits } from './http-message.ts'
import { httpConfigOf, sendHttp } from './http-sender.ts'
import { type Answer, type Reading, reading, readStatus } from './kinds/kind.ts'
import type { Message } from './kinds/message.ts'
import { readTelegram, sendTelegram, writeTelegram } from './kinds/telegram.ts'
import { sendPush } from './push/send-push.ts'
import { openSecrets, sealSecrets } from './secrets.ts'
import { sendMailMessage } from './send-mail.ts'
import * as store from './store.ts'

const patientKinds: DestinationKind[] = ['webhook', 'email']

export const scheduleOf = (kind: DestinationKind): Schedule => (patientKinds.includes(kind) ? 'patient' : 'brief')

const TELEGRAM_TIMEOUT_SECONDS = 15

/** A message: for programs as `type` and `data`, for people as `message`. */
export interface Outgoing {
  /** The same for each attempt of a delivery. */
  id: string
  type: string
  data: object
  message: Message
  /** Of web push only: the message says only that there is an alert. */
  hidesContent?: boolean
  /** Of web push only: confirms the destination. */
  code?: string
}

export interface Sent {
  answer: Answer
  reading: Reading
}

/**
 * Sends a message to a destination. No attempt is recorded.
 * @throws StartedTooLate
 */
export async function send(
  ctx: Context,
  destination: store.Destination,
  outgoing: Outgoing,
  limits: Limits,
): Promise<Sent> {
  try {
    return await sendOpened(ctx, destination, outgoing, limits)
  } catch (error) {
    if (!(error instanceof UnreadableKey)) throw error
    const response = 'The stored secrets can’t be read. Add the destination again'
    return { answer: unanswered(response), reading: reading('retry', response) }
  }
}

const unanswered = (response: string): Answer => ({ status: null, response, tookMs: 0, retryAfterMs: null })

async function sendOpened(
  ctx: Context,
  destination: store.Destination,
  { id, type, data, message, code, hidesContent = false }: Outgoing,
  { signal, startByMs = Number.POSITIVE_INFINITY, endsAtMs = Number.POSITIVE_INFINITY }: Limits,
): Promise<Sent> {
  const { kind, sealed } = destination
  if (kind === 'telegram') return sendToChat(ctx, destination, message, signal)
  if (kind === 'web-push') {
    return sendPush(ctx, destination, { id, type, message, code, hidesContent }, { signal, startByMs, endsAtMs })
  }
  if (kind === 'email') {
    const { address } = openSecrets(ctx.config, { id: destination.id, kind, sealed })
    return sendMailMessage(ctx, { id: destination.id, address }, id, message, signal)
  }
  const at = ctx.clock.now()
  const common = { config: httpConfigOf(ctx), destination: { id: destination.id, sealed }, at, startByMs, endsAtMs }
  if (kind === 'webhook') {
    const body = JSON.stringify({ type, timestamp: at.toISOString(), data })
    const answer = await sendHttp({ ...common, kind, id, body }, signal)
    return { answer, reading: readStatus(answer) }
  }
  const answer = await sendHttp({ ...common, kind, message }, signal)
  return { answer, reading: httpKinds[kind].read(answer, at) }
}

async function sendToChat(
  ctx: Context,
  { id, sealed }: store.Destination,
  message: Message,
  signal: AbortSignal,
): Promise<Sent> {
  const chat = openSecrets(ctx.config, { id, kind: 'telegram', sealed })
  const api = telegramApi(ctx)
  if (api === null || chat.chatId === null) {
    const response = api === null ? 'This site no longer has a Telegram bot' : 'No chat is linked'
    return { answer: unanswered(response), reading: reading('retry', response) }
  }
  const { chatId, threadId } = chat
  const { answer, migratedTo } = await sendTelegram(api, { chatId, threadId }, writeTelegram(message, id), signal)
  if (migratedTo !== null) {
    const moved = sealSecrets(ctx.config, id, { chatId: migratedTo, threadId })
    await store.updateDestination(ctx.db, id, { sealed: moved })
  }
  return { answer, reading: readTelegram(answer) }
}

/** The operator's bot, or null. Its API root is a setting, so it may be a private address. */
export function telegramApi({ config: { telegram } }: Context): Api | null {
  if (telegram === null) return null
  return new Api(telegram.token, { apiRoot: telegram.apiRoot, timeoutSeconds: TELEGRAM_TIMEOUT_SECONDS })
}
