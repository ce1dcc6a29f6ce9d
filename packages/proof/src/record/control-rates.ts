import type { Hex } from '../hex.ts'
import { isCounted } from './alert-status.ts'
import { type CandleSource, formatDay, getDaySpan } from './candle-source.ts'
import { candleSeconds, type Span } from './candles.ts'
import { drawControlMinutes } from './controls.ts'
import { parseThreshold } from './decimal.ts'
import { type Extremes, slideExtremes } from './extremes.ts'
import { createMetricSeries, type MetricSeries, measureMetric } from './metrics.ts'
import { findFirstIndex, groupBy } from './ordered.ts'
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
 * Measures the prediction of each alert at its control minutes. Returns the rates by log index.
 * Leaves out an alert if the block that selects its minutes has fewer than 12 confirmations, if the
 * candles of its day are missing, or if its metric has no value at any tried minute.
 */
export function measureControlRates(
  tasks: readonly ControlTask[],
  anchors: readonly RecordAnchor[],
  candles: CandleSource,
): Map<number, ControlRate> {
  const rates = new Map<number, ControlRate>()
  for (const [day, tasksOfDay] of groupBy(tasks, ({ prediction }) => formatDay(computeHorizon(prediction).from))) {
    const blockHash = findControlBlock(anchors, day)
    if (blockHash === null) continue
    const getMetricOfDay = createMetricOfDay(day, candles)
    for (const { index, leafHash, prediction } of tasksOfDay) {
      const rate = measureControls(prediction, { blockHash, leafHash }, getMetricOfDay)
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
  const endMs = getDaySpan(day).until * 1000
  const firstAnchor = anchors[findFirstIndex(anchors.length, (at) => Date.parse(anchors[at]?.blockAt ?? '') >= endMs)]
  const lastAnchor = anchors.at(-1)
  if (!firstAnchor || !lastAnchor) return null
  return lastAnchor.blockNumber - firstAnchor.blockNumber + 1 >= confirmationCount ? firstAnchor.blockHash : null
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
  const getValueAt = getMetricOfDay(prediction)
  if (!getValueAt) return null
  const { horizonSeconds } = prediction
  const threshold = parseThreshold(prediction.threshold)
  const minutes = drawControlMinutes({ ...hashes, horizonSeconds }, (minute) => getValueAt(minute) !== null)
  if (minutes.length === 0) return null
  const cameTrue = minutes.filter((minute) => (getValueAt(minute) ?? -1n) >= threshold).length
  return { minutes: minutes.length, cameTrue }
}

/**
 * Reads the candles of each market and metric once. Caches the values of each minute by metric,
 * market and horizon.
 */
function createMetricOfDay(day: string, candles: CandleSource): GetMetricOfDay {
  const daySpan = getDaySpan(day)
  const seriesByMarket = new Map<string, MetricSeries | null>()
  const valuesByPrediction = new Map<string, Map<number, bigint | null>>()
  /** The extremes of all windows, by series and length of the horizon in seconds. */
  const extremesBySeries = new Map<MetricSeries, Map<number, Extremes[]>>()

  function getSeries({ venue, market }: Market, metric: Metric): MetricSeries | null {
    const key = JSON.stringify([venue, market, metric])
    const cachedSeries = seriesByMarket.get(key)
    if (cachedSeries !== undefined) return cachedSeries
    const rows = candles.read({ venue, market }, day)
    const newSeries = rows && createMetricSeries(metric, rows, daySpan)
    seriesByMarket.set(key, newSeries)
    return newSeries
  }

  function getExtremes(series: MetricSeries, horizonSeconds: number): (horizon: Span) => Extremes {
    const extremesByHorizon = extremesBySeries.get(series) ?? new Map<number, Extremes[]>()
    extremesBySeries.set(series, extremesByHorizon)
    const horizonExtremes =
      extremesByHorizon.get(horizonSeconds) ?? slideExtremes(series.values, horizonSeconds / candleSeconds)
    extremesByHorizon.set(horizonSeconds, horizonExtremes)
    return ({ from }) => horizonExtremes[(from - daySpan.from) / candleSeconds] ?? { high: undefined, low: undefined }
  }

  return (prediction) => {
    const { metric, venue, market, other, horizonSeconds } = prediction
    const marketSeries = getSeries({ venue, market }, metric)
    const otherSeries = other ? getSeries(other, metric) : null
    if (!marketSeries || (other && !otherSeries)) return null
    const key = JSON.stringify([metric, venue, market, other?.venue, other?.market, horizonSeconds])
    const knownValues = valuesByPrediction.get(key) ?? new Map<number, bigint | null>()
    valuesByPrediction.set(key, knownValues)
    const findExtremes = metric === 'maxExcursion' ? getExtremes(marketSeries, horizonSeconds) : undefined
    const markets = { market: marketSeries, other: otherSeries, ...(findExtremes && { findExtremes }) }
    return (minute) => {
      const knownValue = knownValues.get(minute)
      if (knownValue !== undefined) return knownValue
      const { units } = measureMetric(metric, markets, computeHorizonFrom(daySpan, minute, horizonSeconds))
      knownValues.set(minute, units)
      return units
    }
  }
}

function computeHorizonFrom(day: Span, minute: number, horizonSeconds: number): Span {
  const from = day.from + minute * candleSeconds
  return { from, until: from + horizonSeconds }
}
