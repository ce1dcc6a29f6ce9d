import {
  addToHistogram,
  computeGrowth,
  createDecayedHistogram,
  type DecayedHistogram,
  surprise,
} from './decayed-histogram.ts'
import { createFuzzyArt, type FuzzyArt, learnNovelty } from './fuzzy-art.ts'
import { ago, createRing, push, type Ring } from './ring.ts'

/**
 * Scores a series of any kind, one value at a time. Most scores are distances from what a prototype
 * memory has learnt: of the value alone, of averages over longer windows, and of the difference
 * from the same hour of earlier days. State is plain JSON and constant in size.
 */
export interface SeriesSettings {
  /** The range of the values if it is known in advance, otherwise null. */
  range: { low: number; high: number } | null
  /** Number of first values from which each view learns its scale if the range is not known. */
  learnFor: number
  /** Learning rate of the memory of single values. */
  rate: number
}

export const VIEW_NAMES = [
  'value',
  'mean20',
  'mean100',
  'mean288',
  'season',
  'seasonLong',
  'stillness',
  'rare100',
] as const

/**
 * Novelty memory (fuzzy ART) of one view. Its scale is the known range, or the range of the first
 * values.
 */
interface Novelty {
  art: FuzzyArt
  low: number
  width: number
  /** The first values, stored until the scale is known; empty afterwards. */
  first: number[]
  learnt: boolean
}

interface Average {
  ring: Ring
  sum: number
  count: number
}

export interface SeriesDetector {
  seen: number
  startedAt: number
  before: number
  averages: Average[]
  novelties: Novelty[]
  tails: DecayedHistogram[]
  season: Season
  squares: Average
  means: Average
  usualVariance: number
}

/** Mean value by hour of day and by hour of week. The hour of week is used after ten days. */
interface Season {
  profile: number[]
  seen: number[]
  mean: number
  variance: number
  residualVariance: number
  short: Average
  long: Average
}

const WINDOWS = [20, 100, 288] as const
const HOUR = 3_600_000
const DAY = 24 * HOUR
const CATEGORIES = 400
const COARSE = 0.05
const FINE = 0.02
/** Distance beyond the learnt range at which values saturate, in widths of the range. */
const ROOM = 2
/** Factor that makes distances in units of the range comparable with surprises. */
const SCALE = 20
const TAIL_WARM_UP = 50
const growth = computeGrowth(5000)

const createAverage = (size: number): Average => ({ ring: createRing(size), sum: 0, count: 0 })

export function createSeriesDetector(settings: SeriesSettings): SeriesDetector {
  return {
    seen: 0,
    startedAt: 0,
    before: 0,
    averages: WINDOWS.map(createAverage),
    novelties: Array.from({ length: 5 }, (_, i) => createNovelty(settings, i === 4)),
    tails: Array.from({ length: 3 }, createDecayedHistogram),
    season: createSeason(),
    squares: createAverage(40),
    means: createAverage(40),
    usualVariance: 0,
  }
}

function createSeason(): Season {
  const slots = 8 * 24
  return {
    profile: new Array<number>(slots).fill(0),
    seen: new Array<number>(slots).fill(0),
    mean: 0,
    variance: 0,
    residualVariance: 0,
    short: createAverage(6),
    long: createAverage(24),
  }
}

function createNovelty({ range }: SeriesSettings, centred: boolean): Novelty {
  const width = range === null || range.high === range.low ? 1 : range.high - range.low
  return {
    art: createFuzzyArt(),
    low: range === null || centred ? 0 : range.low,
    width,
    first: [],
    learnt: range !== null,
  }
}

function average(state: Average, value: number): number {
  const size = state.ring.values.length
  if (state.count === size) state.sum -= ago(state.ring, size - 1)
  else state.count++
  push(state.ring, value)
  state.sum += value
  return state.sum / state.count
}

function addNovelty(state: Novelty, value: number, size: number, rate: number, settings: SeriesSettings): number[] {
  const learnOne = (one: number) => {
    return learnNovelty(state.art, [place(state, one, settings)], { size, rate, categories: CATEGORIES })
  }
  if (state.learnt) return [learnOne(value)]
  state.first.push(value)
  if (state.first.length < settings.learnFor) return []
  const low = Math.min(...state.first)
  const width = Math.max(...state.first) - low
  state.low = low
  state.width = width > 0 ? width : 0.05 * Math.abs(low) || 1
  state.learnt = true
  const scores = state.first.map(learnOne)
  state.first = []
  return scores
}

/**
 * Returns the position of a value in the range: 0 is the low end, 1 the high end. A value outside a
 * learnt range is at most ROOM widths away from it.
 */
function place(state: Novelty, value: number, settings: SeriesSettings): number {
  const at = (value - state.low) / state.width
  if (settings.range !== null) return at
  if (at > 1) return 1 + ROOM * Math.tanh((at - 1) / ROOM)
  return at < 0 ? ROOM * Math.tanh(at / ROOM) : at
}

