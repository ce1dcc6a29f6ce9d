import {
  addToHistogram,
  computeGrowth,
  computeLearningRate,
  computeSurprise,
  createDecayedHistogram,
  type DecayedHistogram,
} from '../../packages/engine/src/decayed-histogram.ts'
import { DAY_MS, HOUR_MS } from '../../packages/engine/src/durations.ts'
import { createFuzzyArt, type FuzzyArt, learnNovelty } from '../../packages/engine/src/fuzzy-art.ts'
import { createRing, getPast, push, type Ring } from '../../packages/engine/src/ring.ts'

/**
 * Settings of a detector that scores a series of any kind, one value at a time. Most scores are
 * distances from what a prototype memory has learnt: of the value alone, of averages over longer
 * windows, and of the difference from the same hour of earlier days. The detector's state is plain
 * JSON and constant in size.
 */
export interface SeriesSettings {
  /** The range of the values if it is known in advance, otherwise null. */
  range: { low: number; high: number } | null
  /** Number of first values from which each score learns its scale if `range` is null. */
  learnFor: number
  /** Learning rate of the memory of single values. */
  rate: number
}

/** The scores (views) that the detector computes for each value. */
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
interface NoveltyMemory {
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
  novelties: NoveltyMemory[]
  tails: DecayedHistogram[]
  season: SeasonalStatistics
  squares: Average
  means: Average
  usualVariance: number
}

/** Mean value by hour of day and by hour of week. The hour of week is used after ten days. */
interface SeasonalStatistics {
  profile: number[]
  seen: number[]
  mean: number
  variance: number
  residualVariance: number
  short: Average
  long: Average
}

const WINDOWS = [20, 100, 288] as const
const STILLNESS_RATE = computeLearningRate(1_000)
const CATEGORIES = 400
const COARSE_CATEGORY_SIZE = 0.05
const FINE_CATEGORY_SIZE = 0.02
/** Distance beyond the learnt range at which values saturate, in widths of the range. */
const SATURATION_WIDTHS = 2
/** Factor that makes distances in units of the range comparable with surprises. */
const DISTANCE_SCALE = 20
const TAIL_WARM_UP = 50
const growth = computeGrowth(5000)

const createAverage = (size: number): Average => ({ ring: createRing(size), sum: 0, count: 0 })

export function createSeriesDetector(settings: SeriesSettings): SeriesDetector {
  return {
    seen: 0,
    startedAt: 0,
    before: 0,
    averages: WINDOWS.map(createAverage),
    novelties: Array.from({ length: 5 }, (_, i) => createNoveltyMemory(settings, i === 4)),
    tails: Array.from({ length: 3 }, createDecayedHistogram),
    season: createSeasonalStatistics(),
    squares: createAverage(40),
    means: createAverage(40),
    usualVariance: 0,
  }
}

