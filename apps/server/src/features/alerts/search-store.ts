import {
  type AlertFacets,
  type AlertSelection,
  type Counted,
  endOf,
  type ListedVerdict,
  maxCounted,
  type Priority,
  priorities,
  startOf,
} from '@tocsin/protocol'
import { and, count, desc, eq, exists, gte, inArray, lt, lte, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/database.ts'
import { alertOutcomes, alertPredictions, alerts } from '../../db/schema/alerts.ts'
import { isReadable, isShown } from '../access/readable.ts'
import { isRead, isUnread, listOpenedIndexes, type Reader, toCounted } from './read-store.ts'

/** A selection with parsed search words and, if it asks for read alerts, those that were opened. */
export type Search = AlertSelection & { words: string | null; openedIndexes: number[] | null }

/** With more opened alerts, a scan by time soon finds a page of them. */
const MAX_OPENED = 10_000

export async function prepareSearch(tx: Queryable, accountId: string, selection: AlertSelection): Promise<Search> {
  const [words, openedIndexes] = await Promise.all([
    selection.q === undefined ? null : parseWords(tx, selection.q),
    selection.read === 'read' ? listOpenedIndexes(tx, accountId, MAX_OPENED) : null,
  ])
  return { ...selection, words, openedIndexes }
}

interface Page {
  beforeIndex?: number | undefined
  limit: number
}

/** Log indexes of the selected alerts, newest first. */
export function listSelected(tx: Queryable, reader: Reader, selection: Search, page: Page): Promise<number[]> {
  return listWhere(tx, isSelected(tx, reader, selection), page)
}

/** Like `listSelected`, limited to alerts that the reader may read in full. */
export async function listReadable(tx: Queryable, reader: Reader, selection: Search, page: Page): Promise<number[]> {
  return listWhere(tx, and(isSelected(tx, reader, selection), isReadable(reader)), page)
}

async function listWhere(tx: Queryable, where: SQL | undefined, { beforeIndex, limit }: Page): Promise<number[]> {
  const rows = await tx
    .select({ logIndex: alerts.logIndex })
    .from(alerts)
    .where(and(where, beforeIndex === undefined ? undefined : lt(alerts.logIndex, beforeIndex)))
    .orderBy(desc(alerts.logIndex))
    .limit(limit)
  return rows.map(({ logIndex }) => logIndex)
}

/** Counts per priority, with the other filters of the selection applied. */
export async function countByPriority(
  tx: Queryable,
  reader: Reader,
  selection: Search,
): Promise<Record<Priority, Counted>> {
  const { q, priority, asset, assets, type, types, regime, verdict } = selection
  if (q !== undefined) {
    const found = await countInOnePass(tx, reader, selection, maxCounted + 1)
    const all = Object.values(found).reduce((sum, one) => sum + one, 0)
    const counted = presentCounts(found, all > maxCounted)
    if (priority === undefined || all <= maxCounted) return counted
    const asked = [priority].flat()
    const exact = await countUpToMost(tx, reader, selection, asked)
    return { ...counted, ...Object.fromEntries(asked.map((each) => [each, toCounted(exact[each] ?? 0)])) }
  }
  const isRare = [asset, assets, type, types, regime, verdict].some((filter) => filter !== undefined)
  const found = isRare
    ? await countInOnePass(tx, reader, selection)
    : await countUpToMost(tx, reader, selection, priorities)
  return presentCounts(found, false)
}

/** @param isCut true if the scan stopped at its limit, so every count may be higher */
function presentCounts(found: Found, isCut: boolean): Record<Priority, Counted> {
  const present = (priority: Priority): Counted => {
    const { count: most, isMore } = toCounted(found[priority] ?? 0)
    return { count: most, isMore: isMore || isCut }
  }
  return { critical: present('critical'), high: present('high'), medium: present('medium'), low: present('low') }
}

type Found = { [Name in Priority]?: number }

/** One bounded index scan per priority, so the cost does not grow with the history. */
async function countUpToMost(
  tx: Queryable,
  reader: Reader,
  selection: Search,
  asked: readonly Priority[],
): Promise<Found> {
  const countOne = (priority: Priority) => {
    const found = tx
      .select({ one: sql`1`.as('one') })
      .from(alerts)
      .where(isSelected(tx, reader, { ...selection, priority }))
      .limit(maxCounted + 1)
      .as('found')
    return tx.$count(found)
  }
  const counts = Object.fromEntries(asked.map((priority) => [priority, countOne(priority)]))
  const [row] = await tx.select(counts).from(sql`(select 1) as once`)
  return row ?? {}
}

/**
 * One scan for all priorities. With a rare filter, four separate counts would each scan everything.
 * Text matching is the most expensive filter, so the caller limits the rows.
 */
async function countInOnePass(tx: Queryable, reader: Reader, selection: Search, most?: number): Promise<Found> {
  const all = tx
    .select({ priority: alerts.priority })
    .from(alerts)
    .where(isSelected(tx, reader, { ...selection, priority: undefined }))
  const looked = (most === undefined ? all : all.limit(most)).as('looked')
  const rows = await tx.select({ priority: looked.priority, found: count() }).from(looked).groupBy(looked.priority)
  return Object.fromEntries(rows.map(({ priority, found }) => [priority, found]))
}

/**
 * True if the selection filters by content. Locked rows never match then, because a match would
 * reveal their content.
 */
function asksForContent({ priority: _, from: _from, to: _to, ...content }: AlertSelection): boolean {
  return Object.values(content).some((asked) => asked !== undefined)
}

function isSelected(tx: Queryable, reader: Reader, selection: Search): SQL | undefined {
  const { words, openedIndexes, ...filters } = selection
  const { q, priority, asset, assets, type, types, regime, verdict, from, to, read } = filters
  return and(
    asksForContent(filters) ? isReadable(reader) : isShown(reader),
    priority === undefined ? undefined : inArray(alerts.priority, [priority].flat()),
    asset === undefined ? undefined : eq(alerts.asset, asset),
    assets === undefined ? undefined : inArray(alerts.asset, [assets].flat()),
    type === undefined ? undefined : eq(alerts.anomalyType, type),
    types === undefined ? undefined : inArray(alerts.anomalyType, [types].flat()),
    regime === undefined ? undefined : eq(alerts.regime, regime),
    verdict === undefined ? undefined : hasVerdict(tx, verdict),
    from === undefined ? undefined : gte(alerts.createdAt, new Date(startOf(from))),
    to === undefined ? undefined : lte(alerts.createdAt, new Date(endOf(to))),
    read === 'read' ? isRead(tx, reader, openedIndexes) : undefined,
    read === 'unread' ? isUnread(tx, reader) : undefined,
    q === undefined ? undefined : isFound(q, words),
  )
}

const earlier = alias(alertOutcomes, 'earlier')

/** Of several outcomes of an alert, the one with the lowest index counts. */
function hasVerdict(tx: Queryable, verdict: ListedVerdict): SQL | undefined {
  const isOfAlert = eq(alertOutcomes.targetIndex, alerts.logIndex)
  if (verdict === 'open') {
    const isPredicted = eq(alertPredictions.logIndex, alerts.logIndex)
    return and(
      exists(tx.select({ one: sql`1` }).from(alertPredictions).where(isPredicted)),
      notExists(tx.select({ one: sql`1` }).from(alertOutcomes).where(isOfAlert)),
    )
  }
  const isEarlier = and(
    eq(earlier.targetIndex, alertOutcomes.targetIndex),
    lt(earlier.logIndex, alertOutcomes.logIndex),
  )
  const hasEarlier = exists(tx.select({ one: sql`1` }).from(earlier).where(isEarlier))
  const isThis = and(isOfAlert, eq(alertOutcomes.verdict, verdict), not(hasEarlier))
  return exists(tx.select({ one: sql`1` }).from(alertOutcomes).where(isThis))
}

/** Matches alerts that contain all words as prefixes, or have this id. */
function isFound(search: string, words: string | null): SQL | undefined {
  const isId = eq(alerts.id, search)
  return words === null ? isId : or(isId, sql`${alerts.words} @@ ${words}::tsquery`)
}

/**
 * Converts the search text to a tsquery; null if it contains no words. The database splits the
 * words, as it does for alerts, because its locale decides what a letter is.
 */
async function parseWords(tx: Queryable, search: string): Promise<string | null> {
  const own = sql`unnest(to_tsvector('simple', regexp_replace(${search}, '[^[:alnum:]]+', ' ', 'g')))`
  const { rows } = await tx.execute<{ words: string | null }>(
    sql`select string_agg(quote_literal(lexeme) || ':*', ' & ') as words from ${own}`,
  )
  return rows[0]?.words ?? null
}

/** Bounds the cost with a long history. */
const FACETS_OF_NEWEST = 5_000

/** Assets, types and regimes of the newest alerts that the reader may read in full, by name. */
export async function listFacets(tx: Queryable, reader: Reader): Promise<AlertFacets> {
  const newest = tx
    .select({ asset: alerts.asset, type: alerts.anomalyType, regime: alerts.regime })
    .from(alerts)
    .where(isReadable(reader))
    .orderBy(desc(alerts.logIndex))
    .limit(FACETS_OF_NEWEST)
    .as('newest')
  const namesOf = async (name: typeof newest.asset | typeof newest.type | typeof newest.regime) => {
    const rows = await tx.selectDistinct({ name }).from(newest).orderBy(name)
    return rows.flatMap((row) => (row.name === '' ? [] : [row.name]))
  }
  const [assets, types, regimes] = await Promise.all([
    namesOf(newest.asset),
    namesOf(newest.type),
    namesOf(newest.regime),
  ])
  return { assets, types, regimes }
}
