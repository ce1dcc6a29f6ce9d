import type { Minute } from './bars.ts'
import {
  addToHistogram,
  computeGrowth,
  computeLearningRate,
  createDecayedHistogram,
  type DecayedHistogram,
} from './decayed-histogram.ts'
import { HOUR_MS } from './durations.ts'
import { createRing, getPast, push, type Ring, sumNewest } from './ring.ts'
import type { Settings } from './settings.ts'

/** Windows in minutes for price moves and for volumes. */
export const PRICE_WINDOWS = [1, 5, 15, 60] as const
export const VOLUME_WINDOWS = [1, 5, 15] as const

/**
 * Distribution of each prediction metric over past periods of `minutes` minutes, the length of a
 * prediction.
 */
export interface PastOutcomes {
  minutes: number
  maxExcursion: DecayedHistogram
  volume: DecayedHistogram
  realisedVariance: DecayedHistogram
}

/** Rolling statistics of one market, in constant memory and plain JSON. */
export interface Statistics {
  /** Number of minutes since the last incomplete one. */
  clean: number
  /** Number of complete minutes since event time last jumped by more than six hours. */
  seen: number
  warm: boolean
  /** Natural logarithm of the closes, squared percent returns and volumes of the last minutes. */
  closes: Ring
  squares: Ring
  volumes: Ring
  takerBuys: Ring
  /** EWMA of squared percent returns, half-lives of 15 minutes, 1 hour and 1 day. */
  fast: number
  middle: number
  slow: number
  /** EWMA of the volume per minute by hour of day, and of all minutes; 0 if not seen yet. */
  hours: number[]
  volume: number
  price: DecayedHistogram[]
  volumeRatio: DecayedHistogram[]
  volatilityRatio: DecayedHistogram
  /**
   * Number of minutes without trades up to now. `pauses` counts every length that a past pause
   * reached, from 0 to its final length.
   */
  quiet: number
  /** Length of the pause that the newest minute ended. */
  pause: number
  pauses: DecayedHistogram
  past: PastOutcomes[]
}

const RING_SIZE = 128
const HOUR_HALF_LIFE = 240
const FAST_ALPHA = computeLearningRate(15)
const MIDDLE_ALPHA = computeLearningRate(60)
const SLOW_ALPHA = computeLearningRate(1440)
const HOURLY_ALPHA = computeLearningRate(HOUR_HALF_LIFE)

export function createStatistics(settings: Settings): Statistics {
  const horizons = [settings.horizonSeconds, settings.shortHorizonSeconds].filter((seconds) => seconds !== null)
  return {
    clean: 0,
    seen: 0,
    warm: false,
    closes: createRing(RING_SIZE),
    squares: createRing(RING_SIZE),
    volumes: createRing(RING_SIZE),
    takerBuys: createRing(RING_SIZE),
    fast: 0,
    middle: 0,
    slow: 0,
    hours: new Array<number>(24).fill(0),
    volume: 0,
    price: PRICE_WINDOWS.map(createDecayedHistogram),
    volumeRatio: VOLUME_WINDOWS.map(createDecayedHistogram),
    volatilityRatio: createDecayedHistogram(),
    quiet: 0,
    pause: 0,
    pauses: createDecayedHistogram(),
    past: horizons.map((seconds) => ({
      minutes: seconds / 60,
      maxExcursion: createDecayedHistogram(),
      volume: createDecayedHistogram(),
      realisedVariance: createDecayedHistogram(),
    })),
  }
}

/** The measures of a market at one time. Most are multiples of the usual value. */
export interface MarketMeasures {
  /** Percent moves over PRICE_WINDOWS, signed, and the same in units of the daily volatility. */
  moves: number[]
  prices: number[]
  /** Volumes over VOLUME_WINDOWS relative to this hour of day. */
  volumes: number[]
  volatility: number
  /**
   * Share of the last five minutes' volume that takers bought. Only summaries use it; it raises no
   * alerts.
   */
  takerBuyShare: number
}

const EPSILON = 1e-9

export function getUsualVolume(statistics: Statistics, at: number): number {
  const hour = statistics.hours[Math.floor(at / HOUR_MS) % 24] ?? 0
  return hour > 0 ? Math.sqrt(hour * statistics.volume) : statistics.volume
}

/** The open minute so far, for measures within a minute. */
export interface OpenMinute {
  close: number
  volume: number
}

/**
 * Computes the measures at the end of the newest minute, or within the open minute. Measures over
 * windows with incomplete minutes are 0.
 */
