import type { AlertStatement, Hex } from '@tocsin/proof'
import {
  and,
  asc,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  min,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { accounts, alertReads, alerts, anchors, deliveries, logEntries, logHead } from '../../db/schema.ts'
import { proveInclusions } from '../../inclusion-proofs.ts'

/** An alert with its entry, its path, and the first anchor that covers it; path and anchor are empty until there is one. */
export type StoredAlert = Awaited<ReturnType<typeof selectAlerts>>[number] & { merklePath: Hex[] }

function selectAlerts(tx: Queryable, where: SQL | undefined, limit: number) {
  const cover = tx
    .select()
    .from(anchors)
    .where(gt(anchors.size, alerts.logIndex))
    .orderBy(asc(anchors.size))
    .limit(1)
    .as('cover')
  return tx
    .select({
      id: alerts.id,
      logIndex: alerts.logIndex,
      priority: alerts.priority,
      createdAt: alerts.createdAt,
      broadcastAt: alerts.broadcastAt,
      bytes: logEntries.bytes,
      signature: logEntries.signature,
      leafHash: logEntries.leafHash,
      anchor: { size: cover.size, root: cover.root, txHash: cover.txHash, blockAt: cover.blockAt },
    })
    .from(alerts)
    .innerJoin(logEntries, eq(logEntries.index, alerts.logIndex))
    .leftJoinLateral(cover, sql`true`)
    .where(where)
    .orderBy(desc(alerts.logIndex))
    .limit(limit)
}

/** Newest first. */
async function listAlerts(tx: Queryable, where: SQL | undefined, limit: number): Promise<StoredAlert[]> {
  const rows = await selectAlerts(tx, where, limit)
  const claims = rows.flatMap(({ logIndex, anchor }) => (anchor ? [{ index: logIndex, size: anchor.size }] : []))
  const paths = (await proveInclusions(tx, claims)).values()
  return rows.map((row) => ({ ...row, merklePath: row.anchor ? (paths.next().value ?? []) : [] }))
}

export async function findAlert(tx: Queryable, id: string): Promise<StoredAlert | null> {
  const [row] = await listAlerts(tx, eq(alerts.id, id), 1)
  return row ?? null
}

export async function findAlertOfSignal(tx: Queryable, signalId: string): Promise<StoredAlert | null> {
  const [row] = await listAlerts(tx, eq(alerts.signalId, signalId), 1)
  return row ?? null
}

export function listAllAlerts(tx: Queryable, limit: number): Promise<StoredAlert[]> {
  return listAlerts(tx, undefined, limit)
}

/** What was sent out, or is for everybody by now. */
export function listShownAlerts(tx: Queryable, publicAt: Date, limit: number): Promise<StoredAlert[]> {
  return listAlerts(tx, or(isNotNull(alerts.broadcastAt), lte(alerts.createdAt, publicAt)), limit)
}

export function listPublicAlerts(tx: Queryable, publicAt: Date, limit: number): Promise<StoredAlert[]> {
  return listAlerts(tx, lte(alerts.createdAt, publicAt), limit)
}

export function listBroadcastBetween(tx: Queryable, fromIndex: number, toIndex: number): Promise<StoredAlert[]> {
  const isBetween = and(gte(alerts.logIndex, fromIndex), lt(alerts.logIndex, toIndex))
  return listAlerts(tx, and(isBetween, isNotNull(alerts.broadcastAt)), Math.max(0, toIndex - fromIndex))
}

export async function insertAlert(
  tx: Tx,
  statement: AlertStatement,
  rest: { signalId: string | null; broadcastAt: Date | null },
): Promise<void> {
  const { index, createdAt, ...columns } = statement
  await tx.insert(alerts).values({ ...columns, ...rest, logIndex: index, createdAt: new Date(createdAt) })
}

/** Whoever says the same signal id waits here until the first is done. */
export async function lockSignal(tx: Tx, signalId: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${signalId}, 0))`)
}

/** Deliveries are numbered under the lock that appends take too, so that their numbers rise in the order of commits. */
export async function lockDeliveries(tx: Tx): Promise<void> {
  await tx.select({ size: logHead.size }).from(logHead).for('update')
}

export async function insertDelivery(tx: Tx, logIndex: number, at: Date): Promise<void> {
  await tx.insert(deliveries).values({ logIndex, at })
}

export async function setFirstBroadcast(tx: Tx, id: string, at: Date): Promise<void> {
  await tx
    .update(alerts)
    .set({ broadcastAt: at })
    .where(and(eq(alerts.id, id), isNull(alerts.broadcastAt)))
}

/** In the order of sending. */
export async function listDeliveries(tx: Queryable, afterSeq: number, limit: number) {
  const rows = await tx
    .select({ seq: deliveries.seq, logIndex: deliveries.logIndex })
    .from(deliveries)
    .where(gt(deliveries.seq, afterSeq))
    .orderBy(asc(deliveries.seq))
    .limit(limit)
  const indexes = [...new Set(rows.map(({ logIndex }) => logIndex))]
  const found = await listAlerts(tx, inArray(alerts.logIndex, indexes), indexes.length)
  const byIndex = new Map(found.map((alert) => [alert.logIndex, alert]))
  return rows.flatMap(({ seq, logIndex }) => {
    const alert = byIndex.get(logIndex)
    return alert ? [{ seq, alert }] : []
  })
}

export async function findLastSeq(tx: Queryable): Promise<number | null> {
  const [row] = await tx.select({ seq: max(deliveries.seq) }).from(deliveries)
  return row?.seq ?? null
}

export async function findFirstSeq(
  tx: Queryable,
  which: { index: number } | { above: number },
): Promise<number | null> {
  const [row] = await tx
    .select({ seq: min(deliveries.seq) })
    .from(deliveries)
    .where('index' in which ? eq(deliveries.logIndex, which.index) : gt(deliveries.logIndex, which.above))
  return row?.seq ?? null
}

/** Of these alerts, the ones that the account has read; those from before it existed count as read. */
export async function listRead(tx: Queryable, accountId: string, ids: string[]): Promise<Set<string>> {
  const joinedAt = tx.select({ at: accounts.createdAt }).from(accounts).where(eq(accounts.id, accountId))
  const rows = await tx
    .select({ id: alerts.id })
    .from(alerts)
    .leftJoin(alertReads, and(eq(alertReads.alertId, alerts.id), eq(alertReads.accountId, accountId)))
    .where(and(inArray(alerts.id, ids), or(isNotNull(alertReads.readAt), lt(alerts.createdAt, sql`(${joinedAt})`))))
  return new Set(rows.map(({ id }) => id))
}

/** Ids of no alert are passed over. */
export async function insertReads(tx: Queryable, accountId: string, ids: string[], at: Date): Promise<void> {
  const existing = await tx.select({ alertId: alerts.id }).from(alerts).where(inArray(alerts.id, ids))
  if (existing.length === 0) return
  await tx
    .insert(alertReads)
    .values(existing.map(({ alertId }) => ({ accountId, alertId, readAt: at })))
    .onConflictDoNothing()
}

/** `confidence` is summed as decimals: stored as 4-byte floats, their binary sum would show. */
export async function readCounts(tx: Queryable, since: Date) {
  const isRecent = gte(alerts.createdAt, since)
  const isCritical = eq(alerts.priority, 'critical')
  const [row] = await tx
    .select({
      total: sql<number>`count(*)`.mapWith(Number),
      critical: sql<number>`count(*) filter (where ${isCritical})`.mapWith(Number),
      last24Hours: sql<number>`count(*) filter (where ${isRecent})`.mapWith(Number),
      criticalLast24Hours: sql<number>`count(*) filter (where ${isCritical} and ${isRecent})`.mapWith(Number),
      averageConfidence: sql<number | null>`avg(${alerts.confidence}::numeric)::float8`,
    })
    .from(alerts)
  if (!row) throw new Error('Counting alerts gave no row')
  return row
}

/** From being logged to the anchoring block's time, of what was logged since then and is anchored. Milliseconds. */
export async function readMedianToAnchor(tx: Queryable, since: Date): Promise<number | null> {
  const { rows } = await tx.execute<{ median: number | null }>(sql`
    select percentile_cont(0.5) within group (
      order by greatest(0, extract(epoch from cover.block_at - e.appended_at)::float8 * 1000)
    ) as median
    from ${logEntries} e
    cross join lateral (select block_at from ${anchors} a where a.size > e.index order by a.size limit 1) cover
    where e.appended_at >= ${since.toISOString()}::timestamptz`)
  return rows[0]?.median ?? null
}
