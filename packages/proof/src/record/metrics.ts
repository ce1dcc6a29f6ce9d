import { type Candle, candleSeconds, createSeries, parseCandles, type Series, type Span, valueAt } from './candles.ts'
import { formatResult, inputUnitsPerResultUnit, parseThreshold, resultUnit } from './decimal.ts'
import { horizonOf, type Metric, type Prediction } from './prediction.ts'

export type VoidReason = 'missing-candles' | 'no-reference'
export type Verdict = 'came-true' | 'did-not' | 'void'

/** A metric's value scaled by 10^12, or the reason why it has none. */
export type Measurement = { units: bigint; voidReason: null } | { units: null; voidReason: VoidReason }

/** The series that a metric is measured on. `other` is null unless the metric is `spread`. */
export interface Markets {
  market: Series
  other: Series | null
}

/** What the candles say about a prediction. */
export interface Judgement {
  verdict: Verdict
  /** The value as a decimal without trailing zeros. Null if and only if void. */
  measured: string | null
  voidReason: VoidReason | null
}

/** The candles of a prediction's window as sent. `other` is null unless the metric is `spread`. */
export interface CandleLists {
  market: readonly Candle[]
  other: readonly Candle[] | null
}

/** Seconds before the start in which the reference candle must open. */
const referenceSeconds = 300
/** The value is void if more than one in five minutes has no candle. */
const maxMissingShare = 5

/** The time of the candles that judge a prediction: its horizon, and before it the reference. */
export function windowOf(prediction: Prediction): Span {
  const { from, until } = horizonOf(prediction)
  return { from: from - referenceSeconds, until }
}

/**
 * Validates the candles of a prediction's window.
 * @throws Error naming the first candle that breaks a rule
 */
export function parseCandleLists(prediction: Prediction, market: unknown, other: unknown): CandleLists {
  const window = windowOf(prediction)
  const parsed = parseCandles(market, window)
  return { market: parsed, other: prediction.metric === 'spread' ? parseCandles(other, window) : null }
}

/** The minutes of the horizon that lack a candle of the market, or of the other market. */
export function missingMinutes(prediction: Prediction, { market, other }: CandleLists): number[] {
  const { from, until } = horizonOf(prediction)
  const opened = [market, ...(other ? [other] : [])].map((candles) => new Set(candles.map(([openTime]) => openTime)))
  const missing: number[] = []
  for (let minute = from; minute < until; minute += candleSeconds) {
    if (!opened.every((minutes) => minutes.has(minute))) missing.push(minute)
  }
  return missing
}

/** Judges a prediction by the candles of its window. */
export function judgePrediction(prediction: Prediction, candles: CandleLists): Judgement {
  const { units, voidReason } = measure(prediction.metric, seriesOf(prediction, candles), horizonOf(prediction))
  if (units === null) return { verdict: 'void', measured: null, voidReason }
  const verdict = units >= parseThreshold(prediction.threshold) ? 'came-true' : 'did-not'
  return { verdict, measured: formatResult(units), voidReason: null }
}

/**
 * Applies the same rule to what is left of the horizon after the prediction was anchored.
 * @param blockMs block time of the first anchor that covers the alert, in milliseconds
 */
export function judgeWitnessed(
  prediction: Prediction,
  candles: CandleLists,
  blockMs: number,
): { isTrue: boolean; measured: string | null } {
  const { from, until } = horizonOf(prediction)
  const minuteAfter = Math.ceil(blockMs / 1000 / candleSeconds) * candleSeconds
  const rest = { from: Math.max(from, minuteAfter), until }
  if (rest.from >= until) return { isTrue: false, measured: null }
  const { units } = measure(prediction.metric, seriesOf(prediction, candles), rest)
  if (units === null) return { isTrue: false, measured: null }
  return { isTrue: units >= parseThreshold(prediction.threshold), measured: formatResult(units) }
}

function seriesOf(prediction: Prediction, { market, other }: CandleLists): Markets {
  const window = windowOf(prediction)
  const column = columnOf(prediction.metric)
  return {
    market: createSeries(market, window, column),
    other: other && createSeries(other, window, column),
  }
}

export function columnOf(metric: Metric): 'close' | 'volume' {
  return metric === 'volume' ? 'volume' : 'close'
}

/** Measures a metric over a horizon that lies within the series. */
export function measure(metric: Metric, { market, other }: Markets, horizon: Span): Measurement {
  const minutes = (horizon.until - horizon.from) / candleSeconds
  const missing = minutes - countPresent(market, other, horizon)
  if (missing * maxMissingShare > minutes) return { units: null, voidReason: 'missing-candles' }
  if (metric === 'volume') return toMeasurement(sumOf(market, horizon) / inputUnitsPerResultUnit)
  if (metric === 'spread') return toMeasurement(largestSpread(market, other ?? market, horizon))
  const reference = findReference(market, horizon.from)
  if (reference === undefined) return { units: null, voidReason: 'no-reference' }
  return toMeasurement((metric === 'maxExcursion' ? maxExcursion : variance)(reference, market, horizon))
}

function toMeasurement(units: bigint): Measurement {
  return { units, voidReason: null }
}

/** The value of the latest candle that opens in the 300 seconds before `start`. */
function findReference(series: Series, start: number): bigint | undefined {
  for (let minute = start - candleSeconds; minute >= start - referenceSeconds; minute -= candleSeconds) {
    const value = valueAt(series, minute)
    if (value !== undefined) return value
  }
  return undefined
}

/** Percent of the base, truncated. The scale of the prices cancels. */
function percentOf(difference: bigint, base: bigint): bigint {
  return (100n * resultUnit * difference) / base
}

function countPresent(market: Series, other: Series | null, { from, until }: Span): number {
  let count = 0
  for (let minute = from; minute < until; minute += candleSeconds) {
    if (valueAt(market, minute) === undefined) continue
    if (other === null || valueAt(other, minute) !== undefined) count += 1
  }
  return count
}

function sumOf(series: Series, { from, until }: Span): bigint {
  let sum = 0n
  for (let minute = from; minute < until; minute += candleSeconds) sum += valueAt(series, minute) ?? 0n
  return sum
}

/** Truncation keeps the order, so only the largest distance is divided. */
function maxExcursion(reference: bigint, series: Series, { from, until }: Span): bigint {
  let high = reference
  let low = reference
  for (let minute = from; minute < until; minute += candleSeconds) {
    const close = valueAt(series, minute) ?? reference
    if (close > high) high = close
    else if (close < low) low = close
  }
  const isFartherUp = high + low > 2n * reference
  return percentOf(isFartherUp ? high - reference : reference - low, reference)
}

/** A missing minute makes no step: the next candle is compared with the last one there is. */
function variance(reference: bigint, series: Series, { from, until }: Span): bigint {
  let sum = 0n
  let previous = reference
  for (let minute = from; minute < until; minute += candleSeconds) {
    const close = valueAt(series, minute) ?? previous
    // Division truncates toward zero, and the sign is lost in the square.
    const step = percentOf(close - previous, previous)
    sum += step * step
    previous = close
  }
  return sum / resultUnit
}

function largestSpread(market: Series, other: Series, { from, until }: Span): bigint {
  let largest = 0n
  for (let minute = from; minute < until; minute += candleSeconds) {
    const close = valueAt(market, minute)
    const base = valueAt(other, minute)
    if (close === undefined || base === undefined) continue
    const spread = percentOf(close > base ? close - base : base - close, base)
    if (spread > largest) largest = spread
  }
  return largest
}
