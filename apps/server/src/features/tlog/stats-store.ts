import { count, eq, lte, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { alertOutcomes, alerts } from '../../db/schema/alerts.ts'
import { anchors, logEntries, logHead } from '../../db/schema/log.ts'
import { createVisibleCondition } from '../access/readable.ts'

/**
 * Returns the number of stored entries, and the number of missing entries: the head counts them,
 * but they are not stored.
 */
export async function readEntryCounts(tx: Queryable): Promise<{ stored: number; gaps: number }> {
  // One statement, so head and entries come from one snapshot.
  const { rows } = await tx.execute<{ stored: string; size: string | null }>(
    sql`select count(*) as stored, (select size from ${logHead}) as size from ${logEntries}`,
  )
  const stored = Number(rows[0]?.stored ?? 0)
  return { stored, gaps: Number(rows[0]?.size ?? 0) - stored }
}

/**
 * Counts alerts by kind, but only those created by `publicCutoff`: the kind of a fresh entry is not
 * public yet.
 */
export async function countAlertKinds(
  tx: Queryable,
  publicCutoff: Date,
): Promise<Record<'alert' | 'correction' | 'retraction', number>> {
  const countOfKind = (kind: string) => sql<number>`count(*) filter (where ${alerts.kind} = ${kind})`.mapWith(Number)
  const [row] = await tx
    .select({
      alert: countOfKind('alert'),
      correction: countOfKind('correction'),
      retraction: countOfKind('retraction'),
    })
    .from(alerts)
    .where(lte(alerts.createdAt, publicCutoff))
  if (!row) throw new Error('The count of alerts returned no row')
  return row
}

/** Counts only outcomes of alerts created by `publicCutoff`. */
export async function countOutcomes(tx: Queryable, publicCutoff: Date): Promise<number> {
  const [row] = await tx
    .select({ found: count() })
    .from(alertOutcomes)
    .innerJoin(alerts, eq(alerts.logIndex, alertOutcomes.targetIndex))
    .where(lte(alerts.createdAt, publicCutoff))
  return row?.found ?? 0
}

/**
 * Counts heartbeats and successions: entries about the log itself, which have no row in `alerts`.
 */
export async function countMaintenanceEntries(tx: Queryable): Promise<{ heartbeats: number; successions: number }> {
  // Quotes inside JSON strings are escaped, so this only matches the field itself.
  const countOfKind = (kind: string) =>
    sql`count(*) filter (where position(${`"kind":"${kind}"`}::bytea in e.bytes) > 0)`
  const { rows } = await tx.execute<{ heartbeats: string; successions: string }>(sql`
    select ${countOfKind('heartbeat')} as heartbeats, ${countOfKind('succession')} as successions
    from ${logEntries} e where not exists (select from ${alerts} a where a.log_index = e.index)`)
  return { heartbeats: Number(rows[0]?.heartbeats ?? 0), successions: Number(rows[0]?.successions ?? 0) }
}

/**
 * Measures the time from logging to the timestamp of the anchoring block, for anchored alerts,
 * corrections and retractions. Heartbeats are left out: they are anchored immediately and would
 * lower the result. Drafts, which are not broadcast, are left out until they are public: otherwise
 * the size of the sample would show whether a fresh entry is a draft or an outcome. Also ignores
 * rows whose block is older than the entry by more than the clock tolerance, as in the history of a
 * demo.
 */
export async function readTimeToAnchor(tx: Queryable, since: Date, publicCutoff: Date) {
  const { rows } = await tx.execute<{ figures: (number | null)[] | null; sample: string }>(sql`
    select percentile_cont(array[0.5, 0.95]) within group (
        order by greatest(0, extract(epoch from a.block_at - e.appended_at)::float8 * 1000)
      ) as figures,
      count(*) as sample
    from (select size, block_at, lag(size, 1, 0::bigint) over (order by size) as after from ${anchors}) a
    join ${logEntries} e on e.index >= a.after and e.index < a.size
    where exists (select from ${alerts} where ${alerts.logIndex} = e.index and ${createVisibleCondition({ publicCutoff })})
      and a.block_at >= ${since.toISOString()}::timestamptz and a.block_at >= e.appended_at - interval '1 minute'
      and e.appended_at >= ${since.toISOString()}::timestamptz`)
  const [medianMs = null, p95Ms = null] = rows[0]?.figures ?? []
  return { medianMs, p95Ms, sample: Number(rows[0]?.sample ?? 0) }
}
