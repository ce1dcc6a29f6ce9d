import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Candle, EngineEvent, Gap, Tick } from '@tocsin/engine'
import { formatDay } from '@tocsin/proof'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { type CandleRow, toCandleEvent } from '../candles.ts'
import { formatMarketKey, formatSymbol, type LiveVenue, liveVenues, type Market } from '../market.ts'
import type { CandleSource } from '../outcomes.ts'
import { type ArchiveFile, parseArchiveName, readCandles, readTrades } from './rows.ts'

/** The recorded files of one market, sorted by the dates in their names. */
export interface Recording {
  market: Market
  kind: ArchiveFile['kind']
  files: ArchiveFile[]
}

/** Quote assets, longest first. Used to split symbols if the settings name no markets. */
const QUOTES = ['FDUSD', 'USDT', 'USDC', 'BUSD', 'TUSD', 'USD', 'EUR', 'TRY', 'BTC', 'ETH', 'BNB']
/** Maximum number of candle files cached in memory. A file of one month has 45,000 rows. */
const MAX_CACHED_FILES = 8

/** The recordings in a folder: events to replay, and candles that decide predictions. */
export interface Recordings {
  events: Recording[]
  candles: Recording[]
}

/**
 * Finds recorded trades and candles of Binance's public archive in a folder and its subfolders. A
 * subfolder named after a venue contains that venue's markets. A market with both trades and
 * candles is replayed from its trades.
 * @param wantedMarkets markets to read; empty means all
 * @throws Error if there is nothing to read, or a market's name is unknown
 */
export function findRecordings(folder: string, wantedMarkets: readonly Market[]): Recordings {
  const recordings = new Map<string, Recording>()
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = parseArchiveName(join(folder, path))
    const market = file && findMarket(file.symbol, parseVenue(path), wantedMarkets)
    if (!market) continue
    const key = `${formatMarketKey(market)} ${file.kind}`
    const recording = recordings.get(key) ?? { market, kind: file.kind, files: [] }
    recording.files.push(file)
    recordings.set(key, recording)
  }
  const allRecordings = [...recordings.values()].sort((a, b) =>
    compareTexts(formatMarketKey(a.market), formatMarketKey(b.market)),
  )
  for (const { files } of allRecordings)
    files.sort((a, b) => compareTexts(a.date, b.date) || compareTexts(a.path, b.path))
  const missingMarkets = wantedMarkets.filter(
    (market) => !allRecordings.some((one) => formatMarketKey(one.market) === formatMarketKey(market)),
  )
  if (missingMarkets.length > 0)
    throw new Error(`${folder} has no files of ${missingMarkets.map(formatMarketKey).join(', ')}`)
  if (allRecordings.length === 0) {
    throw new Error(`${folder} has no files such as BTCUSDT-trades-2025-02-01.zip or BTCUSDT-1m-2025-02.csv`)
  }
  return {
    events: allRecordings.filter(
      ({ kind, market }) => kind === 'trades' || !recordings.has(`${formatMarketKey(market)} trades`),
    ),
    candles: allRecordings.filter(({ kind }) => kind === 'candles'),
  }
}

/** Yields the events of all recordings in time order. The same files give the same events. */
export async function* readEvents(recordings: readonly Recording[]): AsyncGenerator<EngineEvent> {
  const heads: { event: EngineEvent & { at: number }; rest: AsyncGenerator<Tick | Candle | Gap> }[] = []
  for (const recording of recordings) {
    const rest = recording.kind === 'trades' ? readTicks(recording) : readCandleEvents(recording)
    for await (const event of yieldUntilTimed(rest)) {
      if (event.type === 'gap') yield event
      else heads.push({ event, rest })
    }
  }
  while (heads.length > 0) {
    const head = heads.reduce((first, other) => (getEventTime(other.event) < getEventTime(first.event) ? other : first))
    yield head.event
    let hasMore = false
    for await (const event of yieldUntilTimed(head.rest)) {
      if (event.type === 'gap') yield event
      else {
        head.event = event
        hasMore = true
      }
    }
    if (!hasMore) heads.splice(heads.indexOf(head), 1)
  }
}

