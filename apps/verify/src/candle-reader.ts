import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Candle,
  type CandleSource,
  computeWindow,
  formatDay,
  getDaySpan,
  type Market,
  type Prediction,
  parseCandles,
} from '@tocsin/proof'
import { readArchiveFile } from './archive-file.ts'
import { explainRefusal, formatOrigin, type Limits, readErrorBody, request, requestBytes } from './http.ts'
import { isObject } from './log-source.ts'
import { parseHttpUrl } from './options.ts'
import { CannotCheck, UsageProblem } from './outcome.ts'
import { quote } from './printable.ts'

/**
 * Loads the candles of whole days, and caches the most recently read days. A returned source keeps
 * its own days, even after the cache drops them.
 */
export interface CandleReader {
  /** Loads the days of a prediction's window. */
  loadWindow(prediction: Prediction): Promise<CandleSource>
  loadDay(prediction: Prediction, day: string): Promise<CandleSource>
}

type FetchDay = (market: Market, day: string) => Promise<Candle[] | null>

/** Maximum number of days in memory, about 0.5 MB each. */
const MAX_CACHED_DAYS = 100

/**
 * Creates a reader of candles.
 * @param archiveLocation folder or URL template of an archive, or null for the candles of the
 *   log's own server. Only the operator of the server vouches for those candles.
 */
export function createCandleReader(archiveLocation: string | null, server: URL, limits: Limits): CandleReader {
  const fetchDay =
    archiveLocation === null ? createServerFetch(server, limits) : createArchiveFetch(archiveLocation, limits)
  const cache = new Map<string, Candle[] | null>()
  // formatKey runs for each outcome, and JSON.stringify takes several times as long. The key is
  // unambiguous, because days have a fixed length and the venue is preceded by its length.
  const formatKey = ({ venue, market }: Market, day: string) => `${day}${venue.length} ${venue}${market}`

  async function loadMarketDay(market: Market, day: string): Promise<Candle[] | null> {
    const key = formatKey(market, day)
    const candles = cache.has(key) ? (cache.get(key) ?? null) : await fetchDay(market, day)
    // The day is inserted again, so that the least recently read days are dropped.
    cache.delete(key)
    cache.set(key, candles)
    const [oldest] = cache.keys()
    if (cache.size > MAX_CACHED_DAYS && oldest !== undefined) cache.delete(oldest)
    return candles
  }

  async function loadDays({ venue, market, other }: Prediction, days: Iterable<string>): Promise<CandleSource> {
    const candlesByKey = new Map<string, Candle[] | null>()
    for (const day of days) {
      for (const pairMarket of [{ venue, market }, ...(other ? [other] : [])]) {
        candlesByKey.set(formatKey(pairMarket, day), await loadMarketDay(pairMarket, day))
      }
    }
    return {
      isArchive: archiveLocation !== null,
      read: (pairMarket, day) => candlesByKey.get(formatKey(pairMarket, day)) ?? null,
    }
  }
  return {
    loadDay: (prediction, day) => loadDays(prediction, [day]),
    loadWindow(prediction) {
      const { from, until } = computeWindow(prediction)
      return loadDays(prediction, new Set([formatDay(from), formatDay(until - 1)]))
    },
  }
}

function createServerFetch(server: URL, limits: Limits): FetchDay {
  return async ({ venue, market }, day) => {
    const path = ['candles', venue, market, day].map(encodeURIComponent).join('/')
    const url = new URL(`/api/log/${path}`, server)
    const response = await request(url, limits)
    if (response.status === 404 && readErrorBody(response).code === 'not_found') return null
    if (response.status !== 200) throw explainRefusal(response, url)
    try {
      const value: unknown = JSON.parse(response.text)
      return parseCandles(isObject(value) ? value.candles : null, getDaySpan(day))
    } catch (error) {
      throw new CannotCheck(`${formatOrigin(url)} returned malformed candles: ${formatError(error)}`)
    }
  }
}

/** Returns the possible names of a day's file in a folder. */
const listFileNames = (day: string, market: string) => [
  ...['json', 'csv', 'csv.gz', 'zip'].map((extension) => `${day}.${extension}`),
  ...['csv', 'csv.gz', 'zip'].map((end) => `${market}-1m-${day}.${end}`),
]

/** True if a path with this name cannot leave the archive's folder. */
const isPlainName = (name: string) => /^[\w.-]+$/.test(name) && !name.startsWith('.')

function createArchiveFetch(archiveLocation: string, limits: Limits): FetchDay {
  const isUrl = /^https?:/.test(archiveLocation)
  if (isUrl && !(archiveLocation.includes('{market}') && archiveLocation.includes('{day}'))) {
    throw new UsageProblem('--candles is a folder, or a URL with {market} and {day}, and {venue} where needed')
  }
  if (!isUrl && !isFolder(archiveLocation))
    throw new UsageProblem(`The folder ${quote(archiveLocation)} of --candles cannot be read`)
  return async ({ venue, market }, day) => {
    const file = isUrl
      ? await download(archiveLocation, { venue, market, day })
      : await readFromFolder(archiveLocation, venue, market, day)
    if (!file) return null
    try {
      return readArchiveFile(file, day)
    } catch (error) {
      throw new CannotCheck(
        `The archive's file of ${quote(`${venue} ${market} ${day}`)} is malformed: ${formatError(error)}`,
      )
    }
  }

  async function download(template: string, values: Record<'venue' | 'market' | 'day', string>) {
    const text = template.replace(/\{(venue|market|day)\}/g, (_, name: keyof typeof values) =>
      encodeURIComponent(values[name]),
    )
    const url = parseHttpUrl(text)
    if (!url) throw new UsageProblem(`--candles gives ${quote(text)}, which is not an http or https address`)
    return requestBytes(url, limits)
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

async function readFromFolder(folder: string, venue: string, market: string, day: string): Promise<Buffer | null> {
  if (!isPlainName(venue) || !isPlainName(market)) return null
  for (const name of listFileNames(day, market)) {
    const path = join(folder, venue, market, name)
    const found = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
      throw new CannotCheck(`The archive's file ${quote(path)} cannot be read (${error.code})`)
    })
    if (found) return found
  }
  return null
}

function formatError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
