import { HOUR_MS, SECOND_MS } from '@tocsin/protocol/durations'
import { Bot, GrammyError, type Context as Update } from 'grammy'
import type { Context } from '../../context.ts'
import { formatTime } from '../../mail/compose.ts'
import { pause } from '../../pause.ts'
import { isUuid } from '../../uuid.ts'
import { hashSecret } from '../sessions/secret.ts'
import { acknowledgeByMessage } from './acknowledge.ts'
import { clearedCodeColumns } from './confirm-code.ts'
import { cleanText } from './kinds/message.ts'
import { parseAcknowledgeData, parseMuteData } from './kinds/telegram.ts'
import { recordChange } from './record-change.ts'
import { openSecrets, sealSecrets } from './secrets.ts'
import * as store from './store.ts'

const RETRY_MS = 30 * SECOND_MS
const MUTE_DURATION_MS = HOUR_MS
const MAX_HOST = 100
/** Value for the audit log in place of a request id. */
const BOT_REQUEST_ID = 'Telegram bot'

/**
 * Reads the messages to the operator's bot until the signal aborts. `/start <code>` links a chat.
 * The buttons of an alert acknowledge the alert or mute the destination. Only one instance runs
 * this, because Telegram allows one reader.
 */
export async function runTelegramBot(ctx: Context, signal: AbortSignal): Promise<void> {
  if (ctx.config.telegram === null) return
  const { token, apiRoot } = ctx.config.telegram
  while (!signal.aborted) {
    const bot = new Bot(token, { client: { apiRoot } })
    bot.command('start', (update) => linkChat(ctx, update))
    bot.on('callback_query:data', (update) => handleButton(ctx, update, update.callbackQuery.data))
    bot.catch(({ error }) => ctx.logger.error({ err: error }, 'handling an update of the Telegram bot failed'))
    const stop = () => void bot.stop().catch(() => {})
    signal.addEventListener('abort', stop)
    try {
      await bot.start({ allowed_updates: ['message', 'callback_query'] })
    } catch (error) {
      const reason = error instanceof GrammyError ? error.description : 'Telegram could not be reached'
      if (!signal.aborted) ctx.logger.error({ reason }, 'the Telegram bot cannot read its messages, trying again')
      await pause(RETRY_MS, signal)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
}

async function linkChat(ctx: Context, update: Update): Promise<void> {
  const { chat, message } = update
  const code = typeof update.match === 'string' ? update.match.trim() : ''
  if (!chat || !message) return
  const name = await ctx.db.transaction(async (tx) => {
    const now = ctx.clock.now()
    const destination = await store.lockByCode(tx, hashSecret(code), now)
    if (destination?.kind !== 'telegram') return null
    const { id, accountId } = destination
    const threadId = message.is_topic_message === true ? (message.message_thread_id ?? null) : null
    await store.updateDestination(tx, id, {
      ...clearedCodeColumns,
      sealed: sealSecrets(ctx.config, id, { chatId: chat.id, threadId }),
      host: formatChatName(chat),
      state: 'on',
      failingSince: null,
      notBefore: null,
    })
    const detail = `${destination.name} confirmed`
    await recordChange(
      tx,
      { accountId, requestId: BOT_REQUEST_ID },
      { destinationId: id, what: 'confirmed', detail, at: now },
    )
    return destination.name
  })
  const text =
    name === null
      ? `This code is not valid. Create a new one at ${ctx.config.http.publicUrl}/settings/channels`
      : `Linked as “${name}”. Alerts of ${ctx.config.http.publicUrl} arrive here.`
  await update.reply(text, { link_preview_options: { is_disabled: true } })
}

function formatChatName(chat: NonNullable<Update['chat']>): string {
  const name = chat.username ? `@${chat.username}` : (chat.title ?? chat.first_name ?? 'Telegram')
  return cleanText(name).slice(0, MAX_HOST) || 'Telegram'
}

function handleButton(ctx: Context, update: Update, data: string): Promise<void> {
  const acknowledgement = parseAcknowledgeData(data)
  return acknowledgement ? acknowledgeByButton(ctx, update, acknowledgement) : muteByButton(ctx, update, data)
}

async function acknowledgeByButton(
  ctx: Context,
  update: Update,
  { destinationId, logIndex }: NonNullable<ReturnType<typeof parseAcknowledgeData>>,
): Promise<void> {
  const foundDestinations = isUuid(destinationId) ? await store.readDestinations(ctx.db, [destinationId]) : new Map()
  const destination: store.Destination | undefined = foundDestinations.get(destinationId)
  const isDone =
    destination !== undefined &&
    isLinkedTo(ctx, destination, update) &&
    (await acknowledgeByMessage(ctx, destination.accountId, logIndex))
  await update.answerCallbackQuery({ text: isDone ? 'Acknowledged' : 'This chat gets no alerts now' })
}

/**
 * True if the update is from the chat that is linked to the destination. Buttons have no effect in
 * other chats.
 */
function isLinkedTo(ctx: Context, { id, kind, sealed }: store.Destination, update: Update): boolean {
  if (kind !== 'telegram') return false
  const { chatId } = openSecrets(ctx.config, { id, kind, sealed })
  return chatId !== null && chatId === update.chat?.id
}

/** Mutes the destination for an hour. A mute that ends later stays unchanged. */
async function muteByButton(ctx: Context, update: Update, data: string): Promise<void> {
  const id = parseMuteData(data)
  const inAnHour = new Date(ctx.clock.now().getTime() + MUTE_DURATION_MS)
  const until = await ctx.db.transaction(async (tx) => {
    const destination = id !== null && isUuid(id) ? await store.lockDestination(tx, id) : undefined
    if (!destination || !isLinkedTo(ctx, destination, update)) return null
    const { accountId, name, mutedUntil } = destination
    if (mutedUntil !== null && mutedUntil > inAnHour) return mutedUntil
    await store.updateDestination(tx, destination.id, { mutedUntil: inAnHour })
    const at = ctx.clock.now()
    const recordedChange = { destinationId: destination.id, what: 'muted', detail: `${name} muted for an hour`, at }
    await recordChange(tx, { accountId, requestId: BOT_REQUEST_ID }, recordedChange)
    return inAnHour
  })
  const text = until ? `Muted until ${formatTime(until)}` : 'This chat is not linked any more'
  await update.answerCallbackQuery({ text })
}
