import type { PlanId } from '@tocsin/protocol'
import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { unmatchedTransfers } from '../../db/schema/payments.ts'
import { toTimestamp } from '../../db/to-timestamp.ts'
import type { TermsSum } from '../payments/refund-store.ts'
import { isCredited, selectTreasury } from '../payments/store.ts'

export interface RevenueSums extends Record<string, unknown> {
  counts: number[]
  sums: string[]
}

export interface RevenuePeriod {
  /** Inclusive. */
  from: Date
  /** Exclusive. */
  to: Date
}

/**
 * Returns the count and the sum of the credited payments in each period, by the time of their
 * block. Reverted payments are excluded. Reads each payment since the earliest period once.
 */
export async function sumPayments(tx: Queryable, periods: readonly RevenuePeriod[]): Promise<RevenueSums> {
  const periodConditions = periods.map(
    ({ from, to }) => sql`(block_at >= ${toTimestamp(from)} and block_at < ${toTimestamp(to)})`,
  )
  const earliestStart = new Date(Math.min(...periods.map(({ from }) => from.getTime())))
  const listForPeriods = (createColumn: (condition: SQL) => SQL) =>
    sql.join(periodConditions.map(createColumn), sql`, `)
  const { rows } = await tx.execute<RevenueSums>(sql`
    select array[${listForPeriods((condition) => sql`(count(*) filter (where ${condition}))::int`)}] as counts,
      array[${listForPeriods((condition) => sql`coalesce(sum(amount_wei) filter (where ${condition}), 0)::text`)}] as sums
    from payments where reverted_at is null and block_at >= ${toTimestamp(earliestStart)}`)
  return rows[0] ?? { counts: [], sums: [] }
}

export async function sumAllPayments(tx: Queryable): Promise<{ count: number; sumWei: string }> {
  const { rows } = await tx.execute<{ count: number; sum_wei: string }>(sql`
    select coalesce(sum(count), 0)::int as count, coalesce(sum(sum_wei), 0)::text as sum_wei from payment_days`)
  return { count: rows[0]?.count ?? 0, sumWei: rows[0]?.sum_wei ?? '0' }
}

export async function findFirstPaymentAt(tx: Queryable): Promise<Date | null> {
  const { rows } = await tx.execute<{ at: string | null }>(
    sql`select (extract(epoch from block_at) * 1000)::bigint::text as at from payments where reverted_at is null
      order by block_at limit 1`,
  )
  const at = rows[0]?.at
  return at ? new Date(Number(at)) : null
}

export interface DayPart extends Record<string, unknown> {
  day: string
  plan_id: PlanId
  chain_id: number
  count: number
  sum_wei: string
}

/** Returns credited payments since `from` by UTC day, plan and chain, oldest day first. */
export async function listDayParts(tx: Queryable, from: Date): Promise<DayPart[]> {
  const { rows } = await tx.execute<DayPart>(sql`
    select to_char(day, 'YYYY-MM-DD') as day, plan_id, chain_id, sum(count)::int as count, sum(sum_wei)::text as sum_wei
    from payment_days where day >= ${from.toISOString().slice(0, 10)}
    group by payment_days.day, 2, 3 having sum(count) > 0 order by 1, 2, 3`)
  return rows
}

/**
 * Merges the rows of each day, plan, chain, token and treasury into one row. Rows that are added
 * concurrently are not merged.
 */
export async function mergePaymentDays(tx: Queryable): Promise<void> {
  await tx.execute(sql`
    with gone as (
      delete from payment_days where (day, chain_id, plan_id, token, treasury) in (
        select day, chain_id, plan_id, token, treasury from payment_days group by 1, 2, 3, 4, 5 having count(*) > 1)
      returning *)
    insert into payment_days (day, chain_id, plan_id, token, treasury, count, sum_wei)
    select day, chain_id, plan_id, token, treasury, sum(count), sum(sum_wei) from gone group by 1, 2, 3, 4, 5
    having sum(count) <> 0 or sum(sum_wei) <> 0`)
}

export interface TreasuryRow extends TermsSum {
  kind: 'credited' | 'unmatched' | 'resolved'
}

/**
 * Returns the received sums by chain, token, treasury and kind, from the stored payments and
 * unmatched transfers. Each transfer counts once.
 */
export async function listReceived(tx: Queryable): Promise<TreasuryRow[]> {
  const { rows } = await tx.execute<TreasuryRow>(sql`
    select chain_id, token, treasury, 'credited' as kind, sum(count)::int as count, sum(sum_wei)::text as sum_wei
    from payment_days group by chain_id, token, treasury
    union all
    select chain_id, token, coalesce(${selectTreasury(unmatchedTransfers)}, ''),
      case when resolved_at is null then 'unmatched' else 'resolved' end, count(*)::int, sum(amount_wei)::text
    from unmatched_transfers where reverted_at is null and not ${isCredited}
    group by 1, 2, 3, 4`)
  return rows
}
