import { parseJsonDigits } from '../digits.ts'
import type { LiveVenue } from '../market.ts'
import { toTakerSide } from './binance.ts'
import { toCoinbaseTradeTexts } from './coinbase.ts'
import { type TradeTexts, toList, toObject, toTrade, type WireTrade } from './frame.ts'
import { toOkxTradeTexts } from './okx.ts'
import type { NumberRange, Position } from './trade-sequence.ts'

/**
 * REST pages of one exchange. Paths start with `/`. Functions that read a page return null for a
 * page of another form.
 */
export interface VenueRest {
  /**
   * Path of the next page, or null when `receivedTrades` covers the range. Pages may contain trades
   * outside the range too.
   * @param after the newest trade before the range
   */
  nextTrades(symbol: string, range: NumberRange, receivedTrades: readonly WireTrade[], after: Position): string | null
  /** Path of the newest trades, as many as a page contains. */
  newestTrades(symbol: string): string
  readTrades(page: unknown, symbol: string): TradeTexts[] | null
  /** Maximum number of candles per request. */
  candlesPerPage: number
  /**
   * Pause after a request for candles. Set if the exchange allows more requests for candles than
   * for trades.
   */
  candlePauseMs?: number
  /** True if there is only one page, which has the newest candles. */
  hasOnlyNewestCandles: boolean
  /**
   * Path of a page of candles.
   * @param from,to seconds since 1970, `to` exclusive
   */
  candles(symbol: string, from: number, to: number): string
  /** Reads a page of candles. Rows that the exchange marks as incomplete are left out. */
  readCandles(page: unknown): RawCandle[] | null
}

/** A candle before its checks: time in seconds or milliseconds, then five numbers as text. */
export type RawCandle = readonly [unknown, unknown, unknown, unknown, unknown, unknown]

const binance: VenueRest = {
  nextTrades(symbol, { from, to }, receivedTrades) {
    const nextNumber = receivedTrades.reduce((most, { number }) => Math.max(most, number + 1), from)
    return nextNumber > to ? null : `/api/v3/historicalTrades?symbol=${symbol}&fromId=${nextNumber}&limit=1000`
  },
  newestTrades: (symbol) => `/api/v3/trades?symbol=${symbol}&limit=1000`,
  readTrades: (page, symbol) =>
    parseRows(toList(page), toObject, ({ id, price, qty, time, isBuyerMaker }) => ({
      symbol,
      number: id,
      count: undefined,
      price,
      amount: qty,
      time,
      side: toTakerSide(isBuyerMaker),
    })),
  candlesPerPage: 1_000,
  // A request uses 2 of the 6,000 weight units that the exchange allows per minute. The pause is
  // short, because many predictions may end in the same minute.
  candlePauseMs: 50,
  hasOnlyNewestCandles: false,
  candles: (symbol, from, to) =>
    `/api/v3/klines?symbol=${symbol}&interval=1m&startTime=${from}000&endTime=${to - 1}999&limit=1000`,
  readCandles: (page) =>
    parseRows(toList(page), toList, ([time, open, high, low, close, volume]) => [time, open, high, low, close, volume]),
}

const coinbase: VenueRest = {
  nextTrades: (symbol, range, got) =>
    selectOlderPage(range, got, (after) => `/products/${symbol}/trades?limit=1000&after=${after}`),
  readTrades: (page, symbol) => parseRows(toList(page), toObject, (trade) => toCoinbaseTradeTexts(trade, symbol)),
  newestTrades: (symbol) => `/products/${symbol}/trades?limit=1000`,
  candlesPerPage: 300,
  // The exchange allows ten requests per second.
  candlePauseMs: 100,
  hasOnlyNewestCandles: false,
  candles: (symbol, from, to) =>
    `/products/${symbol}/candles?granularity=60&start=${formatIsoSeconds(from)}&end=${formatIsoSeconds(to - 60)}`,
  // Low and high come before open and close.
  readCandles: (page) =>
    parseRows(toList(page), toList, ([time, low, high, open, close, volume]) => [time, open, high, low, close, volume]),
}

