import { and, gt, inArray, max } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { anchors, sessions } from '../../db/schema.ts'

/** Tree size of the newest anchored head, 0 before the first. */
export async function findAnchoredSize(tx: Queryable): Promise<number> {
  const [row] = await tx.select({ size: max(anchors.size) }).from(anchors)
  return row?.size ?? 0
}

/** Which of these sessions still exist. Asking does not count as using them. */
export async function listOpenSessions(tx: Queryable, idHashes: string[], now: Date): Promise<Set<string>> {
  const rows = await tx
    .select({ idHash: sessions.idHash })
    .from(sessions)
    .where(and(inArray(sessions.idHash, idHashes), gt(sessions.expiresAt, now)))
  return new Set(rows.map((row) => row.idHash))
}
