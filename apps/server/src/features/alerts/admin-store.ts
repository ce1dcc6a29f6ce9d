import { maxCounted, type Priority, rolesWith } from '@tocsin/protocol'
import { and, count, desc, eq, inArray, isNull, lt, max, or, type SQL, sql } from 'drizzle-orm'
import type { Database, Queryable } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { alerts, deliveries } from '../../db/schema/alerts.ts'
import { feedSignals } from '../../db/schema/feed.ts'
import { subscriptions } from '../../db/schema/subscriptions.ts'
import { isRunningAt } from '../subscriptions/store.ts'
import { countByPriority } from './alert-counts.ts'
import { isFound, parseWords } from './search-store.ts'

export interface AlertSelection {
  search?: string | undefined
  priority?: Priority | undefined
}

/** Returns the log indexes of the matching alerts, newest first. */
export async function listAlertIndexes(
  tx: Queryable,
  selection: AlertSelection,
  page: { beforeIndex?: number | undefined; limit: number },
): Promise<number[]> {
  const isBefore = page.beforeIndex === undefined ? undefined : lt(alerts.logIndex, page.beforeIndex)
  const rows = await tx
    .select({ logIndex: alerts.logIndex })
    .from(alerts)
    .where(and(await createCondition(tx, selection), isBefore))
    .orderBy(desc(alerts.logIndex))
    .limit(page.limit)
  return rows.map(({ logIndex }) => logIndex)
}

/**
 * Counts the matching alerts. A search counts up to a limit, because common words match every
 * alert.
 */
export async function countAlerts(db: Database, selection: AlertSelection): Promise<number> {
  const { search, priority } = selection
  if (!search) {
    const counts = await countByPriority(db)
    return priority ? (counts.get(priority) ?? 0) : [...counts.values()].reduce((sum, one) => sum + one, 0)
  }
  const matchingAlerts = db
    .select({ one: sql`1` })
    .from(alerts)
    .where(await createCondition(db, selection))
    .limit(maxCounted)
    .as('found')
  return db.$count(matchingAlerts)
}

async function createCondition(tx: Queryable, { search, priority }: AlertSelection): Promise<SQL | undefined> {
  return and(
    priority ? eq(alerts.priority, priority) : undefined,
    search ? isFound(search, await parseWords(tx, search)) : undefined,
  )
}

/** Returns the source signals of these alerts, by log index. */
export async function listSignalsOf(tx: Queryable, indexes: number[]) {
  const rows = await tx
    .select({ logIndex: alerts.logIndex, signal: feedSignals })
    .from(alerts)
    .innerJoin(feedSignals, eq(feedSignals.signalId, alerts.signalId))
    .where(inArray(alerts.logIndex, indexes))
  return new Map(rows.map(({ logIndex, signal }) => [logIndex, signal]))
}

/**
 * Returns how often and when last these alerts were broadcast, by log index. Alerts that were never
 * broadcast are left out.
 */
export async function listBroadcastsOf(tx: Queryable, indexes: number[]) {
  const { logIndex, at } = deliveries
  const rows = await tx
    .select({ logIndex, count: count(), lastAt: max(at) })
    .from(deliveries)
    .where(inArray(logIndex, indexes))
    .groupBy(logIndex)
  return new Map(rows.map((row) => [row.logIndex, row]))
}

/** Counts the accounts that may read a fresh alert: subscribers and staff who are not suspended. */
export function countEntitled(tx: Queryable, now: Date): Promise<number> {
  const running = tx.select({ id: subscriptions.accountId }).from(subscriptions).where(isRunningAt(now))
  return tx.$count(
    accounts,
    and(
      or(inArray(accounts.role, [...rolesWith('alerts.read')]), inArray(accounts.id, running)),
      isNull(accounts.suspendedAt),
    ),
  )
}
