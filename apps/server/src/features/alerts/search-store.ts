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
import { setNewest } from '../../set-newest.ts'
import { createReadableCondition, createVisibleCondition } from '../access/readable.ts'
import {
  type AlertReader,
  createUnreadCondition,
  isReadCondition,
  limitCount,
  listOpenedIndexes,
} from './read-store.ts'
import { type FoundRow, isListed, selectListed, selectPage } from './store.ts'

/**
 * A selection with parsed search words. If it selects read alerts, `openedIndexes` lists the alerts
 * that the account has opened, or is null if there are too many.
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
const MAX_OPENED_INDEXES = 10_000

export async function prepareSearch(
  tx: Queryable,
  accountId: string,
  { from, to, ...selection }: AlertSelection,
): Promise<Search> {
  const [words, openedIndexes] = await Promise.all([
    selection.q === undefined ? null : parseWords(tx, selection.q),
    selection.read === 'read' ? listOpenedIndexes(tx, accountId, MAX_OPENED_INDEXES) : null,
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
interface SearchShape {
  name: string
  reader: AlertReader
  selection: Search
  values: Record<string, unknown>
  /** The priorities that the search asks for. */
  selected: readonly Priority[]
}

function toShape({ marks, publicCutoff, subscribed, ...reader }: AlertReader, search: Search): SearchShape {
  const values: Record<string, unknown> = {}
  const createPlaceholder = <T>(name: string, value: T): T => {
    if (value === undefined || value === null) return value
    values[name] = value instanceof Date ? value.toISOString() : value
    // The cast is safe: Drizzle accepts a placeholder for any value of a condition.
    return sql.placeholder(name) as unknown as T
  }
  const createPlaceholders = <T>(name: string, value: T | T[] | undefined): T[] | undefined =>
    value === undefined
      ? undefined
      : [value].flat().map((each, index) => createPlaceholder(`${name}${index}`, each as T))
  const { verdict, read } = search
  const shape = {
    reader: {
      subscribed,
      publicCutoff: createPlaceholder('publicCutoff', publicCutoff),
      accountId: createPlaceholder('accountId', reader.accountId),
      joinedIndex: createPlaceholder('joinedIndex', reader.joinedIndex),
      marks: marks.map((mark, index) => ({
        upToIndex: createPlaceholder(`markIndex${index}`, mark.upToIndex),
        at: createPlaceholder(`markAt${index}`, mark.at),
        publicCutoff: createPlaceholder(`markPublicCutoff${index}`, mark.publicCutoff),
      })),
    },
    selection: {
      read,
      q: createPlaceholder('q', search.q),
      words: createPlaceholder('words', search.words),
      priority: createPlaceholders('priority', search.priority),
      asset: createPlaceholder('asset', search.asset),
      assets: createPlaceholders('assets', search.assets),
      type: createPlaceholder('type', search.type),
      types: createPlaceholders('types', search.types),
      regime: createPlaceholder('regime', search.regime),
      // `open` is not compared with a column, so it needs no placeholder.
      verdict: verdict === 'open' ? verdict : createPlaceholder('verdict', verdict),
      from: createPlaceholder('from', search.from),
      to: createPlaceholder('to', search.to),
      openedIndexes: createPlaceholder('openedIndexes', search.openedIndexes),
    },
    values,
    selected: [search.priority ?? []].flat(),
  }
  return { ...shape, name: [subscribed, read, verdict === 'open', ...Object.keys(values)].join() }
}

type PageRow = FoundRow & { isRead: boolean; lastIndex: string | null; found: PriorityCounts | null }
const runPage = prepareByShape<PageRow[]>()

/**
 * Returns a page of the selected alerts, newest first, the counts per priority over all pages, and
 * the index of the newest alert that the reader may read in full. The page and this index are read
 * in one snapshot, so alerts that are issued later are above this index.
 */