function createSeasonalStatistics(): SeasonalStatistics {
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

function createNoveltyMemory({ range }: SeriesSettings, centred: boolean): NoveltyMemory {
  const width = range === null || range.high === range.low ? 1 : range.high - range.low
  return {
    art: createFuzzyArt(),
    low: range === null || centred ? 0 : range.low,
    width,
    first: [],
    learnt: range !== null,
  }
}

function updateAverage(state: Average, value: number): number {
  const size = state.ring.values.length
  if (state.count === size) state.sum -= getPast(state.ring, size - 1)
  else state.count++
  push(state.ring, value)
  state.sum += value
  return state.sum / state.count
}

function addNovelty(
  state: NoveltyMemory,
  value: number,
  size: number,
  rate: number,
  settings: SeriesSettings,
): number[] {
  const learnOne = (one: number) => {
    return learnNovelty(state.art, [toRangePosition(state, one, settings)], { size, rate, categories: CATEGORIES })
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
 * learnt range is at most SATURATION_WIDTHS widths away from it.
 */
function toRangePosition(state: NoveltyMemory, value: number, settings: SeriesSettings): number {
  const position = (value - state.low) / state.width
  if (settings.range !== null) return position
  if (position > 1) return 1 + SATURATION_WIDTHS * Math.tanh((position - 1) / SATURATION_WIDTHS)
  return position < 0 ? SATURATION_WIDTHS * Math.tanh(position / SATURATION_WIDTHS) : position
}

/** Scores the value against the histogram, then adds it. */
function scoreSurprise(histogram: DecayedHistogram, value: number, seen: number): number {
  const score = seen > TAIL_WARM_UP ? computeSurprise(histogram, Math.abs(value)) : 0
  addToHistogram(histogram, Math.abs(value), growth)
  return score
}

/** Adds a value. Returns the view scores in the order of VIEW_NAMES. */
export function addValue(state: SeriesDetector, at: number, value: number, settings: SeriesSettings): number[] {
  if (state.seen === 0) state.startedAt = at
  const averages = state.averages.map((one) => updateAverage(one, value))
  const [mean20 = 0, mean100 = 0, mean288 = 0] = averages
  const scoreNovelty = (i: number, input: number, size: number, rate: number) => {
    return addNovelty(state.novelties[i] as NoveltyMemory, input, size, rate, settings)
  }
  const scores100 = scoreNovelty(2, mean100, FINE_CATEGORY_SIZE, 1)
  const surpriseScores100 = scores100.map((score) =>
    scoreSurprise(state.tails[0] as DecayedHistogram, score, state.seen),
  )
  const { short, long, strength } = addSeason(state, at, value)
  const views = [
    DISTANCE_SCALE * (scoreNovelty(0, value, COARSE_CATEGORY_SIZE, settings.rate).at(-1) ?? 0),
    DISTANCE_SCALE * (scoreNovelty(1, mean20, FINE_CATEGORY_SIZE, 1).at(-1) ?? 0),
    DISTANCE_SCALE * (scores100.at(-1) ?? 0),
    DISTANCE_SCALE * (scoreNovelty(3, mean288, FINE_CATEGORY_SIZE, 1).at(-1) ?? 0),
    DISTANCE_SCALE * (scoreNovelty(4, short, FINE_CATEGORY_SIZE, 1).at(-1) ?? 0) * strength ** 2,
    scoreSurprise(state.tails[1] as DecayedHistogram, long, state.seen) * strength ** 2,
    addStillness(state, value),
    surpriseScores100.at(-1) ?? 0,
  ]
  state.seen++
  state.before = at
  return views
}

/** Returns the surprise of how far the newest variance is below the usual one. */
function addStillness(state: SeriesDetector, value: number): number {
  const mean = updateAverage(state.means, value)
  const variance = Math.max(0, updateAverage(state.squares, value * value) - mean * mean)
  state.usualVariance += Math.max(STILLNESS_RATE, 1 / (state.seen + 1)) * (variance - state.usualVariance)
  const referenceVariance = state.usualVariance
  return scoreSurprise(
    state.tails[2] as DecayedHistogram,
    Math.sqrt((referenceVariance + 1e-12) / (variance + 1e-3 * referenceVariance + 1e-12)),
    state.seen,
  )
}

const SEASON_RATE = 0.3
const MIN_AVERAGE_RATE = 0.0015

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
  const slot = Math.floor((at % DAY_MS) / HOUR_MS)
  const weeklySlot = 24 * (1 + (Math.floor(at / DAY_MS) % 7)) + slot
  const expectedValue = age > 10 * DAY_MS && season.seen[weeklySlot] ? season.profile[weeklySlot] : season.profile[slot]
  const residual = age < 2 * DAY_MS || !season.seen[slot] ? 0 : value - (expectedValue ?? 0)
  const rate = Math.max(MIN_AVERAGE_RATE, 1 / (state.seen + 1))
  if (state.seen === 0) season.mean = value
  season.mean += rate * (value - season.mean)
  season.variance += rate * ((value - season.mean) ** 2 - season.variance)
  if (age > 2 * DAY_MS) {
    const square = Math.min(residual ** 2, 9 * season.residualVariance + 0.1 * season.variance + 1e-9)
    season.residualVariance += rate * (square - season.residualVariance)
  }
  const step = state.seen === 0 || at <= state.before ? 300_000 : at - state.before
  for (const key of [weeklySlot, slot]) addToProfile(season, key, value, Math.max(1, HOUR_MS / step))
  const strength = age > 4 * DAY_MS ? Math.max(0, 1 - season.residualVariance / (season.variance + 1e-12)) : 0
  return { short: updateAverage(season.short, residual), long: updateAverage(season.long, residual), strength }
}

function addToProfile(season: SeasonalStatistics, key: number, value: number, perHour: number): void {
  const seenCount = (season.seen[key] ?? 0) + 1
  const profileBefore = season.profile[key] ?? 0
  season.seen[key] = seenCount
  season.profile[key] = profileBefore + Math.max(SEASON_RATE / perHour, 1 / seenCount) * (value - profileBefore)
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
  const isFiring = score > factor * alarm.peak
  alarm.peak = Math.max(alarm.peak * 0.5 ** (1 / rest), score)
  return isFiring ? score : 0
}
