import type { PlanId } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'

/** The UTC week of a time, as the date of its Monday. */
const weekOf = (time: string) => sql.raw(`to_char(date_trunc('week', ${time} at time zone 'UTC'), 'YYYY-MM-DD')`)
const iso = (at: Date) => sql`${at.toISOString()}::timestamptz`
export interface WeekCount extends Record<string, unknown> {
  step: 'visits' | 'signUps' | 'verified' | 'walletProved'
  week: string
  count: number
}

/** Steps before the first purchase by week since `from`, which is the start of a week. */
export async function countFunnel(tx: Queryable, from: Date): Promise<WeekCount[]> {
  const { rows } = await tx.execute<WeekCount>(sql`
    select case name when 'landing_visits' then 'visits' else 'signUps' end as step,
      to_char(date_trunc('week', day::timestamp), 'YYYY-MM-DD') as week, sum(count)::int as count
    from daily_counts where day >= (${iso(from)} at time zone 'UTC')::date group by 1, 2
    union all
    select 'verified', ${weekOf('created_at')}, count(*)::int from accounts where created_at >= ${iso(from)} group by 2
    union all
    select 'walletProved', ${weekOf('linked_at')}, count(*)::int from wallets w where linked_at >= ${iso(from)}
      and not exists (select 1 from wallets other where other.account_id = w.account_id
        and (other.linked_at, other.address, other.chain_id) < (w.linked_at, w.address, w.chain_id)) group by 2`)
  return rows
}

export interface PayingRow extends Record<string, unknown> {
  /** Week of the first payment of these accounts. */
  first_week: string
  week: string
  /** Accounts that paid in that week. */
  accounts: number
  /** Those of them that paid again, or had paid in an earlier week. */
  again: number
}

/**
 * Paying accounts by the week of a payment since `from` and the week of their first payment, which
 * may be earlier. Reads the payments once.
 */
export async function listPaying(tx: Queryable, from: Date): Promise<PayingRow[]> {
  const { rows } = await tx.execute<PayingRow>(sql`
    with firsts as materialized (
      select account_id, min(block_at) as first_at from payments
      where reverted_at is null and account_id is not null group by account_id),
    weekly as (
      select account_id, date_trunc('week', first_at at time zone 'UTC') as first_week,
        date_trunc('week', block_at at time zone 'UTC') as week, count(*) as payments
      from payments join firsts using (account_id)
      where reverted_at is null and block_at >= ${iso(from)} group by 1, 2, 3)
    select to_char(first_week, 'YYYY-MM-DD') as first_week, to_char(week, 'YYYY-MM-DD') as week,
      count(*)::int as accounts, (count(*) filter (where payments > 1 or week > first_week))::int as again
    from weekly group by weekly.first_week, weekly.week`)
  return rows
}

export interface Totals extends Record<string, unknown> {
  had_plan: number
  lost: number
  active: number
  paying: number
  paying_wei: string
  renewals: number
}

export async function countTotals(tx: Queryable, now: Date, from30: Date, from7: Date): Promise<Totals> {
  const { rows } = await tx.execute<Totals>(sql`
    with plans as (
      select account_id, bool_or(starts_at <= ${iso(now)} and ends_at > ${iso(now)}) as is_active,
        max(ends_at) > ${iso(now)} as goes_on
      from subscriptions where ends_at > ${iso(from30)} and cancelled_at is null and revoked_at is null group by 1),
    recent as (
      select account_id, amount_wei from payments
      where block_at >= ${iso(from30)} and reverted_at is null and account_id is not null)
    select (select count(*)::int from plans) as had_plan,
      (select count(*)::int from plans where not goes_on) as lost,
      (select count(*)::int from plans where is_active) as active,
      (select count(distinct account_id)::int from recent) as paying,
      (select coalesce(sum(amount_wei), 0)::text from recent) as paying_wei,
      (select count(*)::int from payments p where block_at >= ${iso(from7)} and reverted_at is null
        and account_id is not null and exists (select 1 from payments before
          where before.account_id = p.account_id and before.reverted_at is null and before.block_at < p.block_at)
      ) as renewals`)
  const [row] = rows
  if (!row) throw new Error('The totals have no row')
  return row
}

export interface EndingRow extends Record<string, unknown> {
  id: string
  name: string
  email: string | null
  plan_id: PlanId
  ends_ms: string
  payments: number
  seen_ms: string | null
  total: number
}

/** Accounts whose last plan ends between `now` and `to`, those that end first. */
export async function listEnding(tx: Queryable, now: Date, to: Date, limit: number): Promise<EndingRow[]> {
  const { rows } = await tx.execute<EndingRow>(sql`
    with ending as (
      select account_id, max(ends_at) as ends_at, (array_agg(plan_id order by ends_at desc))[1] as plan_id
      from subscriptions where ends_at > ${iso(now)} and cancelled_at is null and revoked_at is null
      group by account_id having max(ends_at) <= ${iso(to)}),
    first as (select *, count(*) over ()::int as total from ending order by ends_at, account_id limit ${limit})
    select a.id, a.name, a.email, first.plan_id, first.total,
      (extract(epoch from first.ends_at) * 1000)::bigint::text as ends_ms,
      (select count(*)::int from payments p where p.account_id = a.id and p.reverted_at is null) as payments,
      (select (extract(epoch from max(s.last_seen_at)) * 1000)::bigint::text from sessions s where s.account_id = a.id)
        as seen_ms
    from first join accounts a on a.id = first.account_id order by first.ends_at, a.id`)
  return rows
}
