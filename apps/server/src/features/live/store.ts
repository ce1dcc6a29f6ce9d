import { and, desc, eq, gt, lte, ne, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
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
