import type { SystemStatus } from '@tocsin/protocol'
import { and, eq, isNotNull, lte, max, sql } from 'drizzle-orm'
import type { Database, Queryable } from '../../db/database.ts'
import { alerts, refusedSignals, settings } from '../../db/schema.ts'

export type FeedState = SystemStatus['feed']['state']

const STATE = 'feed.state'
const REFUSED = 'feed.refused'
/** How many refused signals are kept to be looked at; all are counted. */
const KEPT_REFUSED = 1_000

export async function findSetting(tx: Queryable, name: string): Promise<unknown> {
  const [row] = await tx.select({ value: settings.value }).from(settings).where(eq(settings.name, name))
  return row?.value ?? null
}

export async function saveState(tx: Queryable, state: FeedState, now: Date): Promise<void> {
  await tx
    .insert(settings)
    .values({ name: STATE, value: state, updatedAt: now })
    .onConflictDoUpdate({ target: settings.name, set: { value: state, updatedAt: now } })
}

export async function findState(tx: Queryable): Promise<{ state: unknown; at: Date } | null> {
  const [row] = await tx.select().from(settings).where(eq(settings.name, STATE))
  return row ? { state: row.value, at: row.updatedAt } : null
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
  const [refused] = await tx.select().from(settings).where(eq(settings.name, REFUSED))
  return {
    accepted: accepted?.count ?? 0,
    acceptedAt: accepted?.lastAt ?? null,
    refused: Number(refused?.value ?? 0),
    refusedAt: refused?.updatedAt ?? null,
  }
}
