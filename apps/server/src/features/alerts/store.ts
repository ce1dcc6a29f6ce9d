import type { AlertStatement, Hex, OutcomeStatement } from '@tocsin/proof'
import { type Priority, priorities } from '@tocsin/protocol'
import {
  and,
  asc,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  min,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm'
import { alias, type PgColumn } from 'drizzle-orm/pg-core'
import type { Queryable, Tx } from '../../db/database.ts'
import { type Preparable, prepareSelect } from '../../db/prepared.ts'
import {
  alertOutcomes,
  alertPredictions,
  alertReads,
  alertSignals,
  alerts,
  deliveries,
} from '../../db/schema/alerts.ts'
import { anchors, logEntries, logHead } from '../../db/schema/log.ts'
import { proveInclusions } from '../../inclusion-proofs.ts'
import {
  createReadableCondition,
  createVisibleCondition,
  type ReadAccess,
  type Visibility,
} from '../access/readable.ts'
import type { TargetRow } from './issue.ts'

/**
 * An alert with its entry, inclusion path, the first anchor that covers it, and the newest entry
 * that refers to it. Path and anchor are empty until the alert is anchored.
 */
export type StoredAlert = Awaited<ReturnType<typeof selectAlerts>>[number] & { merklePath: Hex[] }

/** The proof fields of an alert that was just logged. */
export const unprovedFields = { anchor: null, supersededBy: null, merklePath: [], outcomes: null }

/** An outcome entry as the database aggregates it. */
export interface OutcomeRow {
  logIndex: number
  verdict: OutcomeStatement['verdict']
  measured: string | null
  createdMs: number
  messageHash: string
}

const laterAlerts = alias(alerts, 'later')

/**
 * Aggregates all outcomes of an alert, by log index. They are public together with the alert's
 * content.
 */
function aggregateOutcomes(tx: Queryable, visibility: Visibility) {
  const { logIndex, verdict, measured, createdAt, messageHash } = alertOutcomes
  const row = sql`json_build_object('logIndex', ${logIndex}, 'verdict', ${verdict}, 'measured', ${measured},
    'createdMs', (extract(epoch from ${createdAt}) * 1000)::bigint, 'messageHash', ${messageHash})`
  return tx
    .select({ list: sql<OutcomeRow[] | null>`json_agg(${row} order by ${logIndex})`.as('list') })
    .from(alertOutcomes)
    .where(isVisibleOutcome(visibility))
    .as('outcomes')
}

function isVisibleOutcome(visibility: Visibility): SQL | undefined {
  const isPublic =
    visibility === 'all' || visibility.subscribed ? undefined : lte(alerts.createdAt, visibility.publicCutoff)
  return and(eq(alertOutcomes.targetIndex, alerts.logIndex), isPublic)
}

/** Selects the first anchor that covers an alert. */
function selectCoveringAnchor(tx: Queryable) {
  return tx
    .select()
    .from(anchors)
    .where(gt(anchors.size, alerts.logIndex))
    .orderBy(asc(anchors.size))
    .limit(1)
    .as('cover')
}

/**
 * Selects the newest readable entry that refers to an alert. A reference from a public alert to a
 * fresh correction would reveal the asset of the correction, so the reference is left out entirely.
 */
function selectNewestReference(tx: Queryable, visibility: Visibility) {
  return tx
    .select({
      logIndex: laterAlerts.logIndex,
      id: laterAlerts.id,
      kind: laterAlerts.kind,
    })
    .from(laterAlerts)
    .where(and(eq(laterAlerts.targetIndex, alerts.logIndex), createReadableCondition(visibility, laterAlerts)))
    .orderBy(desc(laterAlerts.logIndex))
    .limit(1)
    .as('newer')
}

function selectAlerts(tx: Queryable, visibility: Visibility, where: SQL | undefined, limit: number | Placeholder) {
  const coveringAnchor = selectCoveringAnchor(tx)
  const newestReference = selectNewestReference(tx, visibility)
  const outcomesOfAlerts = aggregateOutcomes(tx, visibility)
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
      anchor: {
        size: coveringAnchor.size,
        root: coveringAnchor.root,
        txHash: coveringAnchor.txHash,
        blockAt: coveringAnchor.blockAt,
      },
      supersededBy: { logIndex: newestReference.logIndex, id: newestReference.id, kind: newestReference.kind },
      forecast: alertPredictions.forecast,
      outcomes: outcomesOfAlerts.list,
    })
    .from(alerts)
    .innerJoin(logEntries, eq(logEntries.index, alerts.logIndex))
    .leftJoin(alertPredictions, eq(alertPredictions.logIndex, alerts.logIndex))
    .leftJoinLateral(coveringAnchor, sql`true`)
    .leftJoinLateral(newestReference, sql`true`)
    .leftJoinLateral(outcomesOfAlerts, sql`true`)
    .where(where)
    .orderBy(desc(alerts.logIndex))
    .limit(limit)
}

