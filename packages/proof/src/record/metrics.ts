import {
  assertCandles,
  type Candle,
  candleSeconds,
  createSeries,
  getValueAt,
  parseCandles,
  type Series,
  type Span,
} from './candles.ts'
import { formatResult, inputUnitsPerResultUnit, parseThreshold, resultUnit } from './decimal.ts'
import type { Extremes } from './extremes.ts'
import { computeHorizon, type Metric, type Prediction } from './prediction.ts'

export type VoidReason = 'missing-candles' | 'no-reference'
export type Verdict = 'came-true' | 'did-not' | 'void'

/** A metric's value scaled by 10^12, or the reason why it has none. */
export type Measurement = { units: bigint; voidReason: null } | { units: null; voidReason: VoidReason }

/**
 * The candle column that a metric needs, with running totals of the values that the metric adds up.
 */
export interface MetricSeries extends Series {
  /**
   * At position n, the total of the minutes before the n-th minute: volumes for `volume`, squared
   * steps for `realisedVariance`. Empty for other metrics.
   */
  totals: readonly bigint[]
  /** At position n, how many of the first n minutes have a candle (prefix counts). */
  counts: readonly number[]
}

/** The series on which a metric is measured. `other` is null unless the metric is `spread`. */
export interface SeriesPair {
  market: MetricSeries
  other: MetricSeries | null
  /**
   * Returns the extremes of `market` over a horizon. Set by callers that have already computed
   * them.
   */
  findExtremes?: (horizon: Span) => Extremes
}

/** Verdict and measured value of a prediction, as they follow from its candles. */
export interface PredictionResult {
  verdict: Verdict
  /** The value as a decimal without trailing zeros. Null if and only if void. */
  measured: string | null
  voidReason: VoidReason | null
}

/**
 * The candles of a prediction's window (see `computeWindow`), as the outcome message contains them.
 * `other` is null unless the metric is `spread`.
 */
export interface CandleLists {
  market: readonly Candle[]
  other: readonly Candle[] | null
}

/** Length of the period before the start in which the reference candle must open. */
const referenceSeconds = 300
/**
 * A metric has no value (`void`) if more than a fifth of the minutes of the horizon have no candle.
 */
const missingShareDivisor = 5

/**
 * Returns the span of the candles that decide a prediction: its horizon, preceded by the period of
 * the reference candle.
 */
export function computeWindow(prediction: Prediction): Span {
  const { from, until } = computeHorizon(prediction)
  return { from: from - referenceSeconds, until }
}

/**
 * Validates the candles of a prediction's window.
 * @throws Error naming the first candle that breaks a rule
 */
export function parseCandleLists(prediction: Prediction, market: unknown, other: unknown): CandleLists {
  const window = computeWindow(prediction)
  const marketCandles = parseCandles(market, window)
  return { market: marketCandles, other: prediction.metric === 'spread' ? parseCandles(other, window) : null }
}

/**
 * Like `parseCandleLists`, for candles of one market that `readCandleText` has already parsed.
 * @throws Error naming the first candle that breaks a rule
 */
export function checkCandleList(prediction: Prediction, market: readonly Candle[]): CandleLists {
  assertCandles(market, computeWindow(prediction))
  return { market, other: null }
}

/**
 * Lists the minutes of the horizon that lack a candle of the market or, for a spread, of the other
 * market.
 * @param candles as returned by parseCandleLists
 */
export function listMissingMinutes(prediction: Prediction, { market, other }: CandleLists): number[] {
  const { from, until } = computeHorizon(prediction)
  const missingTimes: number[] = []
  let nextIndex = 0
  let nextOtherIndex = 0
  for (let minute = from; minute < until; minute += candleSeconds) {
    nextIndex = findIndexFrom(market, nextIndex, minute)
    if (other) nextOtherIndex = findIndexFrom(other, nextOtherIndex, minute)
    const isPresent = market[nextIndex]?.[0] === minute && (!other || other[nextOtherIndex]?.[0] === minute)
    if (!isPresent) missingTimes.push(minute)
  }
  return missingTimes
}

/** Position of the first candle at or after `position` that does not open before the minute. */
function findIndexFrom(candles: readonly Candle[], position: number, minute: number): number {
  let at = position
  while ((candles[at]?.[0] ?? minute) < minute) at += 1
  return at
}

/** Decides a prediction by the candles of its window. */
export function evaluatePrediction(prediction: Prediction, candles: CandleLists): PredictionResult {
  const { units, voidReason } = measureMetric(
    prediction.metric,
    createSeriesPair(prediction, candles),
    computeHorizon(prediction),
  )
  if (units === null) return { verdict: 'void', measured: null, voidReason }
  const verdict = units >= parseThreshold(prediction.threshold) ? 'came-true' : 'did-not'
  return { verdict, measured: formatResult(units), voidReason: null }
}

/**
 * Decides a prediction like `evaluatePrediction`, but only over the part of its horizon that
 * follows the alert's first anchor.
 * @param blockMs block time of the first anchor that covers the alert, in milliseconds
 */
export function evaluateWitnessed(
  prediction: Prediction,
  candles: CandleLists,
  blockMs: number,
): { isTrue: boolean; measured: string | null } {
  const { from, until } = computeHorizon(prediction)
  const firstWholeMinute = Math.ceil(blockMs / 1000 / candleSeconds) * candleSeconds
  const remainingHorizon = { from: Math.max(from, firstWholeMinute), until }
  if (remainingHorizon.from >= until) return { isTrue: false, measured: null }
  const { units } = measureMetric(prediction.metric, createSeriesPair(prediction, candles), remainingHorizon)
  if (units === null) return { isTrue: false, measured: null }
  return { isTrue: units >= parseThreshold(prediction.threshold), measured: formatResult(units) }
}

