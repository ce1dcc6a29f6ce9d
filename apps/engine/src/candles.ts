import type { Candle } from '@tocsin/engine'
import { compareDecimals } from '@tocsin/proof'
import { toDecimal } from './digits.ts'
import type { Market } from './market.ts'
import { type RestClient, RestError } from './sources/rest-client.ts'
import { type RawCandle, readCandlesPage, type VenueRest } from './sources/venue-rest.ts'

/**
 * Seconds since 1970, then open, high, low, close, volume as decimals with the exchange's digits.
 */
export type CandleRow = [openTime: number, open: string, high: string, low: string, close: string, volume: string]

/**
 * Fetches the published one-minute candles that open from `from` (inclusive) to `to` (exclusive),
 * both in seconds.
 * @throws RestError if a page is unavailable or has an unknown form, or if a candle is invalid or
 * contradicts another candle of its minute
 */
export async function fetchCandles(
  client: RestClient,
  rest: VenueRest,
  symbol: string,
  from: number,
  to: number,
): Promise<CandleRow[]> {
  const rowsByMinute = new Map<number, CandleRow>()
  const step = 60 * rest.candlesPerPage
  for (let start = from; start < to; start += step) {
    const text = await client.get(rest.candles(symbol, start, Math.min(start + step, to)), rest.candlePauseMs)
    const page = readCandlesPage(rest, text)
    if (!page) throw new RestError('The exchange returned an unknown page')
    for (const raw of page) {
      const row = toCandleRow(raw)
      if (!row) throw new RestError(`The exchange sent an invalid candle: ${JSON.stringify(raw).slice(0, 200)}`)
      const knownRow = rowsByMinute.get(row[0])
      if (knownRow && knownRow.join() !== row.join()) throw new RestError(`The exchange sent two candles for ${row[0]}`)
      if (row[0] >= from && row[0] < to) rowsByMinute.set(row[0], row)
    }
  }
  return [...rowsByMinute.values()].sort(([a], [b]) => a - b)
}

/**
 * Times from 10^14 are in microseconds, times from 10^11 in milliseconds, and smaller ones in
 * seconds.
 */
const FIRST_MICROSECONDS = 1e14
const FIRST_MILLISECONDS = 1e11

/**
 * Checks a candle by the rules of docs/signal-protocol.md, Candles. Returns null if it breaks one.
 */
export function toCandleRow([time, ...texts]: RawCandle): CandleRow | null {
  const openTime = toSeconds(time)
  const [open, high, low, close, volume] = texts.map((text) => (typeof text === 'string' ? toDecimal(text) : null))
  if (openTime === null || openTime % 60 !== 0) return null
  if (!open || !high || !low || !close || !volume) return null
  const isOrdered = [open, close].every(
    (price) => compareDecimals(low, price) <= 0 && compareDecimals(price, high) <= 0,
  )
  if (!isOrdered || compareDecimals(low, '0') <= 0) return null
  return [openTime, open, high, low, close, volume]
}

function toSeconds(time: unknown): number | null {
  if (typeof time !== 'string' || !/^\d{1,16}$/.test(time)) return null
  const value = Number(time)
  const unitsPerSecond = value >= FIRST_MICROSECONDS ? 1e6 : value >= FIRST_MILLISECONDS ? 1e3 : 1
  return value % unitsPerSecond === 0 ? value / unitsPerSecond : null
}

export function toCandleEvent({ venue, name }: Market, [openTime, ...texts]: CandleRow): Candle {
  const [open = 0, high = 0, low = 0, close = 0, volume = 0] = texts.map(Number)
  return { type: 'candle', venue, market: name, at: openTime * 1_000, open, high, low, close, volume }
}
