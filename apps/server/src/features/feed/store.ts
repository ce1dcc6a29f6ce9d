import { type EngineStatus, engineStatus, type Signal } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { and, desc, eq, gt, inArray, isNotNull, lt, lte, sql } from 'drizzle-orm'
import type { Database, Queryable, Tx } from '../../db/database.ts'
import { alerts } from '../../db/schema/alerts.ts'
import { feedGaps, feedSignals, refusedSignals } from '../../db/schema/feed.ts'
import { settings } from '../../db/schema/server.ts'
import { findSetting, saveSetting } from '../../db/setting.ts'
import { type LastCounted, selectLastCounted } from '../alerts/store.ts'
import { type AlertInCoolDown, type Decision, formatCoolDownKey, MAX_BROADCAST_AGE_MS } from './cool-down.ts'

const isFeedAlert = sql`${alerts.signalId} is not null`
/** Origins as SQL literals, because the planner matches a partial index only with literals. */
const literalOrigin = { feed: sql`'feed'`, demo: sql`'demo'` }
const STATE_SETTING = 'feed.state'
const ENGINE_STATUS_SETTING = 'feed.engine'
const REFUSED_SETTING = 'feed.refused'
const MERGED_SETTING = 'feed.merged'
/** Maximum number of refused messages, of all types, that are kept for inspection. */
const MAX_REFUSED_MESSAGES = 1_000

export async function saveState(tx: Queryable, report: object, now: Date): Promise<void> {
  await saveSetting(tx, STATE_SETTING, report, now)
}

export async function findState(tx: Queryable): Promise<{ report: unknown; at: Date } | null> {
  const foundSetting = await findSetting(tx, STATE_SETTING)
  return foundSetting && { report: foundSetting.value, at: foundSetting.updatedAt }
}

const GAP_RETENTION_MS = 30 * DAY_MS

/** Saves a gap that is over. Deletes gaps that are more than 30 days old. */
export async function insertGap(
  tx: Queryable,
  source: (typeof feedGaps.$inferInsert)['source'],
  fromAt: Date,
  toAt: Date,
): Promise<void> {
  await tx.insert(feedGaps).values({ source, fromAt, toAt })
  await tx.delete(feedGaps).where(lt(feedGaps.toAt, new Date(toAt.getTime() - GAP_RETENTION_MS)))
}

/** Returns the gaps that ended after `since`, oldest first. */
export async function listGaps(tx: Queryable, since: Date) {
  return tx.select().from(feedGaps).where(gt(feedGaps.toAt, since)).orderBy(feedGaps.fromAt)
}

/** Saves the status in a single row, which the newest status replaces. */
export async function saveEngineStatus(tx: Queryable, status: EngineStatus, now: Date): Promise<void> {
  await saveSetting(tx, ENGINE_STATUS_SETTING, status, now)
}

/** Returns null if no status is stored, or if an earlier version has stored it in another form. */
export async function findEngineStatus(tx: Queryable): Promise<{ status: EngineStatus; receivedAt: Date } | null> {
  const foundSetting = await findSetting(tx, ENGINE_STATUS_SETTING)
  const { data } = engineStatus.safeParse(foundSetting?.value)
  return foundSetting && data ? { status: data, receivedAt: foundSetting.updatedAt } : null
}

export async function deleteEngineStatus(tx: Queryable): Promise<void> {
  await tx.delete(settings).where(eq(settings.name, ENGINE_STATUS_SETTING))
}

// Processed signals

/**
 * Returns which of these ids were processed before. An id may also be the hash of a message whose
 * alert was adopted from a mirror without the signal's id.
 */
export async function listProcessedIds(tx: Queryable, ids: string[]): Promise<Set<string>> {
  const [signals, alertSignals] = await Promise.all([
    tx.select({ id: feedSignals.signalId }).from(feedSignals).where(inArray(feedSignals.signalId, ids)),
    tx.select({ id: alerts.signalId }).from(alerts).where(inArray(alerts.signalId, ids)),
  ])
  return new Set([...signals, ...alertSignals].flatMap(({ id }) => (id === null ? [] : [id])))
}

