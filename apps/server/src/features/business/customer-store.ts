import type { PlanId } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { toTimestamp } from '../../db/to-timestamp.ts'

/**
 * Returns the start of the week of a time. `from` is the start of any week. Faster than date_trunc
 * in a time zone.
 */
const truncateToWeek = (time: string, from: Date) => sql`date_bin('7 days', ${sql.raw(time)}, ${toTimestamp(from)})`
/** Formats the start of a week. Use it after grouping, because formatting is slow. */
const formatWeek = (week: string) => sql.raw(`to_char(${week} at time zone 'UTC', 'YYYY-MM-DD')`)

/**
 * Selects the second and later transfers of each order. Counts of purchases subtract these from the
 * count of all payments, which can be read from an index alone. An index on the flags of orders
 * finds the few orders that have several transfers.
 */
const selectFurtherTransfers = sql`
  select account_id, block_at from (
    select p.account_id, p.block_at, row_number() over (partition by p.order_id order by p.block_at, p.id) as place
    from orders o join payments p on p.order_id = o.id
    where o.flags @> array['multiple'] and p.reverted_at is null and p.account_id is not null) placed
  where place > 1`

export interface WeekCount extends Record<string, unknown> {
  step: 'visits' | 'signUps' | 'verified' | 'walletProved'
  week: string
  count: number
}

/**
 * Counts visits, sign-ups, new accounts (`verified`) and accounts with a proved wallet, for each
 * week since `from`, which is the start of a week. Uses an index to count each week.
 */
export async function countFunnel(tx: Queryable, from: Date, to: Date): Promise<WeekCount[]> {
  const { rows } = await tx.execute<WeekCount>(sql`
    with weeks as (select week from generate_series(${toTimestamp(from)}, ${toTimestamp(to)}, '168 hours') as week)
    select case name when 'landing_visits' then 'visits' else 'signUps' end as step,
      to_char(date_trunc('week', day::timestamp), 'YYYY-MM-DD') as week, sum(count)::int as count
    from daily_counts where day >= (${toTimestamp(from)} at time zone 'UTC')::date group by 1, 2
    union all select 'verified', ${formatWeek('week')},
      (select count(*)::int from accounts where created_at >= week and created_at < week + interval '168 hours')
      from weeks
    union all select 'walletProved', ${formatWeek('week')},
      (select count(*)::int from account_figures where proved_at >= week and proved_at < week + interval '168 hours')
      from weeks`)
  return rows
}

export interface PayingRow extends Record<string, unknown> {
  /** Week of the first payment of these accounts. Null if it was before the counted weeks. */
  first_week: string | null
  week: string
  /** Number of accounts that made a purchase in that week. */
  accounts: number
  /** Number of these accounts that bought again in that week, or had paid in an earlier week. */
  again: number
}

/**
 * Counts paying accounts, by the week of a payment since `from` and by the week of their first
 * payment. `from` is the start of a week. Reads the payments since `from` once. An order counts in
 * the week of its first transfer.
 */
export async function listPaying(tx: Queryable, from: Date): Promise<PayingRow[]> {
  const { rows } = await tx.execute<PayingRow>(sql`
    with weekly as (
        select account_id, ${truncateToWeek('block_at', from)} as week, count(*) as payments from payments
        where reverted_at is null and account_id is not null and block_at >= ${toTimestamp(from)} group by 1, 2),
      further as (
        select account_id, ${truncateToWeek('block_at', from)} as week, count(*) as payments
        from (${selectFurtherTransfers}) f where block_at >= ${toTimestamp(from)} group by 1, 2),
      bought as (
        select account_id, week, w.payments - coalesce(f.payments, 0) as purchases
        from weekly w left join further f using (account_id, week)),
      firsts as (
        select account_id, ${truncateToWeek('first_paid_at', from)} as first_week from account_figures
        where first_paid_at >= ${toTimestamp(from)}),
      counted as (
        select first_week, week, count(*)::int as accounts,
          (count(*) filter (where purchases > 1 or first_week is distinct from week))::int as again
        from bought left join firsts using (account_id) where purchases > 0 group by 1, 2)
    select ${formatWeek('first_week')} as first_week, ${formatWeek('week')} as week, accounts, again from counted`)
  return rows
}

export interface CustomerTotals extends Record<string, unknown> {
  had_plan: number
  lost: number
  active: number
  paying: number
  paying_wei: string
  renewals: number
}

