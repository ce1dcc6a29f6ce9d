import { type LimitedCount, maxCounted } from '@tocsin/protocol'
import { and, desc, eq, exists, gt, inArray, lt, lte, max, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { prepareSelect } from '../../db/prepared.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { alertReadMarks, alertReads, alerts } from '../../db/schema/alerts.ts'
import { createReadableCondition, type ReadAccess } from '../access/readable.ts'

/**
 * Marks as read every alert up to `upToIndex` that was readable at the time `at`, when alerts up to
 * `publicCutoff` were public.
 */
interface ReadMark {
  upToIndex: number
  at: Date
  publicCutoff: Date
}

/** The reader, with everything that decides which alerts are shown and which count as read. */
export interface AlertReader extends ReadAccess {
  accountId: string
  /** Highest log index of the alerts that are older than the account. They count as read. */
  joinedIndex: number
  marks: ReadMark[]
}

export async function findReadState(tx: Queryable, accountId: string) {
  const rows = await selectReading(tx, { accountId })
  const marks = rows.flatMap(({ upToIndex, at }) => (upToIndex === null || at === null ? [] : [{ upToIndex, at }]))
  return { joinedIndex: Number(rows[0]?.joinedIndex ?? -1), marks }
}

interface ReadStateRow {
  joinedIndex: string | null
  upToIndex: number | null
  at: Date | null
}

const selectReading = prepareSelect<ReadStateRow[], { accountId: string }>('find_reading', (tx) => {
  // Times never decrease along the log, so the time is converted to an index: a range of indexes
  // can be combined with other conditions in a database index, a time cannot.
  const newestBeforeJoining = tx
    .select({ logIndex: alerts.logIndex })
    .from(alerts)
    .where(lt(alerts.createdAt, accounts.createdAt))
    .orderBy(desc(alerts.createdAt), desc(alerts.logIndex))
    .limit(1)
  return tx
    .select({
      joinedIndex: sql<string | null>`(${newestBeforeJoining})`,
      upToIndex: alertReadMarks.upToIndex,
      at: alertReadMarks.at,
    })
    .from(accounts)
    .leftJoin(alertReadMarks, eq(alertReadMarks.accountId, accounts.id))
    .where(eq(accounts.id, sql.placeholder('accountId')))
})

/**
 * Matches alerts that were opened, are covered by a mark, or are older than the account.
 * @param openedIndexes log indexes of all opened alerts, so that the database can use an index. If
 *   null, each alert is looked up among the opened alerts.
 */
export function isReadCondition(
  tx: Queryable,
  reader: AlertReader,
  openedIndexes: number[] | null = null,
): SQL | undefined {
  const isOpened = openedIndexes
    ? sql`${alerts.logIndex} = any(${sql.param(openedIndexes)}::bigint[])`
    : exists(selectOpenedAlerts(tx, reader))
  return or(lte(alerts.logIndex, reader.joinedIndex), ...reader.marks.map(isMarked), isOpened)
}

/**
 * Returns the log indexes of the alerts that the account has opened, or null if there are more than
 * `maxCount`.
 */
export async function listOpenedIndexes(tx: Queryable, accountId: string, maxCount: number): Promise<number[] | null> {
  const rows = await tx
    .select({ logIndex: alerts.logIndex })
    .from(alertReads)
    .innerJoin(alerts, eq(alerts.id, alertReads.alertId))
    .where(eq(alertReads.accountId, accountId))
    .limit(maxCount + 1)
  return rows.length > maxCount ? null : rows.map(({ logIndex }) => logIndex)
}

/**
 * The negation of `isReadCondition`, as separate conditions, so that the database excludes the
 * opened alerts with one anti-join. For each read mark, a condition that can use an index comes
 * first, so that a long read history is not scanned.
 */
export function createUnreadCondition(tx: Queryable, reader: AlertReader): SQL | undefined {
  return and(
    gt(alerts.logIndex, reader.joinedIndex),
    ...reader.marks.map(({ upToIndex, publicCutoff }) =>
      or(gt(alerts.logIndex, upToIndex), gt(alerts.createdAt, publicCutoff)),
    ),
    // `is not true`, because comparing a null `broadcastAt` yields unknown.
    ...reader.marks.map((mark) => sql`(${isMarked(mark)}) is not true`),
    notExists(selectOpenedAlerts(tx, reader)),
  )
}

function isMarked({ upToIndex, at, publicCutoff }: ReadMark): SQL | undefined {
  return and(lte(alerts.logIndex, upToIndex), or(lte(alerts.broadcastAt, at), lte(alerts.createdAt, publicCutoff)))
}

function selectOpenedAlerts(tx: Queryable, { accountId }: AlertReader) {
  return tx
    .select({ one: sql`1` })
    .from(alertReads)
    .where(and(eq(alertReads.accountId, accountId), eq(alertReads.alertId, alerts.id)))
}

/** Returns the subset of these alerts that the account has read. */
export async function listRead(tx: Queryable, reader: AlertReader, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await tx
    .select({ id: alerts.id })
    .from(alerts)
    .where(and(inArray(alerts.id, ids), isReadCondition(tx, reader)))
  return new Set(rows.map(({ id }) => id))
}

/** Counts unread alerts that the reader may read in full, optionally up to a log index. */
export async function countUnread(tx: Queryable, reader: AlertReader, upTo?: number): Promise<LimitedCount> {
  const isWithin = upTo === undefined ? undefined : lte(alerts.logIndex, upTo)
  const unread = tx
    .select({ one: sql`1`.as('one') })
    .from(alerts)
    .where(and(createReadableCondition(reader), isWithin, createUnreadCondition(tx, reader)))
    .limit(maxCounted + 1)
    .as('unread')
  return limitCount(await tx.$count(unread))
}

export function limitCount(foundCount: number): LimitedCount {
  return { count: Math.min(foundCount, maxCounted), isMore: foundCount > maxCounted }
}

/**
 * Returns the index of the newest alert that the reader may read in full, optionally up to a log
 * index.
 */
export async function findNewestIndex(tx: Queryable, reader: ReadAccess, upTo?: number): Promise<number | null> {
  const [row] = await tx
    .select({ logIndex: alerts.logIndex })
    .from(alerts)
    .where(and(createReadableCondition(reader), upTo === undefined ? undefined : lte(alerts.logIndex, upTo)))
    .orderBy(desc(alerts.logIndex))
    .limit(1)
  return row?.logIndex ?? null
}

export async function insertMark(tx: Queryable, accountId: string, upToIndex: number, at: Date): Promise<string> {
  const [row] = await tx
    .insert(alertReadMarks)
    .values({ accountId, upToIndex, at })
    .returning({ id: alertReadMarks.id })
  if (!row) throw new Error('The mark was not stored')
  return row.id
}

/** @returns true if the mark existed and belonged to the account */
export async function deleteMark(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const rows = await tx
    .delete(alertReadMarks)
    .where(and(eq(alertReadMarks.id, id), eq(alertReadMarks.accountId, accountId)))
    .returning({ id: alertReadMarks.id })
  return rows.length > 0
}

/**
 * Deletes obsolete marks. A mark is obsolete if it was set before `at` and is covered by a later
 * mark that was also set before `at`. It can no longer be undone, and each stored mark makes
 * counting slower.
 */
export async function deleteCoveredMarks(tx: Queryable, accountId: string, at: Date): Promise<void> {
  const isPermanentMark = and(eq(alertReadMarks.accountId, accountId), lt(alertReadMarks.at, at))
  const newestMarkAt = tx
    .select({ at: max(alertReadMarks.at) })
    .from(alertReadMarks)
    .where(isPermanentMark)
  const highestMarkIndex = tx
    .select({ upToIndex: max(alertReadMarks.upToIndex) })
    .from(alertReadMarks)
    .where(and(isPermanentMark, eq(alertReadMarks.at, sql`(${newestMarkAt})`)))
  await tx
    .delete(alertReadMarks)
    .where(
      and(
        isPermanentMark,
        not(eq(alertReadMarks.at, sql`(${newestMarkAt})`)),
        lte(alertReadMarks.upToIndex, sql`(${highestMarkIndex})`),
      ),
    )
}

export function listMarks(tx: Queryable, accountId: string) {
  return tx
    .select({ upToIndex: alertReadMarks.upToIndex, at: alertReadMarks.at })
    .from(alertReadMarks)
    .where(eq(alertReadMarks.accountId, accountId))
    .orderBy(alertReadMarks.at)
}
