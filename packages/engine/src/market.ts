import { closeMinute, createBars, type Minute, type MinuteAggregator } from './bars.ts'
import { computeEffectiveCount, computeGrowth, computeSurprise, type DecayedHistogram } from './decayed-histogram.ts'
import { MINUTE_MS } from './durations.ts'
import { addScore, createLikelihood, type Likelihood } from './likelihood.ts'
import { createNoveltyMemory, learnWindow, type NoveltyMemory } from './novelty.ts'
import type { MarketName } from './prediction.ts'
import { createRegime, type Regime, updateRegime } from './regime.ts'
import { closeRushMinute, createRush, type RushOrders } from './rush.ts'
import type { Settings } from './settings.ts'
import {
  addMinute,
  computeMeasures,
  createStatistics,
  learnMeasures,
  type MarketMeasures,
  type OpenMinute,
  type Statistics,
} from './statistics.ts'
import { combineSurprises, computeSurprises } from './surprise.ts'
import type { Venue } from './tick.ts'

/** The measures of a market at one time (`views`), with their surprises. */
export interface Observation {
  at: number
  /** The open minute so far. Null if the observation is at the end of a minute. */
  open: OpenMinute | null
  views: MarketMeasures
  price: number
  /** Surprise of each price window, used to name the most unusual window. */
  prices: number[]
  volume: number
  volumes: number[]
  volatility: number
  /** Anomaly likelihood of the newest scores, compared with the usual ones, see likelihood.ts. */
  likelihood: number
  /** Surprise of the combination of all measures, see novelty.ts. 0 within a minute. */
  novelty: number
}

/**
 * Limits for the open minute, computed when the previous one closed. The detectors run before the
 * minute ends if several ticks in a row are outside the price limits, or if the volume exceeds its
 * limit.
 */
interface MinuteLimits {
  upper: number
  lower: number
  volume: number
  openVolume: number
  /** Ticks in a row outside the price limits. A single trade is not a move. */
  ticksBeyond: number
}

/** A limit that is never reached; JSON has no infinity. */
export const UNREACHABLE_LIMIT = 1e300

export interface Market extends MarketName {
  base: string
  quote: string
  bars: MinuteAggregator
  statistics: Statistics
  regime: Regime
  likelihood: Likelihood
  novelty: NoveltyMemory
  rush: RushOrders
  limits: MinuteLimits
  newest: Observation | null
  /** Last time at which price, volume and volatility were at each level, see `toLevel`. */
  lastSeen: { price: number[]; volume: number[]; volatility: number[] }
}

const LEVEL_COUNT = 16
const SHORT_WINDOW_MINUTES = 4
const LONG_WINDOW_MINUTES = 1440
const LONGEST_WINDOW = 60

export function createMarket(venue: Venue, market: string, settings: Settings): Market {
  const [base = market, quote = ''] = market.split('/')
  const createLevels = () => new Array<number>(LEVEL_COUNT).fill(0)
  return {
    venue,
    market,
    base,
    quote,
    bars: createBars(venue),
    statistics: createStatistics(settings),
    regime: createRegime(),
    likelihood: createLikelihood(),
    novelty: createNoveltyMemory(),
    rush: createRush(),
    limits: { upper: UNREACHABLE_LIMIT, lower: 0, volume: UNREACHABLE_LIMIT, openVolume: 0, ticksBeyond: 0 },
    newest: null,
    lastSeen: { price: createLevels(), volume: createLevels(), volatility: createLevels() },
  }
}

export function observe(market: Market, at: number, open: OpenMinute | null = null): Observation {
  const { statistics } = market
  const views = computeMeasures(statistics, at, open)
  const prices = computeSurprises(statistics.price, views.prices)
  const volumes = computeSurprises(statistics.volumeRatio, views.volumes)
  return {
    at,
    open,
    views,
    prices,
    price: combineSurprises(prices),
    volumes,
    volume: combineSurprises(volumes),
    volatility: computeSurprise(statistics.volatilityRatio, views.volatility),
    likelihood: 0,
    novelty: 0,
  }
}

/** Closes the market's open minute. */
export function closeMarketMinute(market: Market, settings: Settings): void {
  observeMinute(market, closeMinute(market.bars), settings)
}

/** Sets `newest` of the market, to null if the minute must not raise alerts. */
export function observeMinute(market: Market, minute: Minute, settings: Settings): void {
  const { statistics } = market
  addMinute(statistics, minute)
  closeRushMinute(market.rush)
  market.newest = null
  if (minute.incomplete) return
  const observation = observe(market, minute.at + MINUTE_MS)
  updateRegime(market.regime, statistics)
  learnMeasures(statistics, observation.views, settings)
  const score = Math.max(observation.price, observation.volume, observation.volatility)
  observation.likelihood = addScore(market.likelihood, score, SHORT_WINDOW_MINUTES, LONG_WINDOW_MINUTES)
  if (statistics.clean > LONGEST_WINDOW) {
    observation.novelty = learnWindow(market.novelty, observation.views, computeGrowth(settings.tailHalfLife))
  }
  statistics.warm ||= computeEffectiveCount(statistics.price[0] as DecayedHistogram) >= settings.warmUp
  if (isWarm(market, settings)) market.newest = observation
}

function isWarm({ statistics }: Market, settings: Settings): boolean {
  return statistics.warm && statistics.seen >= settings.warmUpAfterGap
}

/**
 * Level of a multiple of the usual value: 0 below 1.41 (the square root of two), then one level for
 * each factor of 1.41.
 */
function toLevel(strength: number): number {
  return strength <= 1 ? 0 : Math.min(LEVEL_COUNT - 1, Math.floor(2 * Math.log2(strength)))
}

/** Last time at which the level of this strength or a higher level was seen, 0 if never. */
export function getLastSeenAt(levels: readonly number[], strength: number): number {
  return Math.max(...levels.slice(toLevel(strength)))
}

export function recordStrengths(market: Market, { at, views }: Observation): void {
  const recordLevel = (levels: number[], strength: number) => {
    levels[toLevel(strength)] = at
  }
  recordLevel(market.lastSeen.price, Math.max(...views.prices.map(Math.abs)))
  recordLevel(market.lastSeen.volume, Math.max(...views.volumes))
  recordLevel(market.lastSeen.volatility, views.volatility)
}
