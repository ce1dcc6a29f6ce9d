import type { DestinationKind, Priority } from '@tocsin/protocol'
import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { NO_PLAN_REASON } from '../channels/enqueue-deliveries.ts'

export interface ReachedAlert extends Record<string, unknown> {
  id: string
  log_index: string
  asset: string
  priority: Priority
  /** Time of the broadcast, which may be long after the alert was created. */
  sent_ms: string
}

/**
 * Returns the alert at a log index. If no index is given, returns the newest critical alert, or the
 * newest alert if there is no critical one.
 */
export async function findReachedAlert(tx: Queryable, index: number | undefined): Promise<ReachedAlert | null> {
  const columns = sql`select id, log_index::text, asset, priority,
    (extract(epoch from broadcast_at) * 1000)::bigint::text as sent_ms from alerts
    where kind = 'alert' and broadcast_at is not null`
  // Qualified with the table, because a bare `log_index` is the output column, which is text and
  // sorts differently.
  const newest = sql`order by alerts.log_index desc limit 1`
  const { rows } = await tx.execute<ReachedAlert>(
    index === undefined
      ? sql`(${columns} and priority = 'critical' ${newest}) union all (${columns} ${newest})`
      : sql`${columns} and log_index = ${index}`,
  )
  return rows[0] ?? null
}

/** p50, p95 and p99 of a time in seconds. Null if there are no rows. */
type Latencies = [number, number, number] | null

const createPercentilesSql = (seconds: SQL, condition = sql`true`) =>
  sql`(percentile_cont(array[0.5, 0.95, 0.99]) within group (order by ${seconds}) filter (where ${condition}))::float8[]`

export interface AccountReach extends Record<string, unknown> {
  entitled: number
  reached: number
  first_way: Latencies
  opened: number
  verified: number
  stream: number
  stream_way: Latencies
}

/**
 * Counts the accounts that were entitled to the alert, got it, opened it and verified it, and
 * computes percentiles of the seconds until its first delivery to each entitled account.
 */
export async function countAccounts(
  tx: Queryable,
  { id, log_index, sent_ms }: ReachedAlert,
): Promise<AccountReach | null> {
  const at = new Date(Number(sent_ms)).toISOString()
  const { rows } = await tx.execute<AccountReach>(sql`
    with entitled as (
      select distinct account_id from subscriptions
      where tstzrange(starts_at, greatest(starts_at, ends_at)) @> ${at}::timestamptz and revoked_at is null
        and (cancelled_at is null or cancelled_at > ${at})),
    readers as (
      select account_id, verified_at from alert_reads where alert_id = ${id}
      union all select distinct account_id, null::timestamptz from alert_read_marks m
        where up_to_index >= ${log_index}::bigint and at >= ${at}
          and not exists (select 1 from alert_reads r where r.account_id = m.account_id and r.alert_id = ${id})),
    streamed as (
      select account_id, took_ms / 1000.0::float8 as seconds from stream_reach where log_index = ${log_index}::bigint),
    sent as (
      select t.account_id, extract(epoch from c.delivered_at - d.at)::float8 as seconds
      from channel_deliveries c join destinations t on t.id = c.destination_id join deliveries d on d.seq = c.seq
      where c.log_index = ${log_index}::bigint and c.event = 'alert' and c.state = 'delivered'),
    firsts as (
      select account_id, min(seconds) as seconds
      from (select * from streamed union all select * from sent union all select account_id, null from readers) ways
      where account_id in (select account_id from entitled) group by 1)
    select (select count(*)::int from entitled) as entitled,
      (select count(*)::int from firsts) as reached,
      (select ${createPercentilesSql(sql`seconds`, sql`seconds is not null`)} from firsts) as first_way,
      (select count(*)::int from readers) as opened,
      (select count(verified_at)::int from readers) as verified,
      (select count(*)::int from streamed join entitled using (account_id)) as stream,
      (select ${createPercentilesSql(sql`seconds`)} from streamed join entitled using (account_id)) as stream_way`)
  return rows[0] ?? null
}

export interface ChannelReach extends Record<string, unknown> {
  kind: DestinationKind
  total: number
  delivered: number
  skipped: number
  failed: number
  waiting: number
  latencies: Latencies
}

/**
 * Counts the deliveries to destinations of accounts with a plan, because the delivery ledger lists
 * only one alert an hour for other destinations. Latencies are the seconds from the broadcast until
 * the receiving service had accepted the message.
 */
export async function listChannelReach(tx: Queryable, logIndex: string): Promise<ChannelReach[]> {
  const seconds = sql`extract(epoch from c.delivered_at - d.at)::float8`
  const { rows } = await tx.execute<ChannelReach>(sql`
    select t.kind, count(*)::int as total, (count(*) filter (where c.state = 'delivered'))::int as delivered,
      (count(*) filter (where c.state = 'skipped'))::int as skipped,
      (count(*) filter (where c.state = 'dead'))::int as failed,
      (count(*) filter (where c.state in ('waiting', 'held')))::int as waiting,
      ${createPercentilesSql(seconds, sql`c.state = 'delivered'`)} as latencies
    from channel_deliveries c join destinations t on t.id = c.destination_id join deliveries d on d.seq = c.seq
    where c.log_index = ${logIndex}::bigint and c.event = 'alert' and c.reason <> ${NO_PLAN_REASON}
    group by t.kind order by t.kind`)
  return rows
}

export interface FailureRow extends Record<string, unknown> {
  kind: DestinationKind
  reason: string
  count: number
}

/** Returns the reasons why deliveries of an alert failed, the most frequent first. */
export async function listFailures(tx: Queryable, logIndex: string, limit: number): Promise<FailureRow[]> {
  const { rows } = await tx.execute<FailureRow>(sql`
    select t.kind, c.reason, count(*)::int as count
    from channel_deliveries c join destinations t on t.id = c.destination_id
    where c.log_index = ${logIndex}::bigint and c.event = 'alert' and c.state = 'dead'
    group by 1, 2 order by 3 desc, 1, 2 limit ${limit}`)
  return rows
}