/** Returns matching alerts, newest first. */
async function listAlerts(
  tx: Queryable,
  visibility: Visibility,
  where: SQL | undefined,
  limit: number,
): Promise<StoredAlert[]> {
  return prove(tx, await selectAlerts(tx, visibility, where, limit))
}

async function prove(tx: Queryable, rows: AlertRow[]): Promise<StoredAlert[]> {
  const claims = rows.flatMap(({ logIndex, anchor }) => (anchor ? [{ index: logIndex, size: anchor.size }] : []))
  const paths = (await proveInclusions(tx, claims)).values()
  return rows.map((row) => ({ ...row, merklePath: row.anchor ? (paths.next().value ?? []) : [] }))
}

type AlertRow = Awaited<ReturnType<typeof selectAlerts>>[number]
interface ListValues extends Record<string, unknown> {
  publicCutoff: string | null
  limit: number
  indexes?: readonly number[]
}

/** Prepares a query for each kind of visibility, because their conditions differ. */
function prepareList<Row>(name: string, build: (tx: Queryable, visibility: Visibility) => Preparable<Row[]>) {
  const prepare = (kind: string, visibility: Visibility) =>
    prepareSelect<Row[], ListValues>(`${name}_${kind}`, (tx) => build(tx, visibility))
  // The cast is safe: Drizzle accepts a placeholder for any value of a condition.
  const publicCutoff = sql.placeholder('publicCutoff') as unknown as Date
  const lists = {
    all: prepare('all', 'all'),
    subscribed: prepare('subscribed', { publicCutoff, subscribed: true }),
    public: prepare('public', { publicCutoff, subscribed: false }),
  }
  return async (tx: Queryable, visibility: Visibility, limit: number, indexes: readonly number[] = []) => {
    const list = lists[visibility === 'all' ? 'all' : visibility.subscribed ? 'subscribed' : 'public']
    const cutoff = visibility === 'all' ? null : visibility.publicCutoff.toISOString()
    return list(tx, { publicCutoff: cutoff, limit, indexes })
  }
}

const listShown = prepareList('list_shown', (tx, visibility) =>
  selectAlerts(
    tx,
    visibility,
    visibility === 'all' ? undefined : createVisibleCondition(visibility),
    sql.placeholder('limit'),
  ),
)
const listAt = prepareList('list_at', (tx, visibility) =>
  selectAlerts(
    tx,
    visibility,
    sql`${alerts.logIndex} = any(${sql.placeholder('indexes')}::bigint[])`,
    sql.placeholder('limit'),
  ),
)

/** An alert in a list: not its content, but every value on which its encoded JSON depends. */
export interface ListedRow {
  id: string
  logIndex: number
  priority: Priority
  createdAt: Date
  /** Tree size of the alert's anchor. Null before the alert is anchored. */
  size: number | null
  txHash: string | null
  blockAt: Date | null
  /** Log index of the newest entry that refers to the alert. */
  newerIndex: number | null
  /** Log index of the alert's last outcome. */
  outcomeIndex: number | null
  /**
   * True if the prediction of the alert is stored. After `log adopt`, this is false until the feed
   * has sent the alert's message again.
   */
  hasPrediction: boolean
}

/** Returns a subquery for the newest alerts that meet the condition. */
export function selectPage(tx: Queryable, where: SQL | undefined, limit: Placeholder) {
  return tx
    .select({ logIndex: alerts.logIndex })
    .from(alerts)
    .where(where)
    .orderBy(desc(alerts.logIndex))
    .limit(limit)
    .as('page')
}

/**
 * Selects the rows of a page, each with the additional columns `more`. An empty page has one row,
 * so that these columns are always read. All other columns of that row are null.
 */
