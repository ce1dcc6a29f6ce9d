import {
  type AlertFacets,
  type AlertSelection,
  type LimitedCount,
  type ListedVerdict,
  maxCounted,
  type Priority,
  parseRangeEnd,
  parseRangeStart,
  priorities,
} from '@tocsin/protocol'
import { and, count, desc, eq, exists, gte, inArray, lt, lte, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/database.ts'
import { prepareByShape } from '../../db/prepared.ts'
import { alertOutcomes, alertPredictions, alerts } from '../../db/schema/alerts.ts'
import { readableCondition, visibleCondition } from '../access/readable.ts'
import { type AlertReader, isReadCondition, limitCount, listOpenedIndexes, unreadCondition } from './read-store.ts'
import { type FoundRow, isListed, selectListed, selectPage } from './store.ts'

/**
 * A selection with parsed search words. If it asks for read alerts, it also contains the opened
 * alerts.
 */
export type Search = Omit<AlertSelection, 'from' | 'to'> & {
  from: Date | undefined
  to: Date | undefined
  words: string | null
  openedIndexes: number[] | null
}

/**
 * Maximum number of opened alerts whose indexes the search uses as a list. With more of them, a
 * scan by time finds a page of opened alerts quickly.
 */
const MAX_OPENED = 10_000

export async function prepareSearch(
  tx: Queryable,
  accountId: string,
  { from, to, ...selection }: AlertSelection,
): Promise<Search> {
  const [words, openedIndexes] = await Promise.all([
    selection.q === undefined ? null : parseWords(tx, selection.q),
    selection.read === 'read' ? listOpenedIndexes(tx, accountId, MAX_OPENED) : null,
  ])
  return {
    ...selection,
    from: from === undefined ? undefined : new Date(parseRangeStart(from)),
    to: to === undefined ? undefined : new Date(parseRangeEnd(to)),
    words,
    openedIndexes,
  }
}

interface Page {
  beforeIndex?: number | undefined
  limit: number
}

/**
 * A search with placeholders for its values, so that its statement is built once for each
 * combination of filters.
 */
interface Shape {
  name: string
  reader: AlertReader
  selection: Search
  values: Record<string, unknown>
  /** The priorities that the search asks for. */
  selected: readonly Priority[]
}

function toShape({ marks, publicCutoff, subscribed, ...reader }: AlertReader, search: Search): Shape {
  const values: Record<string, unknown> = {}
  const hold = <T>(name: string, value: T): T => {
    if (value === undefined || value === null) return value
    values[name] = value instanceof Date ? value.toISOString() : value
    // The cast is safe: Drizzle accepts a placeholder for any value of a condition.
    return sql.placeholder(name) as unknown as T
  }
  const holdAll = <T>(name: string, value: T | T[] | undefined): T[] | undefined =>
    value === undefined ? undefined : [value].flat().map((each, index) => hold(`${name}${index}`, each as T))
  const { verdict, read } = search
  const shape = {
    reader: {
      subscribed,
      publicCutoff: hold('publicCutoff', publicCutoff),
      accountId: hold('accountId', reader.accountId),
      joinedIndex: hold('joinedIndex', reader.joinedIndex),
      marks: marks.map((mark, index) => ({
        upToIndex: hold(`markIndex${index}`, mark.upToIndex),
        at: hold(`markAt${index}`, mark.at),
        publicCutoff: hold(`markPublicCutoff${index}`, mark.publicCutoff),
      })),
    },
    selection: {
      read,
      q: hold('q', search.q),
      words: hold('words', search.words),
      priority: holdAll('priority', search.priority),
      asset: hold('asset', search.asset),
      assets: holdAll('assets', search.assets),
      type: hold('type', search.type),
      types: holdAll('types', search.types),
      regime: hold('regime', search.regime),
      // `open` is not compared with a column, so it needs no placeholder.
      verdict: verdict === 'open' ? verdict : hold('verdict', verdict),
      from: hold('from', search.from),
      to: hold('to', search.to),
      openedIndexes: hold('openedIndexes', search.openedIndexes),
    },
    values,
    selected: [search.priority ?? []].flat(),
  }
  return { ...shape, name: [subscribed, read, verdict === 'open', ...Object.keys(values)].join() }
}

type PageRow = FoundRow & { isRead: boolean; lastIndex: string | null; found: PriorityCounts | null }
const runPage = prepareByShape<PageRow[]>()

/**
 * Returns a page of the selected alerts, newest first, with the counts of all pages and the index
 * of the newest alert that the reader may read in full. All are read in one snapshot, so alerts
 * that are issued later are above this index.
 */
export async function findPage(tx: Queryable, reader: AlertReader, search: Search, { beforeIndex, limit }: Page) {
  const shape = toShape(reader, search)
  const page = await runPage(
    tx,
    `${shape.name} ${beforeIndex === undefined}`,
    (at) => {
      const isBefore = beforeIndex === undefined ? undefined : lt(alerts.logIndex, sql.placeholder('beforeIndex'))
      const where = and(isSelected(at, shape.reader, shape.selection), isBefore)
      const newest = at
        .select({ logIndex: alerts.logIndex })
        .from(alerts)
        .where(readableCondition(shape.reader))
        .orderBy(desc(alerts.logIndex))
        .limit(1)
      return selectListed(at, shape.reader, selectPage(at, where, sql.placeholder('limit')), {
        isRead: sql<boolean>`coalesce(${isReadCondition(at, shape.reader)}, false)`,
        lastIndex: sql<string | null>`(${newest})`,
        found: selectCounts(at, shape),
      })
    },
    { ...shape.values, beforeIndex, limit },
  )
  const [{ lastIndex = null, found = null } = {}] = page
  return {
    rows: page.filter(isListed),
    lastIndex: lastIndex === null ? null : Number(lastIndex),
    byPriority: await completeCounts(tx, shape, found ?? {}),
  }
}

/**
 * Returns the log indexes of the selected alerts that the reader may read in full, newest first.
 */
export async function listReadable(
  tx: Queryable,
  reader: AlertReader,
  selection: Search,
  { beforeIndex, limit }: Page,
): Promise<number[]> {
  const isBefore = beforeIndex === undefined ? undefined : lt(alerts.logIndex, beforeIndex)
  const rows = await tx
    .select({ logIndex: alerts.logIndex })
    .from(alerts)
    .where(and(isSelected(tx, reader, selection), readableCondition(reader), isBefore))
    .orderBy(desc(alerts.logIndex))
    .limit(limit)
  return rows.map(({ logIndex }) => logIndex)
}

/** Selects the counts per priority, with the other filters of the selection applied. */
function selectCounts(tx: Queryable, shape: Shape): SQL<PriorityCounts | null> {
  const { q, asset, assets, type, types, regime, verdict } = shape.selection
  if (q !== undefined) return countInOnePass(tx, shape, maxCounted + 1)
  const isRare = [asset, assets, type, types, regime, verdict].some((filter) => filter !== undefined)
  return isRare ? countInOnePass(tx, shape) : countUpToMost(tx, shape, priorities)
}

/**
 * Completes the counts. Matches of a search text are counted up to a limit. If it was reached, the
 * selected priorities are counted again with one scan each.
 */
async function completeCounts(
  tx: Queryable,
  shape: Shape,
  found: PriorityCounts,
): Promise<Record<Priority, LimitedCount>> {
  const all = Object.values(found).reduce((sum, one) => sum + one, 0)
  const isCut = shape.selection.q !== undefined && all > maxCounted
  const presentedCounts = presentCounts(found, isCut)
  const { selected } = shape
  if (!isCut || selected.length === 0) return presentedCounts
  const count = (at: Queryable) =>
    at.select({ found: countUpToMost(at, shape, selected) }).from(sql`(select 1) as once`)
  const [row] = await runCounts(tx, `${shape.name} ${selected.join()}`, count, shape.values)
  return {
    ...presentedCounts,
    ...Object.fromEntries(selected.map((each) => [each, limitCount(row?.found?.[each] ?? 0)])),
  }
}

/** @param isCut true if the scan stopped at its limit, so every count may be higher */
function presentCounts(found: PriorityCounts, isCut: boolean): Record<Priority, LimitedCount> {
  const present = (priority: Priority): LimitedCount => {
    const { count: most, isMore } = limitCount(found[priority] ?? 0)
    return { count: most, isMore: isMore || isCut }
  }
  return { critical: present('critical'), high: present('high'), medium: present('medium'), low: present('low') }
}

type PriorityCounts = { [Name in Priority]?: number }
const runCounts = prepareByShape<{ found: PriorityCounts | null }[]>()

/** Counts with one bounded index scan per priority, so the cost does not grow with the history. */
function countUpToMost(
  tx: Queryable,
  { reader, selection }: Shape,
  selected: readonly Priority[],
): SQL<PriorityCounts> {
  const counts = selected.map((priority) => {
    const foundAlerts = tx
      .select({ one: sql`1`.as('one') })
      .from(alerts)
      .where(isSelected(tx, reader, { ...selection, priority }))
      .limit(maxCounted + 1)
      .as('found')
    return sql`${sql.raw(`'${priority}'`)}, ${tx.$count(foundAlerts)}`
  })
  return sql<PriorityCounts>`json_build_object(${sql.join(counts, sql`, `)})`
}

/**
 * Counts all priorities in one scan. With a rare filter, four separate counts would each scan
 * everything. Text matching is the most expensive filter, so the caller limits the rows.
 */
function countInOnePass(tx: Queryable, { reader, selection }: Shape, most?: number): SQL<PriorityCounts | null> {
  const all = tx
    .select({ priority: alerts.priority })
    .from(alerts)
    .where(isSelected(tx, reader, { ...selection, priority: undefined }))
  const looked = (most === undefined ? all : all.limit(most)).as('looked')
  const passed = tx
    .select({ priority: looked.priority, found: count().as('found') })
    .from(looked)
    .groupBy(looked.priority)
    .as('passed')
  return sql<PriorityCounts | null>`(select json_object_agg(${passed.priority}, ${passed.found}) from ${passed})`
}

/**
 * Returns true if the selection filters by content. Locked rows never match such a selection,
 * because a match would reveal their content.
 */
function asksForContent({ priority: _, from: _from, to: _to, ...content }: Partial<Search>): boolean {
  return Object.values(content).some((value) => value !== undefined)
}

function isSelected(tx: Queryable, reader: AlertReader, selection: Search): SQL | undefined {
  const { words, openedIndexes, ...filters } = selection
  const { q, priority, asset, assets, type, types, regime, verdict, from, to, read } = filters
  return and(
    asksForContent(filters) ? readableCondition(reader) : visibleCondition(reader),
    priority === undefined ? undefined : inArray(alerts.priority, [priority].flat()),
    asset === undefined ? undefined : eq(alerts.asset, asset),
    assets === undefined ? undefined : inArray(alerts.asset, [assets].flat()),
    type === undefined ? undefined : eq(alerts.anomalyType, type),
    types === undefined ? undefined : inArray(alerts.anomalyType, [types].flat()),
    regime === undefined ? undefined : eq(alerts.regime, regime),
    verdict === undefined ? undefined : hasVerdict(tx, verdict),
    from === undefined ? undefined : gte(alerts.createdAt, from),
    to === undefined ? undefined : lte(alerts.createdAt, to),
    read === 'read' ? isReadCondition(tx, reader, openedIndexes) : undefined,
    read === 'unread' ? unreadCondition(tx, reader) : undefined,
    q === undefined ? undefined : isFound(q, words),
  )
}

const earlier = alias(alertOutcomes, 'earlier')

/**
 * Matches alerts with this verdict. If an alert has several outcomes, the one with the lowest index
 * counts.
 */
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
 * Converts the search text to a tsquery, or null if it contains no words. The database splits the
 * text into words, as it does for alerts, because its locale decides what a letter is.
 */
async function parseWords(tx: Queryable, search: string): Promise<string | null> {
  const found = parsed.get(search) ?? (await queryWords(tx, search))
  parsed.delete(search)
  parsed.set(search, found)
  const [oldest] = parsed.keys()
  if (parsed.size > MAX_PARSED && oldest !== undefined) parsed.delete(oldest)
  return found.words
}

const MAX_PARSED = 500
/** Cache of parsed search texts. All pages of a search have the same text. */
const parsed = new Map<string, { words: string | null }>()

async function queryWords(tx: Queryable, search: string): Promise<{ words: string | null }> {
  const own = sql`unnest(to_tsvector('simple', regexp_replace(${search}, '[^[:alnum:]]+', ' ', 'g')))`
  const { rows } = await tx.execute<{ words: string | null }>(
    sql`select string_agg(quote_literal(lexeme) || ':*', ' & ') as words from ${own}`,
  )
  return { words: rows[0]?.words ?? null }
}

/** Number of newest alerts whose facets are listed. It limits the cost with a long history. */
const FACETS_OF_NEWEST = 5_000

/**
 * Lists the assets, types and regimes of the newest alerts that the reader may read in full, by
 * name.
 */
export async function listFacets(tx: Queryable, reader: AlertReader): Promise<AlertFacets> {
  const newest = tx
    .select({ asset: alerts.asset, type: alerts.anomalyType, regime: alerts.regime })
    .from(alerts)
    .where(readableCondition(reader))
    .orderBy(desc(alerts.logIndex))
    .limit(FACETS_OF_NEWEST)
    .as('newest')
  const listNames = async (name: typeof newest.asset | typeof newest.type | typeof newest.regime) => {
    const rows = await tx.selectDistinct({ name }).from(newest).orderBy(name)
    return rows.flatMap((row) => (row.name === '' ? [] : [row.name]))
  }
  const [assets, types, regimes] = await Promise.all([
    listNames(newest.asset),
    listNames(newest.type),
    listNames(newest.regime),
  ])
  return { assets, types, regimes }
}