export async function findPage(tx: Queryable, reader: AlertReader, search: Search, { beforeIndex, limit }: Page) {
  const shape = toShape(reader, search)
  const page = await runPage(
    tx,
    `${shape.name} ${beforeIndex === undefined}`,
    (at) => {
      const isBefore = beforeIndex === undefined ? undefined : lt(alerts.logIndex, sql.placeholder('beforeIndex'))
      const where = and(isSelected(at, shape.reader, shape.selection), isBefore)
      const newestReadableIndex = at
        .select({ logIndex: alerts.logIndex })
        .from(alerts)
        .where(createReadableCondition(shape.reader))
        .orderBy(desc(alerts.logIndex))
        .limit(1)
      return selectListed(at, shape.reader, selectPage(at, where, sql.placeholder('limit')), {
        isRead: sql<boolean>`coalesce(${isReadCondition(at, shape.reader)}, false)`,
        lastIndex: sql<string | null>`(${newestReadableIndex})`,
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
    .where(and(isSelected(tx, reader, selection), createReadableCondition(reader), isBefore))
    .orderBy(desc(alerts.logIndex))
    .limit(limit)
  return rows.map(({ logIndex }) => logIndex)
}

/** Selects the counts per priority, with the other filters of the selection applied. */
function selectCounts(tx: Queryable, shape: SearchShape): SQL<PriorityCounts | null> {
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
  shape: SearchShape,
  found: PriorityCounts,
): Promise<Record<Priority, LimitedCount>> {
  const totalCount = Object.values(found).reduce((sum, one) => sum + one, 0)
  const isCut = shape.selection.q !== undefined && totalCount > maxCounted
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
function presentCounts(foundCounts: PriorityCounts, isCut: boolean): Record<Priority, LimitedCount> {
  const present = (priority: Priority): LimitedCount => {
    const { count: most, isMore } = limitCount(foundCounts[priority] ?? 0)
    return { count: most, isMore: isMore || isCut }
  }
  return { critical: present('critical'), high: present('high'), medium: present('medium'), low: present('low') }
}

type PriorityCounts = { [Name in Priority]?: number }
const runCounts = prepareByShape<{ found: PriorityCounts | null }[]>()

/** Counts with one bounded index scan per priority, so the cost does not grow with the history. */
function countUpToMost(
  tx: Queryable,
  { reader, selection }: SearchShape,
  selectedPriorities: readonly Priority[],
): SQL<PriorityCounts> {
  const counts = selectedPriorities.map((priority) => {
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
function countInOnePass(
  tx: Queryable,
  { reader, selection }: SearchShape,
  maxCount?: number,
): SQL<PriorityCounts | null> {
  const matchingAlerts = tx
    .select({ priority: alerts.priority })
    .from(alerts)
    .where(isSelected(tx, reader, { ...selection, priority: undefined }))
  const scannedAlerts = (maxCount === undefined ? matchingAlerts : matchingAlerts.limit(maxCount)).as('looked')
  const countsByPriority = tx
    .select({ priority: scannedAlerts.priority, found: count().as('found') })
    .from(scannedAlerts)
    .groupBy(scannedAlerts.priority)
    .as('passed')
  return sql<PriorityCounts | null>`(select json_object_agg(${countsByPriority.priority}, ${countsByPriority.found}) from ${countsByPriority})`
}

/**
 * Returns true if the selection filters by anything but priority and time. Locked rows never match
 * such a selection, because a match would reveal their content.
 */
function hasContentFilter({ priority: _, from: _from, to: _to, ...content }: Partial<Search>): boolean {
  return Object.values(content).some((value) => value !== undefined)
}

function isSelected(tx: Queryable, reader: AlertReader, selection: Search): SQL | undefined {
  const { words, openedIndexes, ...filters } = selection
  const { q, priority, asset, assets, type, types, regime, verdict, from, to, read } = filters
  return and(
    hasContentFilter(filters) ? createReadableCondition(reader) : createVisibleCondition(reader),
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
    read === 'unread' ? createUnreadCondition(tx, reader) : undefined,
    q === undefined ? undefined : isFound(q, words),
  )
}

const earlierOutcomes = alias(alertOutcomes, 'earlier')

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
    eq(earlierOutcomes.targetIndex, alertOutcomes.targetIndex),
    lt(earlierOutcomes.logIndex, alertOutcomes.logIndex),
  )
  const hasEarlier = exists(tx.select({ one: sql`1` }).from(earlierOutcomes).where(isEarlier))
  const hasFirstVerdict = and(isOfAlert, eq(alertOutcomes.verdict, verdict), not(hasEarlier))
  return exists(tx.select({ one: sql`1` }).from(alertOutcomes).where(hasFirstVerdict))
}

/** Matches alerts that contain all words as prefixes, or have this id. */
export function isFound(search: string, words: string | null): SQL | undefined {
  const isId = eq(alerts.id, search)
  return words === null ? isId : or(isId, sql`${alerts.words} @@ ${words}::tsquery`)
}

/**
 * Converts the search text to a tsquery, or null if it contains no words. The database splits the
 * text into words, as it does for alerts, because its locale decides what a letter is.
 */
export async function parseWords(tx: Queryable, search: string): Promise<string | null> {
  const parsedSearch = searchCache.get(search) ?? queryWords(tx, search)
  setNewest(searchCache, search, parsedSearch, MAX_CACHED_SEARCHES)
  try {
    return await parsedSearch
  } catch (error) {
    searchCache.delete(search)
    throw error
  }
}

const MAX_CACHED_SEARCHES = 500
/** Cache of parsed search texts. All pages of a search have the same text. */
const searchCache = new Map<string, Promise<string | null>>()

async function queryWords(tx: Queryable, search: string): Promise<string | null> {
  const searchWords = sql`unnest(to_tsvector('simple', regexp_replace(${search}, '[^[:alnum:]]+', ' ', 'g')))`
  const { rows } = await tx.execute<{ words: string | null }>(
    sql`select string_agg(quote_literal(lexeme) || ':*', ' & ') as words from ${searchWords}`,
  )
  return rows[0]?.words ?? null
}

/** Number of newest alerts whose facets are listed. It limits the cost with a long history. */
const FACETS_OF_NEWEST = 5_000

/**
 * Lists the assets, types and regimes of the newest alerts that the reader may read in full, by
 * name.
 */
export async function listFacets(tx: Queryable, reader: AlertReader): Promise<AlertFacets> {
  const newestAlerts = tx
    .select({ asset: alerts.asset, type: alerts.anomalyType, regime: alerts.regime })
    .from(alerts)
    .where(createReadableCondition(reader))
    .orderBy(desc(alerts.logIndex))
    .limit(FACETS_OF_NEWEST)
    .as('newest')
  const listNames = async (name: typeof newestAlerts.asset | typeof newestAlerts.type | typeof newestAlerts.regime) => {
    const rows = await tx.selectDistinct({ name }).from(newestAlerts).orderBy(name)
    return rows.flatMap((row) => (row.name === '' ? [] : [row.name]))
  }
  const [assets, types, regimes] = await Promise.all([
    listNames(newestAlerts.asset),
    listNames(newestAlerts.type),
    listNames(newestAlerts.regime),
  ])
  return { assets, types, regimes }
}