export function selectListed<More extends Record<string, SQL | PgColumn>>(
  tx: Queryable,
  visibility: Visibility,
  page: ReturnType<typeof selectPage>,
  more: More,
) {
  const coveringAnchor = selectCoveringAnchor(tx)
  const newestReference = selectNewestReference(tx, visibility)
  const newestOutcome = tx
    .select({ logIndex: alertOutcomes.logIndex })
    .from(alertOutcomes)
    .where(isVisibleOutcome(visibility))
    .orderBy(desc(alertOutcomes.logIndex))
    .limit(1)
    .as('newest_outcome')
  return tx
    .select({
      id: alerts.id,
      logIndex: alerts.logIndex,
      priority: alerts.priority,
      createdAt: alerts.createdAt,
      size: coveringAnchor.size,
      txHash: coveringAnchor.txHash,
      blockAt: coveringAnchor.blockAt,
      newerIndex: newestReference.logIndex,
      outcomeIndex: newestOutcome.logIndex,
      hasPrediction: isNotNull(alertPredictions.logIndex).mapWith(Boolean),
      ...more,
    })
    .from(sql`(select 1) as once`)
    .leftJoin(page, sql`true`)
    .leftJoin(alerts, eq(alerts.logIndex, page.logIndex))
    .leftJoin(alertPredictions, eq(alertPredictions.logIndex, alerts.logIndex))
    .leftJoinLateral(coveringAnchor, sql`true`)
    .leftJoinLateral(newestReference, sql`true`)
    .leftJoinLateral(newestOutcome, sql`true`)
    .orderBy(desc(alerts.logIndex))
}

export type FoundRow = { [Name in keyof ListedRow]: ListedRow[Name] | null }

/** Returns false for the placeholder row of an empty page. */
export function isListed<Row extends FoundRow>(row: Row): row is Row & ListedRow {
  return row.id !== null
}

const listRows = prepareList<FoundRow>('list_rows', (tx, visibility) =>
  selectListed(
    tx,
    visibility,
    selectPage(tx, visibility === 'all' ? undefined : createVisibleCondition(visibility), sql.placeholder('limit')),
    {},
  ),
)

/** Returns alerts that were broadcast or are public by now, newest first. */
export async function listShownRows(tx: Queryable, access: ReadAccess, limit: number): Promise<ListedRow[]> {
  return (await listRows(tx, access, limit)).filter(isListed)
}

const listRowsOfAll = prepareSelect<(FoundRow & { broadcastAt: Date | null })[], { limit: number }>(
  'list_all_rows',
  (tx) => {
    const page = selectPage(tx, undefined, sql.placeholder('limit'))
    return selectListed(tx, 'all', page, { broadcastAt: alerts.broadcastAt })
  },
)

/** Returns the newest alerts, including alerts that were never broadcast. */
export async function listAllRows(tx: Queryable, limit: number) {
  return (await listRowsOfAll(tx, { limit })).filter(isListed)
}

/** Returns null if there is no such alert, or the reader may not read it. */
export async function findAlert(tx: Queryable, visibility: Visibility, id: string): Promise<StoredAlert | null> {
  const [row] = await listAlerts(tx, visibility, and(eq(alerts.id, id), createReadableCondition(visibility)), 1)
  return row ?? null
}

/**
 * Looks up by log index. Null if the alert is not visible to the reader, not even as a locked row.
 */
export async function findShownAlert(tx: Queryable, access: ReadAccess, index: number): Promise<StoredAlert | null> {
  const [row] = await listAlerts(tx, access, and(eq(alerts.logIndex, index), createVisibleCondition(access)), 1)
  return row ?? null
}

/** Returns the alerts of these signals, by signal id. */
export async function findAlertsOfSignals(tx: Queryable, signalIds: string[]): Promise<Map<string, StoredAlert>> {
  const rows = await tx
    .select({ logIndex: alerts.logIndex, signalId: alerts.signalId })
    .from(alerts)
    .where(inArray(alerts.signalId, signalIds))
  const indexes = rows.map(({ logIndex }) => logIndex)
  const alertsByIndex = await listAlertsAt(tx, 'all', indexes)
  return new Map(
    rows.flatMap(({ signalId, logIndex }) => {
      const alert = alertsByIndex.get(logIndex)
      return signalId !== null && alert ? [[signalId, alert] as const] : []
    }),
  )
}

