import { computeQuantile, computeSurprise } from './decayed-histogram.ts'
import type { AlertKind, Direction, Series } from './finding.ts'
import type { Market, Observation } from './market.ts'
import type { Prediction } from './prediction.ts'
import { getPast, type Ring } from './ring.ts'
import type { Settings } from './settings.ts'
import { getUsualVolume } from './statistics.ts'
import { formatPriceSummary, formatQuietSummary, formatVolatilitySummary, formatVolumeSummary } from './summary.ts'
import { findIndexOfMax } from './surprise.ts'

/** An anomaly found by a detector, before cool-down, prediction and priority. */
export interface Candidate {
  kind: AlertKind
  market: Market
  other?: Market
  /** The alert's asset, if it is not the name of the market. */
  asset?: string
  direction: Direction
  /** Surprise, -log10 of a probability. */
  score: number
  /**
   * Size, as a multiple of the usual value. During a cool-down, a candidate at least twice as
   * strong as the last alert raises an update.
   */
  strength: number
  metric: Prediction['metric']
  /**
   * Price of the trade that raised the candidate within the minute. Absent if the end of a minute
   * raised it; the alert then has the close of that minute.
   */
  price?: number
  /**
   * Threshold of the prediction. For a quiet market: the volume of one hour. Absent if the
   * threshold is calculated from past outcomes.
   */
  threshold?: number
  summary: string
  series: Series
}

export const SERIES_LENGTH = 60

/**
 * Creates the chart data of an alert: the last hour of a ring, converted with `scale`, and the mean
 * and deviation of all its values except the newest five.
 * @param open value of the open minute; null if the series ends with the newest closed minute
 */
function createSeries(
  ring: Ring,
  { count, open, unit }: { count: number; open: number | null; unit: string },
  scale: (value: number) => number,
): Series {
  const shift = open === null ? 0 : 1
  const length = Math.max(2, Math.min(count + shift, SERIES_LENGTH))
  const closedValues = Array.from({ length: length - shift }, (_, i) => getPast(ring, length - shift - 1 - i))
  const values = (open === null ? closedValues : [...closedValues, open]).map((value) =>
    roundToFiveDigits(scale(value)),
  )
  const pastValues = values.slice(0, Math.max(1, length - 5))
  const mean = pastValues.reduce((sum, value) => sum + value, 0) / pastValues.length
  const variance = pastValues.reduce((sum, value) => sum + (value - mean) ** 2, 0) / pastValues.length
  return {
    values,
    stepSeconds: 60,
    triggerIndex: length - 1,
    mean: roundToFiveDigits(mean),
    deviation: roundToFiveDigits(Math.sqrt(variance)),
    unit,
  }
}

/** Rounds a value of a series to five significant digits. */
export const roundToFiveDigits = (value: number) => Number(value.toPrecision(5))

/**
 * Creates the series of prices relative to an hour ago, in percent.
 * @param price of the open minute; null if the series ends with the newest closed minute
 */
export function createPriceSeries({ statistics }: Market, price: number | null = null): Series {
  const { closes, clean: count } = statistics
  const length = Math.min(count, SERIES_LENGTH)
  const firstClose = getPast(closes, Math.max(0, length - 1))
  const open = price === null ? null : Math.log(price)
  return createSeries(closes, { count, open, unit: '%' }, (close) => 100 * (close - firstClose))
}

function createVolumeSeries({ statistics }: Market, { at, open }: Pick<Observation, 'at' | 'open'>): Series {
  const usualMinuteVolume = getUsualVolume(statistics, at) + 1e-12
  const seriesOptions = { count: statistics.clean, open: open?.volume ?? null, unit: '×' }
  return createSeries(statistics.volumes, seriesOptions, (volume) => volume / usualMinuteVolume)
}

/**
 * Minimum anomaly likelihood of the newest scores, as -log10 of a probability, see likelihood.ts.
 */
const MIN_LIKELIHOOD = 1.3
/** Minimum multiple of the usual value, by type. Anomalies that are rare but small are ignored. */
const MIN_MULTIPLES = { price: 2.5, volume: 2, volatility: 1.5 }

/** The most unusual part of an observation. The caller compares `score` with a threshold. */
export type Peak = Pick<Candidate, 'direction' | 'score' | 'strength'>

export function findPricePeak(observation: Observation): Peak | null {
  const move = observation.views.prices[findIndexOfMax(observation.prices)] ?? 0
  if (Math.abs(move) < MIN_MULTIPLES.price) return null
  return { direction: move < 0 ? 'down' : 'up', score: observation.price, strength: Math.abs(move) }
}

export function findVolumePeak(observation: Observation): Peak | null {
  const ratio = observation.views.volumes[findIndexOfMax(observation.volumes)] ?? 0
  return ratio < MIN_MULTIPLES.volume ? null : { direction: 'up', score: observation.volume, strength: ratio }
}

export function findVolatilityPeak({ likelihood, volatility, views }: Observation): Peak | null {
  if (likelihood < MIN_LIKELIHOOD || views.volatility < MIN_MULTIPLES.volatility) return null
  return { direction: 'up', score: volatility, strength: views.volatility }
}

export function detectPrice(market: Market, observation: Observation, settings: Settings): Candidate | null {
  const peak = observation.price < settings.price ? null : findPricePeak(observation)
  if (peak === null) return null
  return {
    ...peak,
    kind: 'price',
    market,
    metric: 'maxExcursion',
    summary: formatPriceSummary(market, observation),
    series: createPriceSeries(market, observation.open?.close),
  }
}

export function detectVolume(market: Market, observation: Observation, settings: Settings): Candidate | null {
  const peak = observation.volume < settings.volume ? null : findVolumePeak(observation)
  if (peak === null) return null
  return {
    ...peak,
    kind: 'volume',
    market,
    metric: 'volume',
    summary: formatVolumeSummary(market, observation),
    series: createVolumeSeries(market, observation),
  }
}

export function detectVolatility(market: Market, observation: Observation, settings: Settings): Candidate | null {
  const peak = observation.volatility < settings.volatility ? null : findVolatilityPeak(observation)
  if (peak === null) return null
  return {
    ...peak,
    kind: 'volatility',
    market,
    metric: 'realisedVariance',
    summary: formatVolatilitySummary(market, observation),
    series: createPriceSeries(market),
  }
}

const QUIET_MINUTES = 10
const QUIET_SURPRISE = 4
const QUIET_FACTOR = 3

/**
 * Detects a pause in trading that is far longer than past ones. The prediction expects at least
 * half of the usual volume after the alert.
 */
export function detectQuiet(market: Market, observation: Observation): Candidate | null {
  const { quiet, pauses } = market.statistics
  if (quiet < QUIET_MINUTES || quiet < QUIET_FACTOR * computeQuantile(pauses, 0.999)) return null
  const score = computeSurprise(pauses, quiet)
  const usualVolumeNow = getUsualVolume(market.statistics, observation.at)
  if (score < QUIET_SURPRISE || usualVolumeNow <= 0) return null
  return {
    kind: 'quiet',
    market,
    direction: 'none',
    score,
    strength: 1,
    metric: 'volume',
    threshold: 30 * usualVolumeNow,
    summary: formatQuietSummary(quiet),
    series: createVolumeSeries(market, observation),
  }
}
