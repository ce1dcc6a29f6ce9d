import { compareDecimals, isDecimal, parseDecimal } from './decimal.ts'

/**
 * A one-minute candle as the exchange publishes it. The open time is in whole seconds since 1970;
 * prices and volume are decimals, digit for digit.
 */
export type Candle = readonly [openTime: number, open: string, high: string, low: string, close: string, volume: string]

/** A span of time in seconds since 1970: from `from` up to but without `until`. */
export interface Span {
  from: number
  until: number
}

export const candleSeconds = 60
const columns = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const
const prices = columns.slice(1, 5)

/**
 * Validates a list of candles that open within the window.
 * @throws Error naming the first candle that breaks a rule
 */
export function parseCandles(value: unknown, window: Span): Candle[] {
  if (!Array.isArray(value)) throw new Error('The candles are not a list')
  let last = Number.NEGATIVE_INFINITY
  return value.map((row, at) => {
    const name = `Candle ${at + 1}`
    assertCandle(row, name)
    const [openTime] = row
    if (openTime < window.from || openTime >= window.until) throw new Error(`${name} opens outside the window`)
    if (openTime <= last) throw new Error(`${name} does not open after the one before it`)
    last = openTime
    return row
  })
}

function assertCandle(row: unknown, name: string): asserts row is Candle {
  if (!Array.isArray(row) || row.length !== columns.length) throw new Error(`${name} is not a list of six values`)
  const [openTime, open, high, low, close] = row
  if (!Number.isSafeInteger(openTime) || openTime < 0 || openTime % candleSeconds !== 0) {
    throw new Error(`${name} does not open at a whole minute`)
  }
  for (let at = 1; at < columns.length; at++) {
    if (!isDecimal(row[at])) throw new Error(`${name} has no ${columns[at]} that is a decimal`)
  }
  if (compareDecimals(low, '0') <= 0) throw new Error(`${name} has a ${prices[2]} price of 0`)
  if (!isWithin(open, low, high)) throw new Error(`${name} opens outside its low and high`)
  if (!isWithin(close, low, high)) throw new Error(`${name} closes outside its low and high`)
}

function isWithin(price: string, low: string, high: string): boolean {
  return compareDecimals(low, price) <= 0 && compareDecimals(price, high) <= 0
}

/** True if both candles have the same values; trailing zeros do not matter. */
export function equalCandles(a: Candle, b: Candle): boolean {
  if (a[0] !== b[0]) return false
  for (let at = 1; at < columns.length; at++) {
    if (compareDecimals(String(a[at]), String(b[at])) !== 0) return false
  }
  return true
}

/** One column of candles by minute, scaled by 10^18. */
export interface Series extends Span {
  /** One value for each minute of the span; undefined where there is no candle. */
  values: readonly (bigint | undefined)[]
}

/** @param candles as returned by parseCandles for this span */
export function createSeries(candles: readonly Candle[], { from, until }: Span, column: 'close' | 'volume'): Series {
  const values = new Array<bigint | undefined>((until - from) / candleSeconds).fill(undefined)
  const at = columns.indexOf(column)
  for (const candle of candles) values[(candle[0] - from) / candleSeconds] = parseDecimal(candle[at])
  return { from, until, values }
}

/** The value of the minute that opens at `openTime`. */
export function valueAt({ from, values }: Series, openTime: number): bigint | undefined {
  return values[(openTime - from) / candleSeconds]
}
