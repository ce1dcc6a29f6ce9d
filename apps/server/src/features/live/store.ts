import { and, desc, eq, gt, inArray, lte, ne, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { sessions } from '../../db/schema/accounts.ts'
import { anchors } from '../../db/schema/log.ts'
import { instances } from '../../db/schema/server.ts'

/** The block that anchored the log at a size. */
export type AnchorMark = Pick<typeof anchors.$inferSelect, 'size' | 'blockHash'>

/** Newest first. */
export async function listAnchorMarks(tx: Queryable, limit: number): Promise<AnchorMark[]> {
  return tx
    .select({ size: anchors.size, blockHash: anchors.blockHash })
    .from(anchors)
    .orderBy(desc(anchors.size))
    .limit(limit)
}

/**
 * Returns the subset of these sessions that still exist. Does not count as activity of a session.
 */
export async function listOpenSessions(tx: Queryable, ids: string[], now: Date): Promise<Set<string>> {
  const rows = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(inArray(sessions.id, ids), gt(sessions.expiresAt, now)))
  return new Set(rows.map((row) => row.id))
}

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

/** Deletes this instance's row, and those of instances that stopped reporting. */
export async function deleteInstances(tx: Queryable, ownId: string, aliveSince: Date): Promise<void> {
  await tx.delete(instances).where(or(eq(instances.id, ownId), lte(instances.seenAt, aliveSince)))
}
