import { type Priority, priorities } from '@tocsin/protocol'
import { eq, gt, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import { alerts } from '../../db/schema/alerts.ts'
import { type LastCounted, selectLastCounted } from './store.ts'

interface AlertCount extends LastCounted {
  byPriority: ReadonlyMap<Priority, number>
}

const zeroCount: AlertCount = { lastIndex: -1, lastId: null, byPriority: new Map() }
const countsByDatabase = new WeakMap<Database, Promise<AlertCount>>()

/**
 * Counts all alerts by priority. Alerts are never deleted and become visible in log order, so each
 * call adds the alerts above the last counted index. If a failover has lost the last counted alert,
 * all are counted again. Calls run one after the other.
 */
export async function countByPriority(db: Database): Promise<ReadonlyMap<Priority, number>> {
  const previousCount = countsByDatabase.get(db) ?? Promise.resolve(zeroCount)
  const nextCount = previousCount.catch(() => zeroCount).then((countedAlerts) => addNewAlerts(db, countedAlerts))
  countsByDatabase.set(db, nextCount)
  return (await nextCount).byPriority
}

async function addNewAlerts(db: Database, countedAlerts: AlertCount): Promise<AlertCount> {
  const counts = priorities.map((priority) => sql`count(*) filter (where ${eq(alerts.priority, priority)})`)
  const [row] = await db
    .select({
      ...selectLastCounted(countedAlerts),
      counts: sql<number[]>`json_build_array(${sql.join(counts, sql`, `)})`,
    })
    .from(alerts)
    .where(gt(alerts.logIndex, countedAlerts.lastIndex))
  if (!row) throw new Error('The count of alerts returned no row')
  const { lastIndex, lastId, isLost, counts: addedCounts } = row
  if (isLost) return addNewAlerts(db, zeroCount)
  const sums = priorities.map((priority, index): [Priority, number] => [
    priority,
    (countedAlerts.byPriority.get(priority) ?? 0) + (addedCounts[index] ?? 0),
  ])
  return { lastIndex, lastId, byPriority: new Map(sums) }
}
