import type { Priority } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { toTimestamp } from '../../db/to-timestamp.ts'

/**
 * Matches the alerts that the statistics cover: broadcast alerts, but no corrections or
 * retractions.
 */
const isCounted = sql.raw("kind = 'alert' and broadcast_at is not null")

interface CountedRow extends Record<string, unknown> {
  priority: Priority
  count: number
}

/** Counts the alerts from `from` up to `to` by priority, for each time step of `stepSeconds`. */
export async function countBySteps(
  tx: Queryable,
  from: Date,
  to: Date,
  stepSeconds: number,
): Promise<(CountedRow & { step: number })[]> {
  const { rows } = await tx.execute<CountedRow & { step: number }>(sql`
    select floor(extract(epoch from created_at - ${toTimestamp(from)}) / ${stepSeconds})::int as step, priority,
      count(*)::int as count
    from alerts where created_at >= ${toTimestamp(from)} and created_at < ${toTimestamp(to)} and ${isCounted}
    group by 1, 2 order by 1, 2`)
  return rows
}

/** Counts alerts since `from` by hour of the day (UTC) and priority. */
export async function countByHour(tx: Queryable, from: Date): Promise<(CountedRow & { hour: number })[]> {
  const { rows } = await tx.execute<CountedRow & { hour: number }>(sql`
    select extract(hour from created_at at time zone 'UTC')::int as hour, priority, count(*)::int as count
    from alerts where created_at >= ${toTimestamp(from)} and ${isCounted} group by 1, 2 order by 1, 2`)
  return rows
}

/** Counts alerts since `from` by type and priority, for the types with the most alerts. */
export async function countByType(
  tx: Queryable,
  from: Date,
  limit: number,
): Promise<(CountedRow & { type: string })[]> {
  const { rows } = await tx.execute<CountedRow & { type: string }>(sql`
    with counted as (
      select anomaly_type as type, priority, count(*)::int as count
      from alerts where created_at >= ${toTimestamp(from)} and ${isCounted} group by 1, 2),
    most as (select type, sum(count) as total from counted group by 1 order by 2 desc, 1 limit ${limit})
    select type, priority, count from counted join most using (type) order by total desc, type, priority`)
  return rows
}

export interface OverdueRow extends Record<string, unknown> {
  from_ms: string
  to_ms: string
}

/**
 * Returns periods that ended after `since`, in which an entry of the log waited for its anchor for
 * more than `limitSeconds`. A period starts when its oldest entry became overdue and ends with the
 * block of the anchor.
 */
export async function listOverdueAnchors(tx: Queryable, since: Date, limitSeconds: number): Promise<OverdueRow[]> {
  const { rows } = await tx.execute<OverdueRow>(sql`
    with anchored as (
      select block_at, coalesce((select max(b.size) from anchors b where b.size < a.size), 0) as after
      from anchors a where block_at > ${toTimestamp(since)}),
    overdue as (
      select e.appended_at + ${limitSeconds} * interval '1 second' as from_at, block_at as to_at
      from anchored join log_entries e on e.index = anchored.after)
    select (extract(epoch from from_at) * 1000)::bigint::text as from_ms,
      (extract(epoch from to_at) * 1000)::bigint::text as to_ms
    from overdue where from_at < to_at order by from_at`)
  return rows
}
