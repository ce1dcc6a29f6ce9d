import type { SystemStatus } from '@tocsin/protocol'
import { and, eq, isNotNull, lte, max, sql } from 'drizzle-orm'
import type { Database, Queryable } from '../../db/database.ts'
import { alerts, refusedSignals, settings } from '../../db/schema.ts'
import { findSetting, saveSetting } from '../../db/setting.ts'

export type FeedState = SystemStatus['feed']['state']

const STATE = 'feed.state'
const REFUSED = 'feed.refused'
/** How many refused signals are kept to be looked at; all are counted. */
const KEPT_REFUSED = 1_000

export async function saveState(tx: Queryable, state: FeedState, now: Date): Promise<void> {
  await saveSetting(tx, STATE, state, now)
}

export async function findState(tx: Queryable): Promise<{ state: unknown; at: Date } | null> {
  const found = await findSetting(tx, STATE)
  return found && { state: found.value, at: found.updatedAt }
}

/** Keeps it and counts it, together. */
export async function insertRefused(db: Database, raw: string, reason: string, at: Date): Promise<void> {
  await db.transaction(async (tx) => {
    await tx
      .insert(settings)
      .values({ name: REFUSED, value: 1, updatedAt: at })
      .onConflictDoUpdate({
        target: settings.name,
        set: { value: sql`to_jsonb((${settings.value})::bigint + 1)`, updatedAt: at },
      })
    const [row] = await tx.insert(refusedSignals).values({ at, raw, reason }).returning({ id: refusedSignals.id })
    if (row) await tx.delete(refusedSignals).where(lte(refusedSignals.id, row.id - KEPT_REFUSED))
  })
}

export async function readCounts(tx: Queryable) {
  const isSignal = and(eq(alerts.origin, 'feed'), isNotNull(alerts.signalId))
  const [accepted] = await tx
    .select({ count: sql<number>`count(*)`.mapWith(Number), lastAt: max(alerts.createdAt) })
    .from(alerts)
    .where(isSignal)
  const refused = await findSetting(tx, REFUSED)
  return {
    accepted: accepted?.count ?? 0,
    acceptedAt: accepted?.lastAt ?? null,
    refused: Number(refused?.value ?? 0),
    refusedAt: refused?.updatedAt ?? null,
  }
}
