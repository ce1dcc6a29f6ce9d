import { and, desc, eq, gt, lt, lte, ne, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { alerts, deliveries, streamReach } from '../../db/schema/alerts.ts'
import { anchors } from '../../db/schema/log.ts'
import { instances } from '../../db/schema/server.ts'

/** The block that anchored the log at a size. */
export type AnchorMark = Pick<typeof anchors.$inferSelect, 'size' | 'blockHash'>

/** Returns log size and block hash of the newest anchors, newest first. */
export async function listAnchorMarks(tx: Queryable, limit: number): Promise<AnchorMark[]> {
  return tx
    .select({ size: anchors.size, blockHash: anchors.blockHash })
    .from(anchors)
    .orderBy(desc(anchors.size))
    .limit(limit)
}

export interface NewestRows {
  /** The last seq, or 0 before the first delivery. */
  seq: number
  anchor: AnchorMark | null
}

export const newestRows = sql<NewestRows>`(select json_build_object(
  'seq', (select coalesce(max(seq), 0) from ${deliveries}),
  'anchor', (select json_build_object('size', size, 'blockHash', block_hash) from ${anchors} order by size desc limit 1)))`

export async function saveInstance(tx: Queryable, row: typeof instances.$inferInsert): Promise<void> {
  await tx.insert(instances).values(row).onConflictDoUpdate({ target: instances.id, set: row })
}

export async function countListeningElsewhere(tx: Queryable, ownId: string, aliveSince: Date): Promise<number> {
  const [row] = await tx
    .select({ count: sql<number>`coalesce(sum(${instances.listening}), 0)`.mapWith(Number) })
    .from(instances)
    .where(and(ne(instances.id, ownId), gt(instances.seenAt, aliveSince)))
  return row?.count ?? 0
}

/** Deletes this instance's row, and the rows of instances that stopped reporting. */
export async function deleteInstances(tx: Queryable, ownId: string, aliveSince: Date): Promise<void> {
  await tx.delete(instances).where(or(eq(instances.id, ownId), lte(instances.seenAt, aliveSince)))
}

export type ReachRow = typeof streamReach.$inferInsert

/**
 * Adds the accounts that a critical alert was written to, and deletes rows from before `keptSince`.
 */
export async function insertStreamReach(tx: Queryable, rows: readonly ReachRow[], keptSince: Date): Promise<void> {
  const json = JSON.stringify(rows.map((row) => ({ ...row, at: row.at.toISOString() })))
  // The join leaves out accounts that were deleted in the meantime.
  await tx.execute(sql`
    insert into ${streamReach} (log_index, account_id, at, took_ms)
    select r."logIndex", r."accountId", r.at, r."tookMs"
    from json_to_recordset(${json}::json) as r ("logIndex" bigint, "accountId" uuid, at timestamptz, "tookMs" int)
    join accounts a on a.id = r."accountId"
    on conflict do nothing`)
  await tx.delete(streamReach).where(lt(streamReach.at, keptSince))
}

/** Returns the critical alerts that were written to sockets of an account, for its data export. */
export async function listStreamReachOf(tx: Queryable, accountId: string) {
  return tx
    .select({ alertId: alerts.id, at: streamReach.at })
    .from(streamReach)
    .innerJoin(alerts, eq(alerts.logIndex, streamReach.logIndex))
    .where(eq(streamReach.accountId, accountId))
    .orderBy(streamReach.logIndex)
}