export function computeMeasures(statistics: Statistics, at: number, open: OpenMinute | null = null): MarketMeasures {
  const deviation = Math.sqrt(statistics.slow) + EPSILON
  const usualVolumeNow = getUsualVolume(statistics, at) + EPSILON
  const shift = open === null ? 0 : 1
  const newestClose = open === null ? getPast(statistics.closes, 0) : Math.log(open.close)
  const cleanMinutes = statistics.clean + shift
  const moves = PRICE_WINDOWS.map((window) =>
    cleanMinutes > window ? 100 * (newestClose - getPast(statistics.closes, window - shift)) : 0,
  )
  const sumVolume = (window: number) =>
    sumNewest(statistics.volumes, window - shift) + (open === null ? 0 : open.volume)
  const volume = sumNewest(statistics.volumes, 5)
  return {
    moves,
    prices: moves.map((move, i) => move / (deviation * Math.sqrt(PRICE_WINDOWS[i] ?? 1))),
    volumes: VOLUME_WINDOWS.map((window) =>
      cleanMinutes >= window ? sumVolume(window) / (usualVolumeNow * window) : 0,
    ),
    volatility: statistics.clean > 15 ? Math.sqrt(statistics.fast) / deviation : 0,
    takerBuyShare: volume > 0 ? sumNewest(statistics.takerBuys, 5) / volume : 0.5,
  }
}

/**
 * Adds a minute to the statistics. An incomplete minute changes no average. It only ends the
 * windows and the pause in trading.
 */
export function addMinute(statistics: Statistics, minute: Minute): void {
  const close = Math.log(minute.close)
  const move = statistics.clean > 0 ? 100 * (close - getPast(statistics.closes, 0)) : 0
  push(statistics.closes, close)
  push(statistics.squares, move * move)
  push(statistics.volumes, minute.volume)
  push(statistics.takerBuys, minute.takerBuyVolume)
  if (minute.incomplete) {
    statistics.clean = 0
    statistics.quiet = 0
    statistics.pause = 0
    return
  }
  statistics.clean++
  statistics.seen++
  addVariance(statistics, move * move)
  addVolume(statistics, minute)
  if (minute.volume === 0) statistics.quiet++
  else {
    statistics.pause = statistics.quiet
    statistics.quiet = 0
  }
}

function addVariance(statistics: Statistics, square: number): void {
  // Uses simple averages at first, because an EWMA would remember its first value for days.
  const weight = 1 / statistics.seen
  statistics.fast += Math.max(FAST_ALPHA, weight) * (square - statistics.fast)
  statistics.middle += Math.max(MIDDLE_ALPHA, weight) * (square - statistics.middle)
  statistics.slow += Math.max(SLOW_ALPHA, weight) * (square - statistics.slow)
}

function addVolume(statistics: Statistics, { at, volume }: Minute): void {
  const hour = Math.floor(at / HOUR_MS) % 24
  const volumeBefore = statistics.hours[hour] ?? 0
  statistics.hours[hour] =
    volumeBefore === 0 ? statistics.volume : volumeBefore + HOURLY_ALPHA * (volume - volumeBefore)
  statistics.volume += Math.max(SLOW_ALPHA, 1 / statistics.seen) * (volume - statistics.volume)
}

/** Adds the newest measures and outcomes to the distributions of past ones. */
export function learnMeasures(statistics: Statistics, views: MarketMeasures, settings: Settings): void {
  const growth = computeGrowth(settings.tailHalfLife)
  views.prices.forEach((value, i) => {
    if (statistics.clean > (PRICE_WINDOWS[i] ?? 0)) {
      addToHistogram(statistics.price[i] as DecayedHistogram, Math.abs(value), growth)
    }
  })
  views.volumes.forEach((value, i) => {
    if (statistics.clean >= (VOLUME_WINDOWS[i] ?? 0)) {
      addToHistogram(statistics.volumeRatio[i] as DecayedHistogram, value, growth)
    }
  })
  if (statistics.clean > 15) addToHistogram(statistics.volatilityRatio, views.volatility, growth)
  if (statistics.quiet === 0) addPause(statistics, growth)
  for (const past of statistics.past) addOutcome(statistics, past, computeGrowth(settings.outcomeHalfLife))
}

/**
 * Adds every length that the pause reached, from 0 to its final length, once the pause is over. If
 * they were added during the pause, a long pause would count as usual while it lasts.
 */
function addPause(statistics: Statistics, growth: number): void {
  for (let minutes = 0; minutes <= statistics.pause; minutes++) addToHistogram(statistics.pauses, minutes, growth)
}

function addOutcome(statistics: Statistics, past: PastOutcomes, growth: number): void {
  const { minutes } = past
  if (statistics.clean <= minutes) return
  addToHistogram(past.maxExcursion, computeExcursion(statistics, minutes), growth)
  addToHistogram(past.volume, sumNewest(statistics.volumes, minutes), growth)
  addToHistogram(past.realisedVariance, sumNewest(statistics.squares, minutes), growth)
}

/** Largest distance, in percent, between the last `minutes` closes and the close before them. */
export function computeExcursion(statistics: Statistics, minutes: number): number {
  const reference = getPast(statistics.closes, minutes)
  let excursion = 0
  for (let i = 0; i < minutes; i++) {
    excursion = Math.max(excursion, Math.abs(getPast(statistics.closes, i) - reference))
  }
  return 100 * excursion
}