/** Returns the ids whose signals were merged into an earlier alert. */
export async function listMergedSignalIds(tx: Queryable, ids: string[]): Promise<Set<string>> {
  const { signalId, mergedInto } = feedSignals
  const rows = await tx
    .select({ id: signalId })
    .from(feedSignals)
    .where(and(inArray(signalId, ids), isNotNull(mergedInto)))
  return new Set(rows.map(({ id }) => id))
}

/** Selects the newest entry that corrects or retracts an alert, or one of its corrections. */
const selectNewestChange = sql`(
  with recursive changes as (
    select first.log_index, first.kind, first.priority from alerts first where first.target_index = ${alerts.logIndex}
    union all
    select next.log_index, next.kind, next.priority
    from changes join alerts next on next.target_index = changes.log_index
  )
  select kind, priority from changes order by log_index desc limit 1) change`

/**
 * Returns the newest broadcast alert since the given time, by asset and anomaly. Leaves out
 * retracted alerts. The priority is that of the newest correction.
 */
export async function listRunningAlerts(
  tx: Queryable,
  signals: readonly Pick<Signal, 'asset' | 'anomalyType'>[],
  origin: 'feed' | 'demo',
  since: Date,
): Promise<Map<string, AlertInCoolDown>> {
  const assets = [...new Set(signals.map(({ asset }) => asset))]
  const rows = await tx
    .selectDistinctOn([alerts.asset, alerts.anomalyType], {
      asset: alerts.asset,
      anomalyType: alerts.anomalyType,
      signalId: alerts.signalId,
      priority: sql<Signal['priority']>`coalesce(change.priority, ${alerts.priority})`,
    })
    .from(alerts)
    .leftJoinLateral(selectNewestChange, sql`true`)
    .where(
      and(
        eq(alerts.origin, literalOrigin[origin]),
        inArray(alerts.asset, assets),
        gt(alerts.createdAt, since),
        isNotNull(alerts.broadcastAt),
        isNotNull(alerts.signalId),
        sql`change.kind is distinct from 'retraction'`,
      ),
    )
    .orderBy(alerts.asset, alerts.anomalyType, desc(alerts.createdAt), desc(alerts.logIndex))
  return new Map(
    rows.flatMap(({ signalId, priority, ...key }) =>
      signalId === null ? [] : [[formatCoolDownKey(key), { signalId, priority }] as const],
    ),
  )
}

/**
 * Stores processed signals and increments the counts of the alerts that they were merged into.
 * Idempotent.
 */
export async function insertSignals(
  db: Database,
  decidedSignals: readonly { signal: Signal; decision: Decision }[],
  receivedAt: Date,
): Promise<void> {
  const values = decidedSignals.map(({ signal: { id, observedAt }, decision }) => ({
    signalId: id,
    observedAt: new Date(observedAt),
    receivedAt,
    isLate: decision.kind === 'alert' && decision.isLate,
    mergedInto: decision.kind === 'merge' ? decision.targetSignalId : null,
  }))
  await db.transaction(async (tx) => {
    const insertedRows = await tx
      .insert(feedSignals)
      .values(values)
      .onConflictDoNothing()
      .returning({ mergedInto: feedSignals.mergedInto })
    const counts = new Map<string, number>()
    for (const { mergedInto } of insertedRows) if (mergedInto) counts.set(mergedInto, (counts.get(mergedInto) ?? 0) + 1)
    for (const [signalId, count] of counts) {
      await tx
        .update(feedSignals)
        .set({ repeats: sql`${feedSignals.repeats} + ${count}`, lastRepeatAt: receivedAt })
        .where(eq(feedSignals.signalId, signalId))
    }
    const mergedCount = [...counts.values()].reduce((sum, count) => sum + count, 0)
    if (mergedCount > 0) await addToCount(tx, MERGED_SETTING, mergedCount, receivedAt)
  })
}

/**
 * Stores signals that already have an alert but are not stored, because the server was killed after
 * it had issued the alert.
 */
