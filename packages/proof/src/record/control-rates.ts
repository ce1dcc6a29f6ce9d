import type { Hex } from '../hex.ts'
import { isCounted } from './alert-status.ts'
import { type CandleSource, formatDay, spanOfDay } from './candle-source.ts'
import { candleSeconds, type Span } from './candles.ts'
import { drawControlMinutes } from './controls.ts'
import { parseThreshold } from './decimal.ts'
import { type Extremes, slideExtremes } from './extremes.ts'
import { createMetricSeries, type MetricSeries, measure } from './metrics.ts'
import { findFirst, groupBy } from './ordered.ts'
import { computeHorizon, type Market, type Metric, type Prediction } from './prediction.ts'
import type { RecordAlert } from './record-alert.ts'
import type { RecordAnchor } from './record-entry.ts'

/**
 * Number of control minutes of an alert (see controls.ts), and at how many of them its prediction
 * would have come true.
 */
export interface ControlRate {
  minutes: number
  cameTrue: number
}

const confirmationCount = 12

/** An alert whose prediction is measured at control minutes. */
export interface ControlTask {
  index: number
  leafHash: Hex
  prediction: Prediction
}

export function listControlTasks(alerts: readonly RecordAlert[]): ControlTask[] {
  return alerts.flatMap(({ index, leafHash, status, forecast }) =>
    forecast && isCounted(status) ? { index, leafHash, prediction: forecast.prediction } : [],
  )
}

/**
 * Measures the prediction of each alert at its control minutes. Returns the rates by log index. An
 * alert is left out until the block that selects its minutes has 12 confirmations, and if the
 * candles of its day are missing.
 */
export function measureControlRates(
  tasks: readonly ControlTask[],
  anchors: readonly RecordAnchor[],
  candles: CandleSource,
): Map<number, ControlRate> {
  const rates = new Map<number, ControlRate>()
  for (const [day, ofDay] of groupBy(tasks, ({ prediction }) => formatDay(computeHorizon(prediction).from))) {
    const blockHash = findControlBlock(anchors, day)
    if (blockHash === null) continue
    const measureAt = createMetricOfDay(day, candles)
    for (const { index, leafHash, prediction } of ofDay) {
      const rate = measureControls(prediction, { blockHash, leafHash }, measureAt)
      if (rate) rates.set(index, rate)
    }
  }
  return rates
}

/**
 * Returns the hash of the block that selects the control minutes of a day: the block of the first
 * anchor on a later day. Returns null until the block has 12 confirmations. They are counted up to
 * the block of the last anchor, not up to the newest block, so that every program gets the same
 * result.
 */
export function findControlBlock(anchors: readonly RecordAnchor[], day: string): Hex | null {
  const endMs = spanOfDay(day).until * 1000
  const first = anchors[findFirst(anchors.length, (at) => Date.parse(anchors[at]?.blockAt ?? '') >= endMs)]
  const last = anchors.at(-1)
  if (!first || !last) return null
  return last.blockNumber - first.blockNumber + 1 >= confirmationCount ? first.blockHash : null
}

/**
 * Returns a function that takes a minute of the day, and returns the value of the prediction's
 * metric over the horizon that begins at this minute (null if void). Returns null instead of the
 * function if the candles of the day are missing.
 */
type GetMetricOfDay = (prediction: Prediction) => ((minute: number) => bigint | null) | null

function measureControls(
  prediction: Prediction,
  hashes: { blockHash: Hex; leafHash: Hex },
  getMetricOfDay: GetMetricOfDay,
): ControlRate | null {
  const valueAt = getMetricOfDay(prediction)
  if (!valueAt) return null
  const { horizonSeconds } = prediction
  const threshold = parseThreshold(prediction.threshold)
  const minutes = drawControlMinutes({ ...hashes, horizonSeconds }, (minute) => valueAt(minute) !== null)
  if (minutes.length === 0) return null
  const cameTrue = minutes.filter((minute) => (valueAt(minute) ?? -1n) >= threshold).length
  return { minutes: minutes.length, cameTrue }
}

/**
 * Reads the candles of each market and metric once. Caches the values of each minute by metric,
 * market and horizon.
 */
function createMetricOfDay(day: string, candles: CandleSource): GetMetricOfDay {
  const span = spanOfDay(day)
  const series = new Map<string, MetricSeries | null>()
  const values = new Map<string, Map<number, bigint | null>>()
  /** The extremes of all windows, by series and length of the horizon in seconds. */
  const extremes = new Map<MetricSeries, Map<number, Extremes[]>>()

  function getSeries({ venue, market }: Market, metric: Metric): MetricSeries | null {
    const key = JSON.stringify([venue, market, metric])
    const known = series.get(key)
    if (known !== undefined) return known
    const rows = candles.read({ venue, market }, day)
    const made = rows && createMetricSeries(metric, rows, span)
    series.set(key, made)
    return made
  }

  function getExtremes(series: MetricSeries, horizonSeconds: number): (horizon: Span) => Extremes {
    const ofSeries = extremes.get(series) ?? new Map<number, Extremes[]>()
    extremes.set(series, ofSeries)
    const found = ofSeries.get(horizonSeconds) ?? slideExtremes(series.values, horizonSeconds / candleSeconds)
    ofSeries.set(horizonSeconds, found)
    return ({ from }) => found[(from - span.from) / candleSeconds] ?? { high: undefined, low: undefined }
  }

  return (prediction) => {
    const { metric, venue, market, other, horizonSeconds } = prediction
    const first = getSeries({ venue, market }, metric)
    const second = other ? getSeries(other, metric) : null
    if (!first || (other && !second)) return null
    const key = JSON.stringify([metric, venue, market, other?.venue, other?.market, horizonSeconds])
    const knownValues = values.get(key) ?? new Map<number, bigint | null>()
    values.set(key, knownValues)
    const findExtremes = metric === 'maxExcursion' ? getExtremes(first, horizonSeconds) : undefined
    const markets = { market: first, other: second, ...(findExtremes && { findExtremes }) }
    return (minute) => {
      const found = knownValues.get(minute)
      if (found !== undefined) return found
      const { units } = measure(metric, markets, horizonFrom(span, minute, horizonSeconds))
      knownValues.set(minute, units)
      return units
    }
  }
}

function horizonFrom(day: Span, minute: number, horizonSeconds: number): Span {
  const from = day.from + minute * candleSeconds
  return { from, until: from + horizonSeconds }
}