function createSeriesPair(prediction: Prediction, { market, other }: CandleLists): SeriesPair {
  const { metric } = prediction
  const window = computeWindow(prediction)
  return {
    market: createMetricSeries(metric, market, window),
    other: other && createMetricSeries(metric, other, window),
  }
}

/** @param candles as returned by parseCandles for this span */
export function createMetricSeries(metric: Metric, candles: readonly Candle[], span: Span): MetricSeries {
  const series = createSeries(candles, span, metric === 'volume' ? 'volume' : 'close')
  return { ...series, totals: listTotals(metric, series), counts: listCounts(series) }
}

function listCounts({ values }: Series): number[] {
  const counts = [0]
  let count = 0
  for (const value of values) {
    if (value !== undefined) count += 1
    counts.push(count)
  }
  return counts
}

function listTotals(metric: Metric, { values }: Series): bigint[] {
  if (metric !== 'volume' && metric !== 'realisedVariance') return []
  const totals = [0n]
  let total = 0n
  let previous: bigint | undefined
  for (const value of values) {
    if (value !== undefined) {
      total += metric === 'volume' ? value : computeSquaredStep(previous ?? value, value)
      previous = value
    }
    totals.push(total)
  }
  return totals
}

/** Measures a metric over a horizon that lies within the series. */
export function measureMetric(metric: Metric, { market, other, findExtremes }: SeriesPair, horizon: Span): Measurement {
  const minutes = (horizon.until - horizon.from) / candleSeconds
  const missingCount = minutes - countMinutesWithCandle(market, other, horizon)
  if (missingCount * missingShareDivisor > minutes) return { units: null, voidReason: 'missing-candles' }
  if (metric === 'volume') return toMeasurement(sumOverHorizon(market, horizon) / inputUnitsPerResultUnit)
  if (metric === 'spread') return toMeasurement(findLargestSpread(market, other ?? market, horizon))
  const reference = findReference(market, horizon.from)
  if (reference === undefined) return { units: null, voidReason: 'no-reference' }
  if (metric === 'maxExcursion') {
    const extremes = findExtremes ? findExtremes(horizon) : scanExtremes(market, horizon)
    return toMeasurement(computeMaxExcursion(reference, extremes))
  }
  // The reference is the last candle before the horizon, so the first squared step starts at its
  // close.
  return toMeasurement(sumOverHorizon(market, horizon) / resultUnit)
}

function toMeasurement(units: bigint): Measurement {
  return { units, voidReason: null }
}

/** The value of the latest candle that opens in the 300 seconds before `start`. */
function findReference(series: Series, start: number): bigint | undefined {
  for (let minute = start - candleSeconds; minute >= start - referenceSeconds; minute -= candleSeconds) {
    const value = getValueAt(series, minute)
    if (value !== undefined) return value
  }
  return undefined
}

const percentUnits = 100n * resultUnit

/**
 * Returns the difference in percent of the base, truncated. The scale of the prices cancels out.
 */
function computePercent(difference: bigint, base: bigint): bigint {
  return (percentUnits * difference) / base
}

/**
 * Squares the step in percent. Division truncates toward zero, so steps up and down by the same
 * percentage have the same square.
 */
function computeSquaredStep(previous: bigint, value: bigint): bigint {
  const step = computePercent(value - previous, previous)
  return step * step
}

function sumOverHorizon({ from, totals }: MetricSeries, horizon: Span): bigint {
  const [before, until] = [horizon.from, horizon.until].map((time) => totals[(time - from) / candleSeconds])
  return (until ?? 0n) - (before ?? 0n)
}

function countMinutesWithCandle(market: MetricSeries, other: Series | null, { from, until }: Span): number {
  if (other === null) {
    const [before, end] = [from, until].map((time) => market.counts[(time - market.from) / candleSeconds])
    return (end ?? 0) - (before ?? 0)
  }
  let count = 0
  for (let minute = from; minute < until; minute += candleSeconds) {
    if (getValueAt(market, minute) !== undefined && getValueAt(other, minute) !== undefined) count += 1
  }
  return count
}

function scanExtremes(series: Series, { from, until }: Span): Extremes {
  let high: bigint | undefined
  let low: bigint | undefined
  for (let minute = from; minute < until; minute += candleSeconds) {
    const close = getValueAt(series, minute)
    if (close === undefined) continue
    if (high === undefined || close > high) high = close
    if (low === undefined || close < low) low = close
  }
  return { high, low }
}

/**
 * Returns the largest distance from the reference in percent. Truncation keeps the order of
 * distances, so only the largest one is divided.
 */
function computeMaxExcursion(reference: bigint, { high, low }: Extremes): bigint {
  const rise = high !== undefined && high > reference ? high - reference : 0n
  const fall = low !== undefined && low < reference ? reference - low : 0n
  return computePercent(rise > fall ? rise : fall, reference)
}

function findLargestSpread(market: Series, other: Series, { from, until }: Span): bigint {
  let largestSpread = 0n
  for (let minute = from; minute < until; minute += candleSeconds) {
    const close = getValueAt(market, minute)
    const base = getValueAt(other, minute)
    if (close === undefined || base === undefined) continue
    const spread = computePercent(close > base ? close - base : base - close, base)
    if (spread > largestSpread) largestSpread = spread
  }
  return largestSpread
}