export async function countTotals(tx: Queryable, now: Date, from30: Date, from7: Date): Promise<CustomerTotals> {
  const isOpen = sql`cancelled_at is null and revoked_at is null`
  const isCounted = sql`reverted_at is null and account_id is not null`
  const isLater = sql`block_at >= ${toTimestamp(from7)} and (first_paid_at is null or block_at > first_paid_at)`
  const { rows } = await tx.execute<CustomerTotals>(sql`
    with firsts as (select account_id, first_paid_at from account_figures where first_paid_at >= ${toTimestamp(from7)}),
      plans as (
        select account_id from subscriptions where ends_at > ${toTimestamp(from30)} and ${isOpen} group by 1),
      going as (
        select account_id, bool_or(starts_at <= ${toTimestamp(now)}) as is_active
        from subscriptions where ends_at > ${toTimestamp(now)} and ${isOpen} group by 1)
    select (select count(*)::int from plans) as had_plan,
      (select count(*)::int from plans where account_id not in (select account_id from going)) as lost,
      (select count(*)::int from going where is_active) as active,
      (select count(*)::int from (
        select from payments where block_at >= ${toTimestamp(from30)} and ${isCounted} group by account_id) payers) as paying,
      (select coalesce(sum(amount_wei), 0)::text from payments
        where block_at >= ${toTimestamp(from30)} and ${isCounted}) as paying_wei,
      (select count(*)::int from payments left join firsts using (account_id) where ${isCounted} and ${isLater})
        - (select count(*)::int from (${selectFurtherTransfers}) f left join firsts using (account_id) where ${isLater})
        as renewals`)
  const [row] = rows
  if (!row) throw new Error('The totals have no row')
  return row
}

export interface LeavingRow extends Record<string, unknown> {
  id: string
  name: string
  email: string | null
  plan_id: PlanId
  ends_ms: string
  payments: number
  seen_ms: string | null
  alerts_read: number
  never_renewed: boolean
  not_seen: boolean
  nothing_read: boolean
}

export interface LeavingAccounts extends Record<string, unknown> {
  count: number
  at_risk: number
  accounts: LeavingRow[]
}

/**
 * Returns accounts whose access ends or ended in (after, until], with the signs that they will not
 * renew. Lists at most `limit` accounts: those whose access ends first if `until` is in the future,
 * otherwise those whose access ended last.
 */
export async function findChurningAccounts(
  tx: Queryable,
  { now, after, until, limit }: { now: Date; after: Date; until: Date; limit: number },
): Promise<LeavingAccounts> {
  const direction = sql.raw(until > now ? 'asc' : 'desc')
  // `at_risk` is used only for accounts whose access has not ended. For accounts that have left,
  // apply the limit first, so that the signs are computed only for the listed accounts.
  const newestFirst = until > now ? sql`` : sql`order by ends_at desc, account_id limit ${limit}`
  const { rows } = await tx.execute<LeavingAccounts>(sql`
    with ending as (
      select account_id, max(ends_at) as ends_at, (array_agg(plan_id order by ends_at desc))[1] as plan_id,
        (array_agg(starts_at order by ends_at desc))[1] as starts_at
      from subscriptions where ends_at > ${toTimestamp(after)} and cancelled_at is null and revoked_at is null
      group by account_id having max(ends_at) <= ${toTimestamp(until)}),
    chosen as (select * from ending ${newestFirst}),
    described as (
      select c.account_id, c.plan_id, c.ends_at, seen.at as seen_at, paid.payments, opened.alerts_read,
        paid.payments <= 1 as never_renewed,
        seen.at is null or seen.at < least(c.ends_at, ${toTimestamp(now)}) - interval '1 day'
          or (c.starts_at <= ${toTimestamp(now)} - interval '1 hour' and seen.at < c.starts_at) as not_seen,
        c.starts_at <= ${toTimestamp(now)} - interval '1 hour' and opened.alerts_read = 0 and not opened.has_mark as nothing_read
      from chosen c
      cross join lateral (select count(distinct coalesce(p.order_id, p.id))::int as payments from payments p
        where p.account_id = c.account_id and p.reverted_at is null) paid
      cross join lateral (select f.seen_at as at from account_figures f where f.account_id = c.account_id) seen
      cross join lateral (select
        (select count(*)::int from alert_reads r where r.account_id = c.account_id and r.read_at >= c.starts_at) as alerts_read,
        exists (select 1 from alert_read_marks m where m.account_id = c.account_id and m.at >= c.starts_at) as has_mark) opened),
    listed as (
      select a.id, a.name, a.email, d.*
      from (select * from described order by ends_at ${direction}, account_id limit ${limit}) d
      join accounts a on a.id = d.account_id)
    select (select count(*)::int from ending) as count,
      (select count(*)::int from described where never_renewed or not_seen or nothing_read) as at_risk,
      (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'email', email, 'plan_id', plan_id,
        'ends_ms', (extract(epoch from ends_at) * 1000)::bigint::text,
        'seen_ms', (extract(epoch from seen_at) * 1000)::bigint::text, 'payments', payments,
        'alerts_read', alerts_read, 'never_renewed', never_renewed, 'not_seen', not_seen, 'nothing_read', nothing_read)
        order by ends_at ${direction}, id), '[]'::json) from listed) as accounts`)
  return rows[0] ?? { count: 0, at_risk: 0, accounts: [] }
}
