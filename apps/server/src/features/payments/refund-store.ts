import type { Address } from '@tocsin/proof'
import { and, eq, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { orders, payments, refunds, unmatchedTransfers } from '../../db/schema/payments.ts'
import { computeExcess } from './order.ts'
import { isCredited, unmatchedColumns } from './store.ts'

interface RefundTarget {
  kind: 'payment' | 'unmatched'
  id: string
  chainId: number
  token: Address
  payer: Address
  /** Null if the treasury that received the transfer was not recorded. */
  treasury: Address | null
  amountWei: bigint
  /** Part of the transfer above the price of its plan or order, or 0n. */
  excessWei: bigint
  orderId: string | null
  /**
   * True if the refund resolves the transfer: it was not credited and no refund of it was noted, or
   * an operator still has to decide about its excess.
   */
  isResolvedByRefund: boolean
}

/**
 * Locks and returns a transfer to the treasury, credited or not. Null if it is not on the chain, or
 * if it is an unmatched transfer that was credited: the refund then belongs to its payment.
 */
export async function lockRefundTarget(tx: Tx, id: string): Promise<RefundTarget | null> {
  const [payment] = await tx.select().from(payments).where(eq(payments.id, id)).for('no key update')
  if (payment) {
    if (payment.revertedAt) return null
    const [order] = payment.orderId
      ? await tx.select().from(orders).where(eq(orders.id, payment.orderId)).for('no key update')
      : []
    const isResolvedByRefund = order
      ? order.flags.includes('over') && order.resolvedAt === null
      : payment.priceWei !== null && payment.amountWei > payment.priceWei && payment.resolvedAt === null
    const treasury = payment.treasury ?? order?.treasury ?? null
    const excessWei = computeExcess(payment.amountWei, payment.priceWei ?? order?.priceWei ?? payment.amountWei)
    return { kind: 'payment', ...payment, treasury, excessWei, isResolvedByRefund }
  }
  const [transfer] = await tx
    .select(unmatchedColumns)
    .from(unmatchedTransfers)
    .where(eq(unmatchedTransfers.id, id))
    .for('no key update')
  // Read after the lock, because a credit locks the transfer before it records the payment.
  if (!transfer || transfer.revertedAt || (await wasCredited(tx, id))) return null
  return { kind: 'unmatched', ...transfer, excessWei: 0n, isResolvedByRefund: transfer.resolution !== 'refund_noted' }
}

async function wasCredited(tx: Tx, id: string): Promise<boolean> {
  return (await tx.$count(unmatchedTransfers, and(eq(unmatchedTransfers.id, id), isCredited))) > 0
}

export async function findRefundTarget(tx: Queryable, id: string) {
  const columns = (table: typeof payments | typeof unmatchedTransfers) => ({ chainId: table.chainId })
  const [payment] = await tx.select(columns(payments)).from(payments).where(eq(payments.id, id))
  if (payment) return payment
  const [transfer] = await tx
    .select(columns(unmatchedTransfers))
    .from(unmatchedTransfers)
    .where(eq(unmatchedTransfers.id, id))
  return transfer ?? null
}

export async function sumRefunds(tx: Queryable, paymentId: string): Promise<bigint> {
  const [row] = await tx
    .select({ sum: sql<bigint>`coalesce(sum(${refunds.amountWei}), 0)`.mapWith(BigInt) })
    .from(refunds)
    .where(eq(refunds.paymentId, paymentId))
  return row?.sum ?? 0n
}

/** Returns the log indexes of the transaction that are recorded as refunds. */
export async function listUsedIndexes(tx: Queryable, chainId: number, txHash: `0x${string}`): Promise<Set<number>> {
  const rows = await tx
    .select({ logIndex: refunds.logIndex })
    .from(refunds)
    .where(and(eq(refunds.chainId, chainId), eq(refunds.txHash, txHash)))
  return new Set(rows.map(({ logIndex }) => logIndex))
}

/** Serializes attempts to record the same transaction as the refund of different payments. */
export async function lockRefundTransaction(tx: Tx, chainId: number, txHash: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`refund:${chainId}:${txHash}`}, 0))`)
}

export async function insertRefunds(tx: Tx, rows: (typeof refunds.$inferInsert)[]): Promise<void> {
  await tx.insert(refunds).values(rows)
}

/** Number and sum of transfers that were made with the same terms. */
export interface TermsSum extends Record<string, unknown> {
  chain_id: number
  /** Token and treasury are empty if they were not recorded; the configured ones are then used. */
  token: string
  treasury: string
  count: number
  sum_wei: string
}

/** Returns the sums of the recorded refunds, by the terms of the payments that were refunded. */
export async function sumRefundsByTerms(tx: Queryable): Promise<TermsSum[]> {
  const { rows } = await tx.execute<TermsSum>(sql`
    select r.chain_id, coalesce(p.token, u.token, '') as token,
      coalesce(p.treasury, u.treasury, o.treasury, '') as treasury,
      count(*)::int as count, sum(r.amount_wei)::text as sum_wei
    from refunds r
    left join payments p on p.id = r.payment_id
    left join unmatched_transfers u on u.id = r.payment_id
    left join orders o on o.id = coalesce(p.order_id, u.order_id)
    group by 1, 2, 3`)
  return rows
}
