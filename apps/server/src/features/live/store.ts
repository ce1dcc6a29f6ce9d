import { and, desc, gt, inArray } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { anchors, sessions } from '../../db/schema.ts'

/** Which block anchored the log at a size. */
export type AnchorMark = Pick<typeof anchors.$inferSelect, 'size' | 'blockHash'>

/** Newest first. */
export async function listAnchorMarks(tx: Queryable, limit: number): Promise<AnchorMark[]> {
  return tx
    .select({ size: anchors.size, blockHash: anchors.blockHash })
    .from(anchors)
    .orderBy(desc(anchors.size))
    .limit(limit)
}

/** Which of these sessions still exist. Asking does not count as using them. */
export async function listOpenSessions(tx: Queryable, ids: string[], now: Date): Promise<Set<string>> {
  const rows = await tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(inArray(sessions.id, ids), gt(sessions.expiresAt, now)))
  return new Set(rows.map((row) => row.id))
}
