import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import type { Context } from '../../context.ts'
import { pause } from '../../pause.ts'
import { endingMail, receiptMail } from './mails.ts'
import * as store from './store.ts'

const ROUND_INTERVAL_MS = 10_000
const BATCH = 100
/**
 * Time before the end of access at which the reminder is sent. The page shows its warning from then
 * on too.
 */
const REMINDER_LEAD_MS = HOUR_MS
/**
 * Maximum age of a grant for which a receipt is emailed, so that restoring a backup does not email
 * everyone.
 */
const MAX_RECEIPT_AGE_MS = DAY_MS

/** Emails receipts and end reminders until `signal` aborts. Each is sent once. */
export async function mailSubscribers(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await mailDueSubscribers(ctx)
    } catch (error) {
      ctx.logger.error({ err: error }, 'mailing subscribers failed, trying again')
    }
    await pause(ROUND_INTERVAL_MS, signal)
  }
}

/** Runs one round. Each email is queued in the transaction that records it. */
export async function mailDueSubscribers(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  const grantedAfter = new Date(now.getTime() - MAX_RECEIPT_AGE_MS)
  for (const dueReceipt of await store.listReceiptsDue(ctx.db, grantedAfter, BATCH))
    await mailReceipt(ctx, dueReceipt, now)
  const remindUntil = new Date(now.getTime() + REMINDER_LEAD_MS)
  for (const dueReminder of await store.listEndsDue(ctx.db, now, remindUntil, BATCH))
    await mailEndReminder(ctx, dueReminder, now)
}

async function mailReceipt(ctx: Context, { subscriptionId, email, endsAt }: store.DueMail, at: Date): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const period = await store.findPaidPeriod(tx, subscriptionId)
    if (!period || !(await store.recordMail(tx, { subscriptionId, kind: 'receipt', endsAt, at }))) return
    await ctx.sendMail(tx, receiptMail(email, period, ctx.config.http.publicUrl))
  })
}

async function mailEndReminder(
  ctx: Context,
  { subscriptionId, email, endsAt }: store.DueMail,
  at: Date,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (!(await store.recordMail(tx, { subscriptionId, kind: 'ending', endsAt, at }))) return
    await ctx.sendMail(tx, endingMail(email, endsAt, ctx.config.http.publicUrl))
  })
}
