import { type Priority, priorities } from '@tocsin/protocol'
import { and, asc, count, desc, gt, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { alerts } from '../../db/schema/alerts.ts'
import { createVisibleCondition, type ReadAccess } from '../access/readable.ts'

/**
 * Matches all entries that are visible to the reader, including locked rows. Leaving out
 * corrections and retractions would reveal the kind of a fresh entry.
 */
function isIssuedSince(access: ReadAccess, since: Date): SQL | undefined {
  return and(gt(alerts.createdAt, since), createVisibleCondition(access))
}

/** Returns the highest priority of each three-minute bucket, oldest first. */
export async function listHighestPriorities(tx: Queryable, access: ReadAccess, since: Date) {
  const bucket = sql`date_bin('3 minutes', ${alerts.createdAt}, 'epoch')`
  const rank = sql`array_position(${`{${priorities.join()}}`}::text[], ${alerts.priority})`
  return tx
    .selectDistinctOn([bucket], { createdAt: alerts.createdAt, priority: alerts.priority })
    .from(alerts)
    .where(isIssuedSince(access, since))
    .orderBy(bucket, desc(rank), asc(alerts.createdAt))
}

export async function countPriorities(
  tx: Queryable,
  access: ReadAccess,
  since: Date,
): Promise<Record<Priority, number>> {
  const rows = await tx
    .select({ priority: alerts.priority, found: count() })
    .from(alerts)
    .where(isIssuedSince(access, since))
    .groupBy(alerts.priority)
  const zeroCounts = { low: 0, medium: 0, high: 0, critical: 0 }
  return { ...zeroCounts, ...Object.fromEntries(rows.map(({ priority, found }) => [priority, found])) }
}