const kraken: VenueRest = {
  nextTrades(symbol, { from, to }, got, after) {
    const newestTrade = got.reduce((most, trade) => (trade.number > most.number ? trade : most), after)
    if (got.length > 0 && newestTrade.number >= to) return null
    // `since` is in nanoseconds and exclusive. The URL contains the last nanosecond before `at`
    // (milliseconds), so that the page includes the trades at `at`.
    const at = newestTrade.number < from ? after.at : newestTrade.at
    return `/0/public/Trades?pair=${symbol}&since=${at - 1}999999`
  },
  readTrades: (page, symbol) =>
    parseRows(getKrakenRows(page), toList, ([price, amount, time, side, , , number]) => ({
      symbol,
      number,
      count: undefined,
      price,
      amount,
      time: secondsToMilliseconds(time),
      side: side === 'b' ? 'buy' : side === 's' ? 'sell' : null,
    })),
  newestTrades: (symbol) => `/0/public/Trades?pair=${symbol}`,
  candlesPerPage: 720,
  hasOnlyNewestCandles: true,
  candles: (symbol, from) => `/0/public/OHLC?pair=${symbol}&interval=1&since=${from - 1}`,
  // The last row is the current minute. It need not be removed, because it is not part of any
  // window of past minutes.
  readCandles: (page) =>
    parseRows(getKrakenRows(page), toList, ([time, open, high, low, close, , volume]) => [
      time,
      open,
      high,
      low,
      close,
      volume,
    ]),
}

const okx: VenueRest = {
  nextTrades: (symbol, range, got) =>
    selectOlderPage(
      range,
      got,
      (after) => `/api/v5/market/history-trades?instId=${symbol}&type=1&after=${after}&limit=100`,
    ),
  // REST pages list single trades, so a field `count` is ignored.
  readTrades: (page, symbol) =>
    parseRows(getOkxRows(page), toObject, (trade) => ({ ...toOkxTradeTexts(trade), symbol, count: undefined })),
  newestTrades: (symbol) => `/api/v5/market/history-trades?instId=${symbol}&limit=100`,
  candlesPerPage: 100,
  // The exchange allows 20 requests in two seconds.
  candlePauseMs: 100,
  hasOnlyNewestCandles: false,
  candles: (symbol, from, to) =>
    `/api/v5/market/history-candles?instId=${symbol}&bar=1m&after=${to}000&before=${from - 1}999&limit=100`,
  readCandles: (page) =>
    parseRows(
      getOkxRows(page)?.filter((row) => toList(row)?.[8] !== '0'),
      toList,
      ([time, open, high, low, close, volume]) => [time, open, high, low, close, volume],
    ),
}

export const venueRest: Record<LiveVenue, VenueRest> = { binance, coinbase, kraken, okx }

/**
 * Reads a page of trades. Returns null if the page has an unexpected form. Leaves out invalid
 * trades (see `toTrade`), which then count as missing.
 */
export function readTradesPage(rest: VenueRest, text: string, symbol: string): WireTrade[] | null {
  const texts = rest.readTrades(parseJsonDigits(text), symbol)
  return texts?.map(toTrade).filter((trade) => typeof trade === 'object') ?? null
}

/** Reads a page of candles without checking them. */
export function readCandlesPage(rest: VenueRest, text: string): RawCandle[] | null {
  return rest.readCandles(parseJsonDigits(text))
}

/**
 * Selects the next page for exchanges whose pages list the newest trade first and whose cursor is
 * exclusive.
 */
function selectOlderPage(
  { from, to }: NumberRange,
  receivedTrades: readonly WireTrade[],
  createPath: (after: number) => string,
): string | null {
  const oldestNumber = receivedTrades.reduce((least, { number }) => Math.min(least, number), to + 1)
  return oldestNumber <= from ? null : createPath(oldestNumber)
}

function parseRows<R, T>(
  list: unknown[] | null | undefined,
  toRow: (row: unknown) => R | null,
  convertRow: (row: R) => T,
): T[] | null {
  if (!list) return null
  const result: T[] = []
  for (const item of list) {
    const row = toRow(item)
    if (row === null) return null
    result.push(convertRow(row))
  }
  return result
}

/**
 * Returns the rows of a page. They are under the pair's name, which differs from the name in the
 * request.
 */
function getKrakenRows(page: unknown): unknown[] | null {
  const result = toObject(toObject(page)?.result)
  const [name] = Object.keys(result ?? {}).filter((key) => key !== 'last')
  return result && name !== undefined ? toList(result[name]) : null
}

function getOkxRows(page: unknown): unknown[] | null {
  const body = toObject(page)
  return body?.code === '0' ? toList(body.data) : null
}

function formatIsoSeconds(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}

/**
 * Converts seconds to milliseconds by moving digits, because a product in binary64 may fall below
 * the millisecond.
 */
function secondsToMilliseconds(text: unknown): string | undefined {
  const [, whole, fraction = ''] = typeof text === 'string' ? (/^(\d+)(?:\.(\d+))?$/.exec(text) ?? []) : []
  return whole === undefined ? undefined : whole + fraction.padEnd(3, '0').slice(0, 3)
}
