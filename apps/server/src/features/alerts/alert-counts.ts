import type { Priority } from '@tocsin/protocol'
import { count, gt, max } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import { alerts } from '../../db/schema/alerts.ts'

interface AlertCount {
  lastIndex: number
  byPriority: ReadonlyMap<Priority, number>
}

const zeroCount: AlertCount = { lastIndex: -1, byPriority: new Map() }
const countsByDatabase = new WeakMap<Database, Promise<AlertCount>>()

/**
 * Counts all alerts by priority. Alerts are never deleted and become visible in log order, so each
 * call adds the alerts above the last counted index. Calls run one after the other.
 */
export async function countByPriority(db: Database): Promise<ReadonlyMap<Priority, number>> {
  const previousCount = countsByDatabase.get(db) ?? Promise.resolve(zeroCount)
  const nextCount = previousCount.catch(() => zeroCount).then((countedAlerts) => addNewAlerts(db, countedAlerts))
  countsByDatabase.set(db, nextCount)
  return (await nextCount).byPriority
}

async function addNewAlerts(db: Database, { lastIndex, byPriority }: AlertCount): Promise<AlertCount> {
  const { priority, logIndex } = alerts
  const rows = await db
    .select({ priority, count: count(), last: max(logIndex) })
    .from(alerts)
    .where(gt(logIndex, lastIndex))
    .groupBy(priority)
  const sums = new Map(byPriority)
  for (const row of rows) sums.set(row.priority, (sums.get(row.priority) ?? 0) + row.count)
  return { lastIndex: Math.max(lastIndex, ...rows.map(({ last }) => last ?? -1)), byPriority: sums }
}
