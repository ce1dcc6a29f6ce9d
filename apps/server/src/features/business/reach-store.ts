import type { DestinationKind, Priority } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'

export interface ReachedAlert extends Record<string, unknown> {
  id: string
  log_index: string
  asset: string
  priority: Priority
  created_ms: string
}

/** The alert at a log index; without one the newest critical alert, or else the newest alert. */
export async function findReachedAlert(tx: Queryable, index: number | undefined): Promise<ReachedAlert | null> {
  const columns = sql`select id, log_index::text, asset, priority,
    (extract(epoch from created_at) * 1000)::bigint::text as created_ms from alerts
    where kind = 'alert' and broadcast_at is not null`
  const newest = sql`order by log_index desc limit 1`
  const { rows } = await tx.execute<ReachedAlert>(
    index === undefined
      ? sql`(${columns} and priority = 'critical' ${newest}) union all (${columns} ${newest})`
      : sql`${columns} and log_index = ${index}`,
  )
  return rows[0] ?? null
}

export async function countReaders(tx: Queryable, { id, log_index, created_ms }: ReachedAlert) {
  const at = new Date(Number(created_ms)).toISOString()
  const { rows } = await tx.execute<{ entitled: number; opened: number }>(sql`
    with entitled as (
      select distinct account_id from subscriptions where starts_at <= ${at} and ends_at > ${at}
        and revoked_at is null and (cancelled_at is null or cancelled_at > ${at}))
    select (select count(*)::int from entitled) as entitled,
      (select count(*)::int from (
        select account_id from alert_reads where alert_id = ${id}
        union select account_id from alert_read_marks where up_to_index >= ${log_index}::bigint and at >= ${at}) readers
      ) as opened`)
  return rows[0] ?? { entitled: 0, opened: 0 }
}

export interface ChannelReach extends Record<string, unknown> {
  kind: DestinationKind
  total: number
  delivered: number
  skipped: number
  failed: number
  waiting: number
  p50: number | null
  p99: number | null
}

/** Seconds count from the broadcast to the moment when the other side had accepted the message. */
export async function listChannelReach(tx: Queryable, logIndex: string): Promise<ChannelReach[]> {
  const seconds = sql`extract(epoch from c.delivered_at - d.at)`
  const percentile = (of: number) =>
    sql`percentile_cont(${of}) within group (order by ${seconds}) filter (where c.state = 'delivered')`
  const { rows } = await tx.execute<ChannelReach>(sql`
    select t.kind, count(*)::int as total, (count(*) filter (where c.state = 'delivered'))::int as delivered,
      (count(*) filter (where c.state = 'skipped'))::int as skipped,
      (count(*) filter (where c.state = 'dead'))::int as failed,
      (count(*) filter (where c.state = 'waiting'))::int as waiting,
      (${percentile(0.5)})::float8 as p50, (${percentile(0.99)})::float8 as p99
    from channel_deliveries c join destinations t on t.id = c.destination_id join deliveries d on d.seq = c.seq
    where c.log_index = ${logIndex}::bigint and c.event = 'alert' group by t.kind order by t.kind`)
  return rows
}