/** Returns the alerts at these log indexes, by log index. */
export async function listAlertsAt(
  tx: Queryable,
  visibility: Visibility,
  indexes: number[],
): Promise<Map<number, StoredAlert>> {
  if (indexes.length === 0) return new Map()
  const found = await prove(tx, await listAt(tx, visibility, indexes.length, indexes))
  return new Map(found.map((alert) => [alert.logIndex, alert]))
}

/** Returns the targets of corrections and retractions, by id. */
export async function findTargets(tx: Queryable, ids: string[]): Promise<Map<string, TargetRow>> {
  const retraction = tx
    .select({ id: laterAlerts.id })
    .from(laterAlerts)
    .where(and(eq(laterAlerts.targetIndex, alerts.logIndex), eq(laterAlerts.kind, 'retraction')))
  const rows = await tx
    .select({
      id: alerts.id,
      logIndex: alerts.logIndex,
      kind: alerts.kind,
      bytes: logEntries.bytes,
      leafHash: logEntries.leafHash,
      isRetracted: exists(retraction).mapWith(Boolean),
    })
    .from(alerts)
    .innerJoin(logEntries, eq(logEntries.index, alerts.logIndex))
    .where(inArray(alerts.id, ids))
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns alerts that were broadcast or are public by now. */
export async function listShownAlerts(tx: Queryable, access: ReadAccess, limit: number): Promise<StoredAlert[]> {
  return prove(tx, await listShown(tx, access, limit))
}

export function listPublicAlerts(
  tx: Queryable,
  access: ReadAccess,
  limit: number,
  minPriority?: Priority,
): Promise<StoredAlert[]> {
  const minRank = minPriority === undefined ? 0 : priorities.indexOf(minPriority)
  const isHighEnough = minRank > 0 ? inArray(alerts.priority, priorities.slice(minRank)) : undefined
  return listAlerts(tx, access, and(lte(alerts.createdAt, access.publicCutoff), isHighEnough), limit)
}

export function listBroadcastBetween(
  tx: Queryable,
  visibility: Visibility,
  fromIndex: number,
  toIndex: number,
): Promise<StoredAlert[]> {
  const isBetween = and(gte(alerts.logIndex, fromIndex), lt(alerts.logIndex, toIndex))
  return listAlerts(tx, visibility, and(isBetween, isNotNull(alerts.broadcastAt)), Math.max(0, toIndex - fromIndex))
}

export async function insertAlerts(
  tx: Tx,
  rows: readonly { statement: AlertStatement; signalId: string | null; broadcastAt: Date | null }[],
): Promise<void> {
  const values = rows.map(
    ({ statement: { index, createdAt, targetLeafHash: _hash, salt: _salt, ...columns }, ...rest }) => ({
      ...columns,
      ...rest,
      logIndex: index,
      createdAt: new Date(createdAt),
    }),
  )
  await tx.insert(alerts).values(values)
}

export async function insertSignalMessages(tx: Tx, rows: { alertId: string; message: string }[]): Promise<void> {
  await tx.insert(alertSignals).values(rows).onConflictDoNothing()
}

/**
 * Returns the raw feed message of an alert; `message` is null if none is stored. Returns null if
 * the reader may not read the alert.
 */
export async function findSignalMessage(
  tx: Queryable,
  visibility: Visibility,
  id: string,
): Promise<{ message: string | null } | null> {
  const [row] = await tx
    .select({ message: alertSignals.message })
    .from(alerts)
    .leftJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
    .where(and(eq(alerts.id, id), createReadableCondition(visibility)))
  return row ?? null
}

/**
 * Returns the outcome message with this hash, or null if it is not stored.
 * @param readable condition on the alert; undefined matches every alert
 */
export async function findOutcomeMessage(
  tx: Queryable,
  readable: SQL | undefined,
  messageHash: string,
): Promise<string | null> {
  const [row] = await tx
    .select({ message: alertOutcomes.message })
    .from(alertOutcomes)
    .innerJoin(alerts, eq(alerts.logIndex, alertOutcomes.targetIndex))
    .where(and(eq(alertOutcomes.messageHash, messageHash), isNotNull(alertOutcomes.message), readable))
    .limit(1)
  return row?.message ?? null
}

/**
 * Returns the raw feed messages of the given alerts, without alerts that the reader may not read.
 */
export async function listSignalMessages(
  tx: Queryable,
  visibility: Visibility,
  ids: string[],
): Promise<{ id: string; message: string | null }[]> {
  return tx
    .select({ id: alerts.id, message: alertSignals.message })
    .from(alerts)
    .leftJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
    .where(and(inArray(alerts.id, ids), createReadableCondition(visibility)))
}

/** Locks the log head until the transaction ends, so that delivery numbers rise in commit order. */
export async function lockDeliveries(tx: Tx): Promise<void> {
  await tx.select({ size: logHead.size }).from(logHead).for('update')
}

/**
 * Inserts rows in the given order. Callers must hold the lock on the log head.
 * @returns the `seq` of the last row
 */
export async function insertDeliveries(tx: Tx, logIndexes: readonly number[], at: Date): Promise<number> {
  const rows = await tx
    .insert(deliveries)
    .values(logIndexes.map((logIndex) => ({ logIndex, at })))
    .returning({ seq: deliveries.seq })
  return Math.max(...rows.map(({ seq }) => seq))
}

export async function setFirstBroadcast(tx: Tx, id: string, at: Date): Promise<void> {
  await tx
    .update(alerts)
    .set({ broadcastAt: at })
    .where(and(eq(alerts.id, id), isNull(alerts.broadcastAt)))
}

/**
 * Returns deliveries in broadcast order. The delivery of an outcome has the outcome's log index,
 * together with the alert of the outcome.
 */
export function listDeliveries(tx: Queryable, visibility: Visibility, afterSeq: number, limit: number) {
  return addAlerts(tx, visibility, selectDeliveriesAfter(tx, { afterSeq, limit }))
}

export function listDeliveriesAt(tx: Queryable, visibility: Visibility, seqs: number[]) {
  return addAlerts(tx, visibility, selectDeliveriesAt(tx, { seqs }))
}

const selectDeliveriesAfter = prepareSelect<DeliveryRow[], { afterSeq: number; limit: number }>(
  'deliveries_after',
  (tx) =>
    selectDeliveries(tx, sql`${deliveries.seq} > ${sql.placeholder('afterSeq')}::bigint`).limit(
      sql.placeholder('limit'),
    ),
)
const selectDeliveriesAt = prepareSelect<DeliveryRow[], { seqs: number[] }>('deliveries_at', (tx) =>
  selectDeliveries(tx, sql`${deliveries.seq} = any(${sql.placeholder('seqs')}::bigint[])`),
)

type DeliveryRow = typeof deliveries.$inferSelect & { targetIndex: number | null }

function selectDeliveries(tx: Queryable, condition: SQL) {
  const { targetIndex } = alertOutcomes
  return tx
    .select({ seq: deliveries.seq, logIndex: deliveries.logIndex, at: deliveries.at, targetIndex })
    .from(deliveries)
    .leftJoin(alertOutcomes, eq(alertOutcomes.logIndex, deliveries.logIndex))
    .where(condition)
    .orderBy(asc(deliveries.seq))
    .$dynamic()
}

async function addAlerts(tx: Queryable, visibility: Visibility, foundRows: Promise<DeliveryRow[]>) {
  const rows = await foundRows
  const indexes = [...new Set(rows.map((row) => row.targetIndex ?? row.logIndex))]
  const byIndex = await listAlertsAt(tx, visibility, indexes)
  return rows.flatMap(({ seq, logIndex, at, targetIndex: target }) => {
    const alert = byIndex.get(target ?? logIndex)
    return alert ? [{ seq, at, logIndex, isOutcome: target !== null, alert }] : []
  })
}

/** Returns true if the reader may read the alert with this log index in full. */
export async function isReadableAlert(tx: Queryable, visibility: Visibility, logIndex: number): Promise<boolean> {
  return (await tx.$count(alerts, and(eq(alerts.logIndex, logIndex), createReadableCondition(visibility)))) > 0
}

/**
 * Returns the fields that delivery rules check, of broadcast alerts that the reader may read,
 * newest first.
 */
export function listIssuedSince(tx: Queryable, access: ReadAccess, since: Date, limit: number) {
  const { id, logIndex, kind, targetIndex, asset, anomalyType, regime, priority, confidence, broadcastAt } = alerts
  const outcomes = aggregateOutcomes(tx, access)
  return tx
    .select({
      ...{ id, logIndex, kind, targetIndex, asset, anomalyType, regime, priority, confidence, broadcastAt },
      outcomes: outcomes.list,
      isPrediction: isNotNull(alertPredictions.logIndex).mapWith(Boolean),
    })
    .from(alerts)
    .leftJoin(alertPredictions, eq(alertPredictions.logIndex, logIndex))
    .leftJoinLateral(outcomes, sql`true`)
    .where(and(gte(broadcastAt, since), createReadableCondition(access)))
    .orderBy(desc(broadcastAt), desc(logIndex))
    .limit(limit)
}

export async function findLastSeq(tx: Queryable): Promise<number | null> {
  const [row] = await tx.select({ seq: max(deliveries.seq) }).from(deliveries)
  return row?.seq ?? null
}

export async function findHighestDelivered(tx: Queryable): Promise<number | null> {
  const [row] = await tx.select({ logIndex: max(deliveries.logIndex) }).from(deliveries)
  return row?.logIndex ?? null
}

/** Returns the first delivery number, of this entry or of all, or null without a delivery. */
export async function findFirstSeq(tx: Queryable, logIndex?: number): Promise<number | null> {
  const [row] = await tx
    .select({ seq: min(deliveries.seq) })
    .from(deliveries)
    .where(logIndex === undefined ? undefined : eq(deliveries.logIndex, logIndex))
  return row?.seq ?? null
}

/**
 * Returns the highest index up to this entry that was delivered by the time at which the entry was
 * logged, or null.
 */
export async function findDeliveredWhenLogged(tx: Queryable, logIndex: number): Promise<number | null> {
  const appendedAt = tx
    .select({ appendedAt: logEntries.appendedAt })
    .from(logEntries)
    .where(eq(logEntries.index, logIndex))
  const [row] = await tx
    .select({ logIndex: deliveries.logIndex })
    .from(deliveries)
    .where(and(lte(deliveries.logIndex, logIndex), lte(deliveries.at, appendedAt)))
    .orderBy(desc(deliveries.logIndex))
    .limit(1)
  return row?.logIndex ?? null
}

/**
 * Stores that the account has read these alerts. Ignores ids of alerts that the reader may not
 * read, because the account's data export lists every stored id.
 */
export async function insertReads(
  tx: Queryable,
  visibility: Visibility,
  accountId: string,
  ids: string[],
  at: Date,
  isVerified: boolean,
): Promise<void> {
  const existing = await tx
    .select({ alertId: alerts.id })
    .from(alerts)
    .where(and(inArray(alerts.id, ids), createReadableCondition(visibility)))
  if (existing.length === 0) return
  const verifiedAt = isVerified ? at : null
  const insert = tx
    .insert(alertReads)
    .values(existing.map(({ alertId }) => ({ accountId, alertId, readAt: at, verifiedAt })))
  if (!isVerified) return void (await insert.onConflictDoNothing())
  await insert.onConflictDoUpdate({
    target: [alertReads.accountId, alertReads.alertId],
    set: { verifiedAt: at },
    setWhere: isNull(alertReads.verifiedAt),
  })
}

export interface Counts {
  total: number
  critical: number
  /** Sum in integer tenths: sums of 4-byte floats show rounding errors, and decimals are slow. */
  confidenceTenths: number
}

const isCritical = eq(alerts.priority, 'critical')
const confidenceTenths = sql`round(${alerts.confidence}::float8 * 10)::int`

/**
 * Start times of two windows that end now: the last 24 hours, and the period whose alerts are not
 * public yet.
 */
export interface WindowStarts {
  day: Date
  fresh: Date
}

export interface WindowCounts {
  all: Counts
  day: Counts
  fresh: Counts
}

/** The last alert that a counter has counted, as it is stored in the counter. */
export interface LastCounted {
  /** -1 before the first alert. */
  lastIndex: number
  lastId: string | null
}

/**
 * Returns columns for a count of the alerts above `lastIndex`: the newest alert, and whether the
 * alert that was counted last is gone. Alerts are lost in a failover to a replica that lacks the
 * newest commits. The counter must then count all alerts again.
 */
export function selectLastCounted({ lastIndex, lastId }: LastCounted) {
  const newestAlert = sql`from ${alerts} newest order by newest.log_index desc limit 1`
  const storedAlert = sql`from ${alerts} stored where stored.log_index = ${lastIndex} and stored.id = ${lastId}`
  return {
    lastIndex: sql<number>`coalesce((select newest.log_index ${newestAlert}), -1)`.mapWith(Number),
    lastId: sql<string | null>`(select newest.id ${newestAlert})`,
    isLost: sql<boolean>`${lastIndex}::bigint >= 0 and not exists (select ${storedAlert})`,
  }
}

/** Counts alerts above the last counted one: in total, and in each window. */
export async function countAbove(
  tx: Queryable,
  lastCounted: LastCounted,
  starts: WindowStarts,
): Promise<WindowCounts & { last: LastCounted; isLost: boolean }> {
  const { isLost, ...last } = selectLastCounted(lastCounted)
  const [row] = await tx
    .select({
      last,
      isLost,
      all: selectCounts(sql`true`),
      day: selectCounts(gte(alerts.createdAt, starts.day)),
      fresh: selectCounts(gte(alerts.createdAt, starts.fresh)),
    })
    .from(alerts)
    .where(gt(alerts.logIndex, lastCounted.lastIndex))
  if (!row) throw new Error('The count of alerts returned no row')
  return row
}

/** Counts alerts up to a log index, created at or after `from` and before `to`. */
export async function countLeavingWindow(
  tx: Queryable,
  index: number,
  { from, to }: { from: Date; to: Date },
): Promise<Counts> {
  const [row] = await tx
    .select(selectCounts(sql`true`))
    .from(alerts)
    .where(and(lte(alerts.logIndex, index), gte(alerts.createdAt, from), lt(alerts.createdAt, to)))
  if (!row) throw new Error('The count of alerts returned no row')
  return row
}

/**
 * Counts fresh alerts up to a log index that were not broadcast: in total, and of the last 24
 * hours.
 */
export async function countUnsentFreshAlerts(
  tx: Queryable,
  index: number,
  { day, fresh }: WindowStarts,
): Promise<Pick<WindowCounts, 'day' | 'fresh'>> {
  const [row] = await tx
    .select({ fresh: selectCounts(sql`true`), day: selectCounts(gte(alerts.createdAt, day)) })
    .from(alerts)
    .where(and(isNull(alerts.broadcastAt), gte(alerts.createdAt, fresh), lte(alerts.logIndex, index)))
  if (!row) throw new Error('The count of alerts returned no row')
  return row
}

function selectCounts(condition: SQL) {
  return {
    total: sql<number>`count(*) filter (where ${condition})`.mapWith(Number),
    critical: sql<number>`count(*) filter (where ${condition} and ${isCritical})`.mapWith(Number),
    confidenceTenths: sql<number>`coalesce(sum(${confidenceTenths}) filter (where ${condition}), 0)`.mapWith(Number),
  }
}

/** Number of newest alerts that the median covers. It limits the cost on a busy day. */
const MAX_MEDIAN_ALERTS = 1_000

/**
 * Returns the median time in milliseconds from logging to the timestamp of the anchoring block,
 * over the newest broadcast alerts that were logged since `since` and are anchored. Drafts are left
 * out, because the median is public and would reveal them. Also ignores alerts whose block is older
 * than the entry by more than the clock tolerance, as in the history of a demo or after
 * `log adopt`.
 */
export async function readMedianToAnchor(tx: Queryable, since: Date): Promise<number | null> {
  const { rows } = await tx.execute<{ median: number | null }>(sql`
    select percentile_cont(0.5) within group (
      order by greatest(0, extract(epoch from cover.block_at - e.appended_at)::float8 * 1000)
    ) as median
    from (
      select l.index, l.appended_at from ${logEntries} l join ${alerts} s on s.log_index = l.index
      where s.broadcast_at is not null
      order by l.index desc limit ${MAX_MEDIAN_ALERTS}
    ) e
    cross join lateral (select block_at from ${anchors} a where a.size > e.index order by a.size limit 1) cover
    where e.appended_at >= ${since.toISOString()}::timestamptz
      and cover.block_at >= e.appended_at - interval '1 minute'`)
  return rows[0]?.median ?? null
}

/** Returns the alerts that an account has read and when, oldest first. */
export async function listReads(tx: Queryable, accountId: string) {
  return tx
    .select({ alertId: alertReads.alertId, readAt: alertReads.readAt, verifiedAt: alertReads.verifiedAt })
    .from(alertReads)
    .where(eq(alertReads.accountId, accountId))
    .orderBy(alertReads.readAt)
}
