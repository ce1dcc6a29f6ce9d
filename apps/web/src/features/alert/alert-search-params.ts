import {
  type AlertSelection,
  isPlainText,
  listedVerdicts,
  maxFilterNames,
  priorities,
  type ViewFilter,
} from '@tocsin/protocol'

/**
 * Reads a text parameter. The router parses `?q=42` as a number, but search text is always a
 * string.
 */
function parseText(value: unknown): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return undefined
  const text = String(value).trim().slice(0, 200)
  return text !== '' && isPlainText(text) ? text : undefined
}

/**
 * Reads a date such as 2026-02-28. Undefined if it is malformed, not in the calendar or not in this
 * century: while the user types the year, a date field contains years such as 0002.
 */
export function parseDay(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^20\d{2}-\d{2}-\d{2}$/.test(value)) return undefined
  const atMs = Date.parse(value)
  return Number.isNaN(atMs) || new Date(atMs).toISOString().slice(0, 10) !== value ? undefined : value
}

const parseChoice = <T>(values: readonly T[], value: unknown): T | undefined => values.find((each) => each === value)
const omitIfEmpty = <T>(values: readonly T[]) => (values.length > 0 ? [...values] : undefined)

/**
 * Reads a filter that can have several values, given as one value or as a list. Drops invalid
 * values.
 */
function parseNames(value: unknown): string[] | undefined {
  const names = [value].flat().flatMap((each) => parseText(each) ?? [])
  return omitIfEmpty([...new Set(names)].sort().slice(0, maxFilterNames))
}

/** State of the alert list, as the URL stores it: the filters and the open alert. */
export type AlertSearchParams = ViewFilter & { alert?: string | undefined }

/**
 * Reads the state from the URL. Drops invalid values, swaps the ends of a reversed date range and
 * sorts lists, so that equal filters compare as equal.
 */
export function readAlertSearchParams(search: unknown): AlertSearchParams {
  const {
    q,
    priority,
    asset,
    type,
    regime,
    verdict,
    read,
    watchlist,
    alert,
    ...dayRange
  }: { [name: string]: unknown } = Object(search)
  const from = parseDay(dayRange.from)
  const to = parseDay(dayRange.to)
  const isReversed = from !== undefined && to !== undefined && from > to
  return omitUndefined({
    q: parseText(q),
    priority: omitIfEmpty(priorities.filter((each) => [priority].flat().includes(each))),
    asset: parseNames(asset),
    type: parseNames(type),
    regime: parseText(regime),
    verdict: parseChoice(listedVerdicts, verdict),
    read: parseChoice(['unread'] as const, read),
    watchlist: parseChoice([true] as const, watchlist),
    alert: parseText(alert),
    ...(isReversed ? { from: to, to: from } : { from, to }),
  })
}

/** Returns the state as URL parameters. A list with one value is replaced by this value. */
export function toSearchParams(searchParams: AlertSearchParams): Record<string, unknown> {
  const { priority, asset, type, ...rest } = searchParams
  return omitUndefined({
    ...rest,
    priority: unwrapSingle(priority),
    asset: unwrapSingle(asset),
    type: unwrapSingle(type),
  })
}

const unwrapSingle = (values: readonly string[] | undefined) => (values?.length === 1 ? values[0] : values)

/** Returns the filters of the state without the open alert, as a saved view stores them. */
export function toViewFilter(searchParams: AlertSearchParams): ViewFilter {
  const { alert: _, ...filter } = searchParams
  return filter
}

/** Returns whether both states have the same filters. */
export function hasSameFilters(one: AlertSearchParams, other: AlertSearchParams): boolean {
  const serializeFilter = (searchParams: AlertSearchParams) =>
    JSON.stringify(toViewFilter(readAlertSearchParams(searchParams)))
  return serializeFilter(one) === serializeFilter(other)
}

/**
 * Returns the filters to send to the server.
 * @param watchedAssets assets of the watchlist; no alert matches an empty watchlist
 */
export function toSelection(searchParams: AlertSearchParams, watchedAssets: readonly string[]): AlertSelection {
  const { watchlist, asset, type, ...filter } = toViewFilter(searchParams)
  const assets = watchlist ? watchedAssets.filter((name) => asset?.includes(name) ?? true) : asset
  return omitUndefined({
    ...filter,
    assets: assets && (assets.length > 0 ? assets : ''),
    types: type,
  })
}

export function isFiltered(searchParams: AlertSearchParams): boolean {
  return Object.keys(toSelection(searchParams, [])).length > 0
}

/** Removes keys whose value is undefined, so that equal objects compare as equal. */
function omitUndefined<Of extends object>(params: Of): Of {
  // Safe cast: only undefined values are removed, so their keys must be optional in `Of`.
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)) as Of
}