function addSurprise(histogram: DecayedHistogram, value: number, seen: number): number {
  const score = seen > TAIL_WARM_UP ? surprise(histogram, Math.abs(value)) : 0
  addToHistogram(histogram, Math.abs(value), growth)
  return score
}

/** Adds a value. Returns the view scores in the order of VIEW_NAMES. */
export function addValue(state: SeriesDetector, at: number, value: number, settings: SeriesSettings): number[] {
  if (state.seen === 0) state.startedAt = at
  const averages = state.averages.map((one) => average(one, value))
  const [mean20 = 0, mean100 = 0, mean288 = 0] = averages
  const novel = (i: number, input: number, size: number, rate: number) => {
    return addNovelty(state.novelties[i] as Novelty, input, size, rate, settings)
  }
  const scores100 = novel(2, mean100, FINE, 1)
  const rare100 = scores100.map((score) => addSurprise(state.tails[0] as DecayedHistogram, score, state.seen))
  const { short, long, strength } = addSeason(state, at, value)
  const views = [
    SCALE * (novel(0, value, COARSE, settings.rate).at(-1) ?? 0),
    SCALE * (novel(1, mean20, FINE, 1).at(-1) ?? 0),
    SCALE * (scores100.at(-1) ?? 0),
    SCALE * (novel(3, mean288, FINE, 1).at(-1) ?? 0),
    SCALE * (novel(4, short, FINE, 1).at(-1) ?? 0) * strength ** 2,
    addSurprise(state.tails[1] as DecayedHistogram, long, state.seen) * strength ** 2,
    addStillness(state, value),
    rare100.at(-1) ?? 0,
  ]
  state.seen++
  state.before = at
  return views
}

/** Returns the surprise of how far the newest variance is below the usual one. */
function addStillness(state: SeriesDetector, value: number): number {
  const mean = average(state.means, value)
  const variance = Math.max(0, average(state.squares, value * value) - mean * mean)
  state.usualVariance += Math.max(1 - 0.5 ** (1 / 1000), 1 / (state.seen + 1)) * (variance - state.usualVariance)
  const usual = state.usualVariance
  return addSurprise(
    state.tails[2] as DecayedHistogram,
    Math.sqrt((usual + 1e-12) / (variance + 1e-3 * usual + 1e-12)),
    state.seen,
  )
}

const SEASON_RATE = 0.3
const SLOWEST = 0.0015

/**
 * Returns the differences from the profile, averaged over a short and a long window, and the share
 * of the variance that the profile explains (0 to 1).
 */
function addSeason(
  state: SeriesDetector,
  at: number,
  value: number,
): { short: number; long: number; strength: number } {
  const { season } = state
  const age = at - state.startedAt
  const slot = Math.floor((at % DAY) / HOUR)
  const weekly = 24 * (1 + (Math.floor(at / DAY) % 7)) + slot
  const expected = age > 10 * DAY && season.seen[weekly] ? season.profile[weekly] : season.profile[slot]
  const residual = age < 2 * DAY || !season.seen[slot] ? 0 : value - (expected ?? 0)
  const rate = Math.max(SLOWEST, 1 / (state.seen + 1))
  if (state.seen === 0) season.mean = value
  season.mean += rate * (value - season.mean)
  season.variance += rate * ((value - season.mean) ** 2 - season.variance)
  if (age > 2 * DAY) {
    const square = Math.min(residual ** 2, 9 * season.residualVariance + 0.1 * season.variance + 1e-9)
    season.residualVariance += rate * (square - season.residualVariance)
  }
  const step = state.seen === 0 || at <= state.before ? 300_000 : at - state.before
  for (const key of [weekly, slot]) addToProfile(season, key, value, Math.max(1, HOUR / step))
  const strength = age > 4 * DAY ? Math.max(0, 1 - season.residualVariance / (season.variance + 1e-12)) : 0
  return { short: average(season.short, residual), long: average(season.long, residual), strength }
}

function addToProfile(season: Season, key: number, value: number, perHour: number): void {
  const seen = (season.seen[key] ?? 0) + 1
  const before = season.profile[key] ?? 0
  season.seen[key] = seen
  season.profile[key] = before + Math.max(SEASON_RATE / perHour, 1 / seen) * (value - before)
}

/** Weights of the views, and the rules by which an alarm suppresses later ones. */
export interface Fusion {
  weights: readonly number[]
  /** Multiple of the decayed peak that the score of an alarm must exceed. */
  factor: number
  /** Half-life of the peak, as a number of values. */
  rest: number
}

export interface Alarm {
  peak: number
}

/**
 * Returns the weighted score, or 0 if it is not far enough above the decayed peak of earlier
 * scores.
 */
export function computeAlarmScore(alarm: Alarm, views: ArrayLike<number>, { weights, factor, rest }: Fusion): number {
  let score = 0
  for (let i = 0; i < weights.length; i++) score += (weights[i] ?? 0) * (views[i] ?? 0)
  const fires = score > factor * alarm.peak
  alarm.peak = Math.max(alarm.peak * 0.5 ** (1 / rest), score)
  return fires ? score : 0
}
