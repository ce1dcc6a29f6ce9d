import { type Address, decodeStatement, emptyFrontier, frontierNodeIds, frontierRoot } from '@tocsin/proof'
import { and, asc, desc, eq, gt, gte, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { z } from 'zod'
import type { Queryable, Tx } from '../../db/database.ts'
import { prepareSelect, prepareStatement } from '../../db/prepared.ts'
import {
  alertOutcomes,
  alertPredictions,
  alertReadMarks,
  alertReads,
  alertShares,
  alertSignals,
  alerts,
  deliveries,
  recordAlerts,
  streamReach,
} from '../../db/schema/alerts.ts'
import { alertAcknowledgements, channelAttempts, channelDeliveries } from '../../db/schema/channels.ts'
import { anchors, logEntries, logHead, logKeyLists, logNodes } from '../../db/schema/log.ts'
import { settings } from '../../db/schema/server.ts'
import { receipts } from '../../db/schema/subscriptions.ts'
import { findSetting, saveSetting } from '../../db/setting.ts'
import { loadNodes } from '../../inclusion-proofs.ts'
import {
  type Entry,
  type extendHead,
  formatHead,
  type Head,
  LogFault,
  parseHead,
  type StoredHead,
  toHead,
} from './log.ts'

export type AnchorRow = typeof anchors.$inferSelect
export type EntryWithAnchor = Awaited<ReturnType<typeof listEntriesWithAnchor>>[number]
export type ReadableEntryRow = Awaited<ReturnType<typeof listReadableEntries>>[number]

const STOP_SETTING = 'log.stopped'
const stopSchema = z.object({ reason: z.string() })

/** The reason why nothing may be appended or anchored, and since when. */
export interface LogStop {
  reason: string
  at: Date
}

export type LockedHead = StoredHead & { saltedFrom: number | null }

/**
 * Returns the stored head and locks it until the transaction ends, which serializes appends across
 * instances.
 */
export async function lockHead(tx: Tx): Promise<LockedHead> {
  const foundHead = await selectHeadForUpdate(tx)
  if (foundHead) return foundHead
  await createHead(tx)
  const createdHead = await selectHeadForUpdate(tx)
  if (!createdHead) throw new Error('The head of the log cannot be created')
  return createdHead
}

/** Inserts the head of an empty log, unless there is a head. */
export async function createHead(tx: Tx): Promise<void> {
  await tx
    .insert(logHead)
    .values(formatHead(toHead(emptyFrontier, null)))
    .onConflictDoNothing()
}

/** Locks and returns the head. Null if no head is stored yet. */
export async function selectHeadForUpdate(tx: Tx): Promise<LockedHead | null> {
  const [headRow] = await lockHeadRow(tx, {})
  if (!headRow) return null
  const { size, salted_from: saltedFrom, frontier, root, signer } = headRow
  return { size: Number(size), frontier, root, signer, saltedFrom: saltedFrom === null ? null : Number(saltedFrom) }
}

interface HeadRow {
  size: string
  frontier: Uint8Array
  root: Uint8Array
  signer: Address | null
  salted_from: string | null
}

const lockHeadRow = prepareStatement<HeadRow, Record<string, never>>(
  'lock_head',
  () => sql`select size, frontier, root, signer, salted_from from ${logHead} for update`,
)

/** Stores that the log is stopped. Keeps the first reason if it is already stopped. */
export async function insertStop(tx: Queryable, reason: string, now: Date): Promise<void> {
  await tx.insert(settings).values({ name: STOP_SETTING, value: { reason }, updatedAt: now }).onConflictDoNothing()
}

export async function findStop(tx: Queryable): Promise<LogStop | null> {
  const stopSetting = await findSetting(tx, STOP_SETTING)
  return stopSetting && { reason: stopSchema.parse(stopSetting.value).reason, at: stopSetting.updatedAt }
}

export async function deleteStop(tx: Queryable): Promise<void> {
  await tx.delete(settings).where(eq(settings.name, STOP_SETTING))
}

export async function findHead(tx: Queryable): Promise<Head> {
  const [row] = await selectHead(tx, {})
  return row ? parseHead(row) : toHead(emptyFrontier, null)
}

const selectHead = prepareSelect<(typeof logHead.$inferSelect)[], Record<string, never>>('find_head', (tx) =>
  tx.select().from(logHead),
)

/**
 * Appends entries with their nodes and moves the head, by compare-and-swap: the statement fails
 * unless the stored size is `oldSize` and the last stored entry directly precedes the new ones. The
 * statement is sent before the function returns, so that callers can send inserts of alerts and a
 * commit without waiting for it. If the statement fails, so do the inserts and the commit.
 * @throws LogFault
 */
export async function writeEntries(
  tx: Tx,
  oldSize: number,
  entries: readonly Entry[],
  { head, leafHashes, nodes }: ReturnType<typeof extendHead>,
  appendedAt: Date,
): Promise<void> {
  const entriesInserted = insertEntries(tx, {
    ...formatHead(head),
    oldSize,
    indexes: entries.map((_, index) => oldSize + index),
    leafHashes,
    bytes: entries.map((entry) => entry.bytes),
    signatures: entries.map(({ signature }) => signature),
    appendedAt: appendedAt.toISOString(),
    unmoved: HEAD_MISMATCH_PREFIX,
    levels: nodes.map(({ id }) => id.level),
    nodeIndexes: nodes.map(({ id }) => id.index),
    hashes: nodes.map(({ hash }) => hash),
  })
  await entriesInserted.catch((error: unknown) => {
    throw toHeadFault(oldSize, error) ?? error
  })
}

const HEAD_MISMATCH_PREFIX = 'the last entry is '

/** Returns a LogFault if the stored head made the statement fail, or null for other errors. */
function toHeadFault(size: number, error: unknown): LogFault | null {
  if (!(error instanceof Error)) return null
  const lastIndex = new RegExp(`${HEAD_MISMATCH_PREFIX}(-?\\d+)`).exec(error.message)?.[1]
  if (lastIndex === undefined) return toHeadFault(size, error.cause)
  return new LogFault(
    Number(lastIndex) === size - 1
      ? `The head of the log changed from size ${size} while we held its lock`
      : `The head of the log is damaged: it names ${size} entries, but another number is stored`,
  )
}

const value = sql.placeholder
// SQL has no function that raises an error, so a cast of text that is not a number makes the
// statement fail.
const insertEntries = prepareStatement<object, Record<string, unknown>>(
  'write_entries',
  () => sql`
    with last as (select coalesce(max(index), -1) as index from log_entries),
    moved as (
      update log_head set size = ${value('size')}::bigint, frontier = ${value('frontier')}::bytea,
        root = ${value('root')}::bytea, signer = ${value('signer')}::text
      from last where size = ${value('oldSize')}::bigint and last.index = ${value('oldSize')}::bigint - 1
      returning 1),
    written as (
      insert into log_entries (index, leaf_hash, bytes, signature, appended_at)
      select e.*, ${value('appendedAt')}::timestamptz
      from unnest(${value('indexes')}::bigint[], ${value('leafHashes')}::bytea[], ${value('bytes')}::bytea[],
        ${value('signatures')}::text[]) as e
      where exists (select from moved)),
    noded as (
      insert into log_nodes (level, index, hash)
      select * from unnest(${value('levels')}::int[], ${value('nodeIndexes')}::bigint[], ${value('hashes')}::bytea[])
      where exists (select from moved))
    select case when not exists (select from moved)
      then (${value('unmoved')}::text || (select index from last))::int end`,
)

/**
 * The log and every table that references its entries, directly or through another table. All of
 * them are about alerts of this log. Do not list tables of accounts, payments or subscriptions.
 * Receipts are the exception: they are signed for one contract, and signed again on request.
 */
export const logTables: readonly PgTable[] = [
  deliveries,
  streamReach,
  channelDeliveries,
  channelAttempts,
  alertAcknowledgements,
  alertReads,
  alertReadMarks,
  alertShares,
  alertSignals,
  alertPredictions,
  alertOutcomes,
  recordAlerts,
  alerts,
  anchors,
  logNodes,
  logKeyLists,
  logEntries,
  logHead,
  receipts,
]

/** Empties the log. Does not use `cascade`, so that a table that is not listed never loses rows. */
export async function truncateLog(tx: Tx): Promise<void> {
  await tx.execute(sql`truncate ${sql.join([...logTables], sql`, `)}`)
}

export async function insertKeyList(tx: Tx, index: number): Promise<void> {
  await tx.insert(logKeyLists).values({ index })
}

/** Returns the key lists, each with the first anchor that covers it, oldest first. */
export function listKeyLists(tx: Queryable) {
  return listEntriesWithAnchor(tx, inArray(logEntries.index, tx.select({ index: logKeyLists.index }).from(logKeyLists)))
}

/**
 * Returns the first outcomes of an alert, each with the first anchor that covers it, oldest first.
 */
export function listOutcomeEntries(tx: Queryable, targetIndex: number, limit: number) {
  const { logIndex } = alertOutcomes
  const outcomeIndexes = tx
    .select({ logIndex })
    .from(alertOutcomes)
    .where(eq(alertOutcomes.targetIndex, targetIndex))
    .orderBy(asc(logIndex))
    .limit(limit)
  return listEntriesWithAnchor(tx, inArray(logEntries.index, outcomeIndexes))
}

function listEntriesWithAnchor(tx: Queryable, condition: SQL) {
  const coveringAnchor = tx
    .select()
    .from(anchors)
    .where(gt(anchors.size, logEntries.index))
    .orderBy(asc(anchors.size))
    .limit(1)
    .as('cover')
  return tx
    .select({
      entry: logEntries,
      anchor: { size: coveringAnchor.size, root: coveringAnchor.root, txHash: coveringAnchor.txHash },
    })
    .from(logEntries)
    .leftJoinLateral(coveringAnchor, sql`true`)
    .where(condition)
    .orderBy(asc(logEntries.index))
}

export async function findNewestKeyList(tx: Queryable): Promise<StoredBytes | null> {
  const [row] = await selectNewestKeyList(tx, {})
  return row ?? null
}

const selectNewestKeyList = prepareSelect<StoredBytes[], Record<string, never>>('newest_key_list', (tx) => {
  // Join only the newest row: with the whole table, PostgreSQL may choose a merge join, which reads
  // the log from its newest entry on.
  const newestKeyLists = tx
    .select({ index: logKeyLists.index })
    .from(logKeyLists)
    .orderBy(desc(logKeyLists.index))
    .limit(1)
    .as('newest')
  return tx
    .select({ index: logEntries.index, bytes: logEntries.bytes })
    .from(newestKeyLists)
    .innerJoin(logEntries, eq(logEntries.index, newestKeyLists.index))
})

/**
 * Returns entries from an index on, in order. Content and signature are null for an alert,
 * correction or retraction whose row in `alerts` does not meet `readableCondition` (undefined: all
 * do), and for the outcomes of such an alert. Entries about the log itself have no row in `alerts`
 * and are public immediately.
 */
export async function listReadableEntries(
  tx: Queryable,
  readableCondition: SQL | undefined,
  from: number,
  limit: number,
) {
  const isOfLog = and(isNull(alerts.logIndex), sql`position('"kind":"outcome"'::bytea in ${logEntries.bytes}) = 0`)
  const isOpen = readableCondition === undefined ? sql`true` : or(readableCondition, isOfLog)
  return tx
    .select({
      index: logEntries.index,
      leafHash: logEntries.leafHash,
      bytes: sql<Uint8Array | null>`case when ${isOpen} then ${logEntries.bytes} end`,
      signature: sql<string | null>`case when ${isOpen} then ${logEntries.signature} end`,
    })
    .from(logEntries)
    .leftJoin(alertOutcomes, eq(alertOutcomes.logIndex, logEntries.index))
    .leftJoin(alerts, eq(alerts.logIndex, sql`coalesce(${alertOutcomes.targetIndex}, ${logEntries.index})`))
    .where(gte(logEntries.index, from))
    .orderBy(asc(logEntries.index))
    .limit(limit)
}

/** Returns entries from an index on, in order. */
export async function listEntries(tx: Queryable, from: number, limit: number) {
  return tx.select().from(logEntries).where(gte(logEntries.index, from)).orderBy(asc(logEntries.index)).limit(limit)
}

export async function listEntriesAt(tx: Queryable, indexes: readonly number[]) {
  return tx
    .select()
    .from(logEntries)
    .where(inArray(logEntries.index, [...indexes]))
}

export interface StoredBytes {
  index: number
  bytes: Uint8Array
}

/** The end of the log, with which the next entry must be consistent. */
export interface Tail {
  last: StoredBytes | null
  keyList: StoredBytes | null
  /** The alert with the latest createdAt. */
  latestAlert: { index: number; createdAt: Date } | null
  /** Why nothing may be appended, or null. */
  stopReason: string | null
}

/**
 * Reads the end of the log. Uses one query, because the caller holds the lock that every append
 * waits for. Send it after the statement that takes the lock, so that it sees an entry or a stop of
 * the log that was stored during the wait.
 */
export async function findTail(tx: Queryable): Promise<Tail> {
  const [row] = await selectTail(tx, {})
  if (!row) throw new Error('The end of the log cannot be read')
  const { latest_index: latest, latest_at: latestAt, stop } = row
  return {
    last: toStoredBytes(row.last_index, row.last_bytes),
    keyList: toStoredBytes(row.list_index, row.list_bytes),
    latestAlert: latest === null ? null : { index: Number(latest), createdAt: new Date(Number(latestAt)) },
    stopReason: stop === null ? null : stopSchema.parse(stop).reason,
  }
}

const toStoredBytes = (index: string | null, bytes: Uint8Array | null): StoredBytes | null =>
  index === null || bytes === null ? null : { index: Number(index), bytes }

interface TailRow {
  last_index: string | null
  last_bytes: Uint8Array | null
  list_index: string | null
  list_bytes: Uint8Array | null
  latest_index: string | null
  latest_at: string | null
  stop: unknown
}

const selectTail = prepareStatement<TailRow, Record<string, never>>(
  'find_tail',
  () => sql`
    select last.index as last_index, last.bytes as last_bytes, list.index as list_index, list.bytes as list_bytes,
      latest.log_index as latest_index, floor(extract(epoch from latest.created_at) * 1000)::text as latest_at,
      (select value from ${settings} where name = ${STOP_SETTING}) as stop
    from (select 1) once
    left join (select index, bytes from log_entries order by index desc limit 1) last on true
    left join (select index from log_key_lists order by index desc limit 1) newest on true
    left join log_entries list on list.index = newest.index
    left join lateral (select log_index, created_at from alerts order by created_at desc limit 1) latest on true`,
)

export async function findEntryTime(tx: Queryable, index: number): Promise<Date | null> {
  const [row] = await tx.select({ at: logEntries.appendedAt }).from(logEntries).where(eq(logEntries.index, index))
  return row?.at ?? null
}

/** Returns `createdAt` of the first entry. In a demo it is earlier than the time of appending. */
export async function findFirstEntryTime(tx: Queryable): Promise<Date | null> {
  const [row] = await tx.select({ bytes: logEntries.bytes }).from(logEntries).where(eq(logEntries.index, 0))
  return row ? new Date(decodeStatement(row.bytes).createdAt) : null
}

export async function countKeyLists(tx: Queryable): Promise<number> {
  return tx.$count(logKeyLists)
}

export async function countAnchors(tx: Queryable): Promise<number> {
  return tx.$count(anchors)
}

export async function countNodes(tx: Queryable): Promise<number> {
  return tx.$count(logNodes)
}

/** Returns the root that the log had at an earlier size, computed from O(log size) nodes. */
export async function findRoot(tx: Queryable, size: number): Promise<Uint8Array> {
  const ids = frontierNodeIds(size)
  const getNode = await loadNodes(tx, ids)
  return frontierRoot({ size, hashes: ids.map(getNode) })
}

/** Selects a row if entries are waiting to be anchored. */
export const selectUnanchored = sql`select from ${logHead} where size > coalesce((select max(size) from ${anchors}), 0)`

export async function findNewestAnchor(tx: Queryable): Promise<AnchorRow | null> {
  const [row] = await listNewestAnchors(tx, 1)
  return row ?? null
}

export async function listNewestAnchors(tx: Queryable, limit: number): Promise<AnchorRow[]> {
  return tx.select().from(anchors).orderBy(desc(anchors.size)).limit(limit)
}

/** Returns anchors above a size, in ascending order of size. */
export async function listAnchorsAbove(tx: Queryable, size: number, limit: number): Promise<AnchorRow[]> {
  return tx.select().from(anchors).where(gt(anchors.size, size)).orderBy(asc(anchors.size)).limit(limit)
}

export async function listAnchors(tx: Queryable): Promise<AnchorRow[]> {
  return tx.select().from(anchors).orderBy(asc(anchors.size))
}

/** Replaces the stored anchor if the chain has anchored the same size again in another block. */
export async function upsertAnchor(tx: Queryable, row: AnchorRow): Promise<void> {
  const { size: _size, ...otherColumns } = row
  await tx.insert(anchors).values(row).onConflictDoUpdate({ target: anchors.size, set: otherColumns })
}

export async function deleteAnchors(tx: Queryable, rows: readonly AnchorRow[]): Promise<void> {
  const sizes = rows.map(({ size }) => size)
  const hashes = rows.map(({ txHash }) => txHash)
  await tx.delete(anchors).where(and(inArray(anchors.size, sizes), inArray(anchors.txHash, hashes)))
}

const ANCHORING_PROBLEM_SETTING = 'anchoring.trouble'
const anchoringProblemSchema = z.object({ reason: z.string().nullable() })

/** Stores why anchoring fails, so that every instance can report it. Null means that it works. */
export async function saveAnchoringProblem(tx: Queryable, reason: string | null, now: Date): Promise<void> {
  await saveSetting(tx, ANCHORING_PROBLEM_SETTING, { reason }, now)
}

export async function findAnchoringProblem(tx: Queryable): Promise<string | null> {
  const problemSetting = await findSetting(tx, ANCHORING_PROBLEM_SETTING)
  return problemSetting && anchoringProblemSchema.parse(problemSetting.value).reason
}
