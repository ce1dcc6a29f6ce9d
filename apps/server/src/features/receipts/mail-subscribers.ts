import type { Context } from '../../context.ts'
import { pause } from '../../db/leader.ts'
import { endingMail, receiptMail } from './mails.ts'
import * as store from './store.ts'

const ROUND_MS = 10_000
const BATCH = 100
/** How long before its end somebody is told. The page warns from then on too. */
const ENDING_MS = 3_600_000
/** What was granted longer ago than this is no news: a restored backup must not write to everybody. */
const NEWS_MS = 24 * 3_600_000

/** Writes to those who have paid and to those whose time runs out, each once, until told to stop. */
export async function mailSubscribers(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await mailDue(ctx)
    } catch (error) {
      ctx.logger.error({ err: error }, 'writing to subscribers failed, trying again')
    }
    await pause(ROUND_MS, signal)
  }
}

/** One round. Each mail is queued in the transaction that puts it on record. */
export async function mailDue(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  const before = new Date(now.getTime() - NEWS_MS)
  for (const due of await store.listReceiptsDue(ctx.db, before, BATCH)) await mailReceipt(ctx, due, now)
  const soon = new Date(now.getTime() + ENDING_MS)
  for (const due of await store.listEndsDue(ctx.db, now, soon, BATCH)) await mailEnding(ctx, due, now)
}

async function mailReceipt(ctx: Context, { subscriptionId, email, endsAt }: store.DueMail, at: Date): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const period = await store.findPaidPeriod(tx, subscriptionId)
    if (!period || !(await store.recordMail(tx, { subscriptionId, kind: 'receipt', endsAt, at }))) return
    await ctx.sendMail(tx, receiptMail(email, period, ctx.config.http.publicUrl))
  })
}

async function mailEnding(ctx: Context, { subscriptionId, email, endsAt }: store.DueMail, at: Date): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (!(await store.recordMail(tx, { subscriptionId, kind: 'ending', endsAt, at }))) return
    await ctx.sendMail(tx, endingMail(email, endsAt, ctx.config.http.publicUrl))
  })
}
