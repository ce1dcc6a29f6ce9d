import { DAY_MS, SECOND_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { pauseUntilDue, selectDueIf } from '../../db/leader.ts'
import { findSuppressed } from '../../mail/suppressions.ts'
import { pause } from '../../pause.ts'
import { toNotice } from '../channels/notices.ts'
import { createMessageMail, formatText } from './message-mail.ts'
import * as store from './store.ts'

/**
 * Maximum number of recipients per round. A round starts every second. The limit prevents the
 * emails of sign-ups and receipts from waiting behind a message.
 */
const BATCH = 20
const BATCH_PAUSE_MS = SECOND_MS
const RETRY_MS = 5 * SECOND_MS
/**
 * Pause after a batch in which all recipients must wait, because each of their healthy destinations
 * still has another unsent notice.
 */
const BUSY_PAUSE_MS = 30 * SECOND_MS
/**
 * Age of a message from which a recipient is skipped after at least two failed attempts. Otherwise
 * an endpoint that accepts alerts but rejects notices could keep the message running, because an
 * unsent notice blocks the next one for up to two days.
 */
const LONGEST_WAIT_MS = DAY_MS

/** Sends messages to segments until `signal` aborts. Only one instance runs this. */
export async function runMessages(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const result = await sendBatch(ctx, BATCH).catch((error: unknown) => {
      ctx.logger.error({ err: error }, 'sending a message to a segment failed, trying again')
    })
    if (result === 'idle') await pauseUntilDue(ctx.notifications, () => selectDueIf(store.isRunning), signal)
    else await pause(result === 'sent' ? BATCH_PAUSE_MS : result === 'busy' ? BUSY_PAUSE_MS : RETRY_MS, signal)
  }
}

/**
 * Sends a running message to some of its recipients. The recipients are marked in the transaction
 * that queues their emails, so a crash undoes both.
 */
export async function sendBatch(ctx: Context, limit: number): Promise<'idle' | 'sent' | 'busy'> {
  return ctx.db.transaction(async (tx) => {
    const message = await store.lockRunning(tx)
    if (!message) return 'idle'
    const now = ctx.clock.now()
    const recipients = await store.lockWaiting(tx, message.id, limit)
    const suppressedEmails =
      message.kind === 'news'
        ? await findSuppressed(
            tx,
            recipients.flatMap(({ email }) => email ?? []),
          )
        : new Set<string>()
    const healthyDestinations =
      message.via === 'channel'
        ? await store.lockHealthyDestinations(
            tx,
            recipients.map(({ accountId }) => accountId),
          )
        : []
    const recipientStates = new Map<string, store.RecipientState>()
    const isOverdue = now.getTime() - message.createdAt.getTime() >= LONGEST_WAIT_MS
    for (const { accountId, email, suspendedAt, triedAt } of recipients) {
      const isSkipped = suspendedAt !== null || (email !== null && suppressedEmails.has(email))
      const ownDestinations = healthyDestinations.filter((destination) => destination.accountId === accountId)
      const result = isSkipped
        ? 'skipped'
        : await sendToRecipient(ctx, tx, message, { email, destinations: ownDestinations })
      const isGivenUp = result === 'waiting' && isOverdue && triedAt !== null
      recipientStates.set(accountId, isGivenUp ? 'skipped' : result)
    }
    await store.saveStates(tx, message.id, recipientStates, now)
    const waitingCount = [...recipientStates.values()].filter((state) => state === 'waiting').length
    if (recipients.length < limit && waitingCount === 0) await store.endMessage(tx, message.id, now)
    return waitingCount > 0 && waitingCount === recipients.length ? 'busy' : 'sent'
  })
}

async function sendToRecipient(
  ctx: Context,
  tx: Tx,
  message: store.MessageRow,
  { email, destinations }: { email: string | null; destinations: store.HealthyDestination[] },
): Promise<store.RecipientState> {
  if (message.via === 'mail') {
    if (email === null) return 'skipped'
    await ctx.sendMail(tx, createMessageMail(ctx, email, message))
    return 'sent'
  }
  const noticeText = toNotice(formatText(message))
  const noticeResult = await store.addDestinationNotice(tx, destinations, noticeText, ctx.clock.now())
  if (noticeResult === 'busy') return 'waiting'
  if (noticeResult === 'none') return 'skipped'
  await ctx.notifications.notify(tx, 'channels')
  return 'sent'
}
