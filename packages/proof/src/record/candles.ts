import { compareDecimals, isDecimal, parseUnits } from './decimal.ts'

/**
 * A one-minute candle as the exchange publishes it. The open time is in whole seconds since 1970;
 * prices and volume are decimals, digit for digit.
 */
export type Candle = readonly [openTime: number, open: string, high: string, low: string, close: string, volume: string]

/** A span of time in seconds since 1970, from `from` (inclusive) to `until` (exclusive). */
export interface Span {
  from: number
  until: number
}

export const candleSeconds = 60
const columns = ['openTime', 'open', 'high', 'low', 'close', 'volume'] as const

/**
 * Validates a list of candles that open within the window.
 * @throws Error naming the first candle that breaks a rule
 */
export function parseCandles(value: unknown, window: Span): Candle[] {
  if (!Array.isArray(value)) throw new Error('The candles are not a list')
  let lastOpenTime = Number.NEGATIVE_INFINITY
  return value.map((row, index) => {
    assertCandleForm(row, index)
    assertCandleRules(row, index, window, lastOpenTime)
    lastOpenTime = row[0]
    return row
  })
}

/**
 * Checks candles from readCandleText by the rules of parseCandles, except for the form:
 * readCandleText has checked the form.
 * @throws Error naming the first candle that breaks a rule
 */
export function assertCandles(candles: readonly Candle[], window: Span): void {
  let lastOpenTime = Number.NEGATIVE_INFINITY
  for (let index = 0; index < candles.length; index++) {
    const candle = candles[index]
    if (!candle) continue
    assertCandleRules(candle, index, window, lastOpenTime)
    lastOpenTime = candle[0]
  }
}

/** Checks that a row has six values: an open time and five decimals. */
function assertCandleForm(row: unknown, at: number): asserts row is Candle {
  if (!Array.isArray(row) || row.length !== columns.length) throw createCandleError(at, 'is not a list of six values')
  if (!isOpenTime(row[0])) throw createCandleError(at, 'does not open at a whole minute')
  for (let column = 1; column < columns.length; column++) {
    if (!isDecimal(row[column])) throw createCandleError(at, `has no ${columns[column]} that is a decimal`)
  }
}

function assertCandleRules(candle: Candle, at: number, window: Span, lastOpenTime: number): void {
  const [openTime, open, high, low, close] = candle
  if (!isOpenTime(openTime)) throw createCandleError(at, 'does not open at a whole minute')
  if (compareDecimals(low, '0') <= 0) throw createCandleError(at, 'has a low price of 0')
  if (!isPriceWithin(open, low, high)) throw createCandleError(at, 'opens outside its low and high')
  if (!isPriceWithin(close, low, high)) throw createCandleError(at, 'closes outside its low and high')
  if (openTime < window.from || openTime >= window.until) throw createCandleError(at, 'opens outside the window')
  if (openTime <= lastOpenTime) throw createCandleError(at, 'does not open after the one before it')
}

function isOpenTime(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) % candleSeconds === 0
}

function createCandleError(at: number, problem: string): Error {
  return new Error(`Candle ${at + 1} ${problem}`)
}

function isPriceWithin(price: string, low: string, high: string): boolean {
  return compareDecimals(low, price) <= 0 && compareDecimals(price, high) <= 0
}

/** True if both candles have the same values; trailing zeros do not matter. */
export function equalCandles(a: Candle, b: Candle): boolean {
  if (a[0] !== b[0]) return false
  for (let index = 1; index < columns.length; index++) {
    if (compareDecimals(String(a[index]), String(b[index])) !== 0) return false
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
  const at = column === 'close' ? 4 : 5
  for (const candle of candles) values[(candle[0] - from) / candleSeconds] = parseUnits(candle[at])
  return { from, until, values }
}

/** The value of the minute that opens at `openTime`. */
export function getValueAt({ from, values }: Series, openTime: number): bigint | undefined {
  return values[(openTime - from) / candleSeconds]
}