/** Creates a candle source that reads the recordings and caches the most recently used files. */
export function createRecordedCandles(recordings: readonly Recording[]): CandleSource {
  const candlesByPath = new Map<string, Promise<Map<number, CandleRow>>>()
  const loadRows = (file: ArchiveFile) => {
    const rows = candlesByPath.get(file.path) ?? readAllRows(file)
    candlesByPath.delete(file.path)
    candlesByPath.set(file.path, rows)
    rows.catch(() => {
      if (candlesByPath.get(file.path) === rows) candlesByPath.delete(file.path)
    })
    const [oldestPath] = candlesByPath.keys()
    if (candlesByPath.size > MAX_CACHED_FILES && oldestPath !== undefined) candlesByPath.delete(oldestPath)
    return rows
  }
  return async (venue, symbol, from, to) => {
    const recording = recordings.find(({ market }) => market.venue === venue && formatSymbol(market) === symbol)
    if (!recording) throw new Error(`The folder has no candles of ${venue} ${symbol}`)
    const rows: CandleRow[] = []
    for (let minute = from; minute < to; minute += 60) {
      const day = formatDay(minute)
      for (const file of recording.files.filter(({ date }) => day.startsWith(date))) {
        const row = (await loadRows(file)).get(minute)
        if (row && rows.at(-1)?.[0] !== minute) rows.push(row)
      }
    }
    return rows
  }
}

async function readAllRows(file: ArchiveFile): Promise<Map<number, CandleRow>> {
  const rows = new Map<number, CandleRow>()
  for await (const { row } of readCandles(file)) rows.set(row[0], row)
  return rows
}

/** Yields events up to and including the next tick or candle. Does not close the generator. */
async function* yieldUntilTimed(events: AsyncGenerator<Tick | Candle | Gap>): AsyncGenerator<Tick | Candle | Gap> {
  for (let next = await events.next(); !next.done; next = await events.next()) {
    yield next.value
    if (next.value.type !== 'gap') return
  }
}

/** Returns the event time of an event. For a candle, this is the end of its minute. */
export function getEventTime(event: EngineEvent): number {
  if (event.type === 'candle') return event.at + MINUTE_MS
  if (event.type === 'gap') return event.to
  return event.type === 'outcome' ? 0 : event.at
}

async function* readTicks({ market, files }: Recording): AsyncGenerator<Tick | Gap> {
  const { venue, name } = market
  let lastTrade: { number: number; at: number } | null = null
  for (const file of files) {
    for await (const { number, at, price, amount, takerSide } of readTrades(file)) {
      if (lastTrade && number <= lastTrade.number) continue
      if (lastTrade && number > lastTrade.number + 1)
        yield { type: 'gap', venue, market: name, from: lastTrade.at, to: at + 1 }
      lastTrade = { number, at }
      yield { type: 'tick', venue, market: name, number, count: 1, at, price, amount, takerSide }
    }
  }
}

async function* readCandleEvents({ market, files }: Recording): AsyncGenerator<Candle> {
  let lastOpenMs = 0
  for (const file of files) {
    for await (const { row, takerBuyVolume } of readCandles(file)) {
      const candle = toCandleEvent(market, row)
      if (candle.at <= lastOpenMs) continue
      lastOpenMs = candle.at
      yield takerBuyVolume === null ? candle : { ...candle, takerBuyVolume: Number(takerBuyVolume) }
    }
  }
}

function parseVenue(path: string): LiveVenue {
  return liveVenues.find((venue) => path.split('/').slice(0, -1).includes(venue)) ?? 'binance'
}

/**
 * Finds the market of a symbol. In the archive, symbols of all venues have no separator between
 * base and quote asset.
 */
function findMarket(symbol: string, venue: LiveVenue, wantedMarkets: readonly Market[]): Market | null {
  if (wantedMarkets.length > 0) {
    return wantedMarkets.find((market) => market.venue === venue && market.name.replace('/', '') === symbol) ?? null
  }
  const quote = QUOTES.find((one) => symbol.endsWith(one) && symbol.length > one.length)
  if (quote === undefined) throw new Error(`The market of ${symbol} is unknown: name it in ENGINE_MARKETS`)
  return { venue, name: `${symbol.slice(0, -quote.length)}/${quote}` }
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
