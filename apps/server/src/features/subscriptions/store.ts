import type { Hex } from '@tocsin/proof'
import type { PlanId } from '@tocsin/protocol'
import { and, asc, eq, gt, inArray, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { prepareSelect } from '../../db/prepared.ts'
import { payments } from '../../db/schema/payments.ts'
import { subscriptions } from '../../db/schema/subscriptions.ts'

export type SubscriptionRow = typeof subscriptions.$inferSelect

/**
 * A period with the amount paid for it. For a granted period, the amount is 0 and there is no
 * transaction.
 */
export interface PaidSubscription extends SubscriptionRow {
  amountWei: bigint
  txHash: Hex | null
}

/**
 * Identifies a payment transaction of an account. Has no chain id, because the payment chain may
 * have been changed since.
 */
export interface TransactionKey {
  accountId: string
  txHash: Hex
}

/** Condition for periods that were neither cancelled nor revoked. */
export const isValid = and(isNull(subscriptions.cancelledAt), isNull(subscriptions.revokedAt))

/** Condition for periods that are running or queued at `now`. */
export const isOpenAt = (now: Date) => and(gt(subscriptions.endsAt, now), isValid)

export const isRunningAt = (now: Date) => and(lte(subscriptions.startsAt, now), isOpenAt(now))

/** Returns the periods of the account that are not over, cancelled or revoked, in order. */
export function listOpenPeriods(tx: Queryable, accountId: string, now: Date): Promise<SubscriptionRow[]> {
  return listOpenPeriodsOf(tx, [accountId], now)
}

/** Like `listOpenPeriods`, for several accounts. */
export async function listOpenPeriodsOf(
  tx: Queryable,
  accountIds: readonly string[],
  now: Date,
): Promise<SubscriptionRow[]> {
  return selectOpenPeriods(tx, { accountIds, now: now.toISOString() })
}

const selectOpenPeriods = prepareSelect<SubscriptionRow[], { accountIds: readonly string[]; now: string }>(
  'open_periods',
  (tx) =>
    tx
      .select()
      .from(subscriptions)
      .where(
        and(
          sql`${subscriptions.accountId} = any(${sql.placeholder('accountIds')}::uuid[])`,
          sql`${subscriptions.endsAt} > ${sql.placeholder('now')}::timestamptz`,
          isValid,
        ),
      )
      .orderBy(asc(subscriptions.startsAt)),
)

/**
 * Returns all accounts' periods that end in (after, upTo], earliest end first. Cancelled and
 * revoked periods are left out.
 */
export async function listEndedBetween(tx: Queryable, after: Date, upTo: Date): Promise<SubscriptionRow[]> {
  return tx
    .select()
    .from(subscriptions)
    .where(and(isOpenAt(after), lte(subscriptions.endsAt, upTo)))
    .orderBy(asc(subscriptions.endsAt))
}

/** Returns all periods of the account, in order. */
export async function listPeriods(tx: Queryable, accountId: string): Promise<SubscriptionRow[]> {
  return tx
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.accountId, accountId))
    .orderBy(asc(subscriptions.startsAt))
}

export interface NewPeriod {
  accountId: string
  /** Exactly one of `paymentId` and `grantId` is set. */
  paymentId?: string
  grantId?: string
  planId: PlanId
  startsAt: Date
  endsAt: Date
  createdAt: Date
}

/** @returns period ids by payment id, or by grant id */
export async function insertSubscriptions(tx: Queryable, periods: readonly NewPeriod[]): Promise<Map<string, string>> {
  const { id, paymentId, grantId } = subscriptions
  const rows = await tx
    .insert(subscriptions)
    .values([...periods])
    .returning({ id, paymentId, grantId })
  return new Map(rows.map((row) => [row.paymentId ?? row.grantId ?? '', row.id]))
}

export async function updatePeriod(
  tx: Queryable,
  id: string,
  change: { startsAt?: Date; endsAt?: Date; cancelledAt?: Date; revokedAt?: Date | null },
): Promise<void> {
  await tx.update(subscriptions).set(change).where(eq(subscriptions.id, id))
}

export async function findSubscription(tx: Queryable, id: string): Promise<PaidSubscription | null> {
  const rows = await selectPaidSubscriptions(tx).where(eq(subscriptions.id, id))
  return toPaidSubscription(rows[0])
}

export async function findSubscriptionByPayment(tx: Queryable, paymentId: string): Promise<PaidSubscription | null> {
  const rows = await selectPaidSubscriptions(tx).where(eq(subscriptions.paymentId, paymentId))
  return toPaidSubscription(rows[0])
}

/** Returns the subscriptions started by these payments. */
export async function listSubscriptionsByPayment(tx: Queryable, paymentIds: string[]): Promise<PaidSubscription[]> {
  if (paymentIds.length === 0) return []
  const rows = await selectPaidSubscriptions(tx).where(inArray(subscriptions.paymentId, paymentIds))
  return rows.flatMap((row) => toPaidSubscription(row) ?? [])
}

/**
 * Returns the account's first subscription that was paid by a transaction, alone or together with
 * other payments of the same order.
 */
export async function findSubscriptionByTransaction(
  tx: Queryable,
  key: TransactionKey,
): Promise<PaidSubscription | null> {
  const paidOrderIds = tx
    .select({ id: payments.orderId })
    .from(payments)
    .where(and(eq(payments.txHash, key.txHash), isNotNull(payments.orderId)))
  const rows = await selectPaidSubscriptions(tx)
    .where(
      and(
        eq(subscriptions.accountId, key.accountId),
        or(eq(payments.txHash, key.txHash), inArray(payments.orderId, paidOrderIds)),
      ),
    )
    .orderBy(asc(subscriptions.startsAt))
    .limit(1)
  return toPaidSubscription(rows[0])
}

/**
 * Amount paid for a period, including all payments of the same order; 0 for a granted period. For
 * queries that join the period's payment.
 */
export const paidWei = sql<bigint>`case when ${payments.orderId} is null then coalesce(${payments.amountWei}, 0) else
  (select sum(p.amount_wei) from payments p where p.order_id = ${payments.orderId}) end`.mapWith(payments.amountWei)

function selectPaidSubscriptions(tx: Queryable) {
  return tx
    .select({ subscription: subscriptions, amountWei: paidWei, txHash: payments.txHash })
    .from(subscriptions)
    .leftJoin(payments, eq(payments.id, subscriptions.paymentId))
}

function toPaidSubscription(
  row: { subscription: SubscriptionRow; amountWei: bigint; txHash: Hex | null } | undefined,
): PaidSubscription | null {
  return row ? { ...row.subscription, amountWei: row.amountWei, txHash: row.txHash } : null
}
