import type { Hex } from '@tocsin/proof'
import type { Plan } from '@tocsin/protocol'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { acceptTransfers } from './payment.ts'
import * as store from './store.ts'
import { readTransaction } from './transaction.ts'

/**
 * The transfers of a transaction that pay for the plan and were not used, best first; at least one. Stores nothing.
 * @throws Refusal saying what is wrong with the payment, or `unavailable`
 */
export async function findTransfers(
  ctx: Context,
  claim: { txHash: Hex; plan: Plan; payers: readonly string[] },
): Promise<Transfer[]> {
  const terms = ctx.config.payment
  const transaction = await readTransaction(ctx, claim.txHash)
  const used = await store.listUsedLogs(ctx.db, terms.chainId, claim.txHash)
  return acceptTransfers(transaction, used, { ...claim, now: ctx.clock.now() }, terms)
}

/** Counts a transfer, once and for ever: the payment's id, or null when it was counted before. */
export async function recordPayment(tx: Queryable, payment: store.NewPayment): Promise<string | null> {
  const paymentId = await store.insertPayment(tx, payment)
  if (paymentId) await store.resolveUnmatched(tx, payment.transfer, payment.now)
  return paymentId
}

/** Twice the longest pause of the watcher. */
const WATCHER_LATE_MS = 60_000

/** Why payments that nobody reports are not credited right now; null while the watcher gets on, on whichever instance. */
export async function findWatcherTrouble(ctx: Context): Promise<string | null> {
  const cursor = await store.findCursor(ctx.db, ctx.config.payment)
  if (!cursor) return 'the payment chain was not read yet'
  const isLate = ctx.clock.now().getTime() - cursor.readAt.getTime() > WATCHER_LATE_MS
  return isLate ? `the payment chain was last read at ${cursor.readAt.toISOString()}` : null
}