export async function restoreSignals(
  tx: Queryable,
  repeatedSignals: readonly { id: string; hash: string; observedAt: string }[],
): Promise<void> {
  if (repeatedSignals.length === 0) return
  const ids = sql.param(repeatedSignals.map(({ id }) => id))
  const hashes = sql.param(repeatedSignals.map(({ hash }) => hash))
  const times = sql.param(repeatedSignals.map(({ observedAt }) => observedAt))
  await tx.execute(sql`
    insert into feed_signals (signal_id, observed_at, received_at, is_late)
    select given.id, given.observed_at, alerts.created_at, alerts.created_at - given.observed_at > ${MAX_BROADCAST_AGE_MS} * interval '1 millisecond'
    from unnest(${ids}::text[], ${hashes}::text[], ${times}::timestamptz[]) as given (id, hash, observed_at)
    join alerts on alerts.signal_id = given.id and alerts.signal_hash = given.hash
    on conflict do nothing`)
}

/**
 * Deletes merged signals that the feed will not send again: the signals would be rejected as too
 * old, and their outcomes are repeated for at most a week.
 */
export async function deleteMergedBefore(tx: Queryable, time: Date): Promise<void> {
  await tx.delete(feedSignals).where(and(isNotNull(feedSignals.mergedInto), lt(feedSignals.receivedAt, time)))
}

// Refused messages

export interface RefusedMessage {
  raw: string
  reason: string
}

/**
 * Stores refused messages of all types and counts the signals among them, in one transaction.
 * @param signalCount number of the messages that are signals
 */
export async function insertRefused(
  db: Database,
  refusedMessages: readonly RefusedMessage[],
  signalCount: number,
  at: Date,
): Promise<void> {
  await db.transaction(async (tx) => {
    if (signalCount > 0) await addToCount(tx, REFUSED_SETTING, signalCount, at)
    const keptMessages = refusedMessages.slice(-MAX_REFUSED_MESSAGES)
    const rows = await tx
      .insert(refusedSignals)
      .values(keptMessages.map((one) => ({ ...one, at })))
      .returning({ id: refusedSignals.id })
    const newestId = Math.max(...rows.map(({ id }) => id))
    await tx.delete(refusedSignals).where(lte(refusedSignals.id, newestId - MAX_REFUSED_MESSAGES))
  })
}

/** Returns a page of refused messages, newest first. */
export async function listRefused(tx: Queryable, page: { beforeId?: number | undefined; limit: number }) {
  return tx
    .select()
    .from(refusedSignals)
    .where(page.beforeId === undefined ? undefined : lt(refusedSignals.id, page.beforeId))
    .orderBy(desc(refusedSignals.id))
    .limit(page.limit)
}

async function addToCount(tx: Tx, name: string, count: number, at: Date): Promise<void> {
  await tx
    .insert(settings)
    .values({ name, value: count, updatedAt: at })
    .onConflictDoUpdate({
      target: settings.name,
      set: { value: sql`to_jsonb((${settings.value})::bigint + ${count})`, updatedAt: at },
    })
}

/**
 * Number of signals that became alerts, up to the last counted alert, and the time of the newest of
 * them.
 */
export interface AcceptedSignals extends LastCounted {
  accepted: number
  lastAt: Date | null
}

/** Counts the signals that became alerts above the last counted alert. */
export async function countAcceptedAbove(
  tx: Queryable,
  lastCounted: LastCounted,
): Promise<AcceptedSignals & { isLost: boolean }> {
  const [row] = await tx
    .select({
      ...selectLastCounted(lastCounted),
      accepted: sql<number>`count(*) filter (where ${isFeedAlert})`.mapWith(Number),
      lastAt: sql<Date | null>`max(${alerts.createdAt}) filter (where ${isFeedAlert})`.mapWith(alerts.createdAt),
    })
    .from(alerts)
    .where(gt(alerts.logIndex, lastCounted.lastIndex))
  if (!row) throw new Error('The count of signals returned no row')
  return row
}

/** Counts refused and merged signals. Refused messages of other types do not count. */
export async function readOtherCounts(tx: Queryable) {
  const [refused, merged] = await Promise.all([findSetting(tx, REFUSED_SETTING), findSetting(tx, MERGED_SETTING)])
  return { refused: toCount(refused), merged: toCount(merged) }
}

function toCount(foundSetting: { value: unknown; updatedAt: Date } | null) {
  return { count: Number(foundSetting?.value ?? 0), lastAt: foundSetting?.updatedAt ?? null }
}
