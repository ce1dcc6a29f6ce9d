import {
  addToHistogram,
  computeGrowth,
  computeLearningRate,
  computeQuantile,
  computeSurprise,
  createDecayedHistogram,
  type DecayedHistogram,
} from './decayed-histogram.ts'
import { type Candidate, roundToFiveDigits, SERIES_LENGTH } from './detectors.ts'
import type { Market } from './market.ts'
import { createRing, getPast, push, type Ring } from './ring.ts'
import type { Settings } from './settings.ts'
import { formatDivergenceSummary } from './summary.ts'

/** Two markets of one asset: the current and the usual difference between their prices. */
export interface MarketPair {
  /** Usual spread in percent: decayed mean of the clipped spread. */
  usual: number
  seen: number
  /**
   * Decayed mean of the newest spreads, so that a single trade in a thin market does not raise an
   * alert.
   */
  short: number
  distances: DecayedHistogram
  spreads: Ring
}

/**
 * Quote assets that are worth one US dollar. Markets with other quote assets are not compared,
 * because their prices also follow the exchange rate.
 */
const DOLLAR_ASSETS = ['USD', 'USDT', 'USDC', 'DAI', 'FDUSD', 'TUSD', 'USDE', 'PYUSD']
const WARM_UP = 240
const USUAL_RATE = computeLearningRate(1440)
const SHORT_RATE = computeLearningRate(3)
const DIVERGENCE_SURPRISE = 2.3
/**
 * Minimum distance of the spread from its usual value for an alert, as a multiple of the 90 %
 * quantile of past distances.
 */
const DIVERGENCE_FACTOR = 4
const growth = computeGrowth(3 * 1440)

export function createPair(): MarketPair {
  return { usual: 0, seen: 0, short: 0, distances: createDecayedHistogram(), spreads: createRing(SERIES_LENGTH) }
}

/** Returns the market with which the others are compared: the one in US dollars, else the first. */
function findReference(markets: readonly Market[]): Market | undefined {
  return markets.find(({ quote }) => quote === 'USD') ?? markets[0]
}

/** Pairs each market with the reference market of its asset, in the order of the markets. */
export function pairMarkets(markets: readonly Market[]): { market: Market; other: Market }[] {
  const byBase = new Map<string, Market[]>()
  for (const market of markets) {
    if (DOLLAR_ASSETS.includes(market.quote)) byBase.set(market.base, [...(byBase.get(market.base) ?? []), market])
  }
  return [...byBase.values()].flatMap((group) => {
    const other = findReference(group)
    return other === undefined ? [] : group.filter((market) => market !== other).map((market) => ({ market, other }))
  })
}

/**
 * Detects a divergence of two markets. Skips minutes in which one of them had no trade, because its
 * price is then out of date.
 */
export function detectDivergence(
  pair: MarketPair,
  market: Market,
  other: Market,
  settings: Settings,
): Candidate | null {
  if (market.statistics.quiet > 0 || other.statistics.quiet > 0 || market.bars.close === 0) return null
  const spread = 100 * (market.bars.close / other.bars.close - 1)
  push(pair.spreads, spread)
  pair.short = pair.seen === 0 ? spread : pair.short + SHORT_RATE * (spread - pair.short)
  const distance = Math.abs(pair.short - pair.usual)
  const score = pair.seen >= WARM_UP ? computeSurprise(pair.distances, distance) : 0
  const usualDistance = computeQuantile(pair.distances, 0.9)
  addToHistogram(pair.distances, distance, growth)
  pair.seen++
  const clippedSpread = Math.max(
    pair.usual - 3 * settings.divergence,
    Math.min(pair.usual + 3 * settings.divergence, spread),
  )
  pair.usual += Math.max(USUAL_RATE, 1 / pair.seen) * (clippedSpread - pair.usual)
  if (distance < Math.max(settings.divergence, DIVERGENCE_FACTOR * usualDistance) || score < DIVERGENCE_SURPRISE)
    return null
  return createCandidate(pair, market, other, spread, score)
}

const formatPairName = (market: Market, other: Market) =>
  market.market === other.market ? market.venue : market.market.replace('/', ' in ')

function createCandidate(pair: MarketPair, market: Market, other: Market, spread: number, score: number): Candidate {
  const values = Array.from({ length: SERIES_LENGTH }, (_, i) =>
    roundToFiveDigits(getPast(pair.spreads, SERIES_LENGTH - 1 - i)),
  )
  return {
    kind: 'divergence',
    market,
    other,
    direction: pair.short < pair.usual ? 'down' : 'up',
    score,
    strength: Math.abs(pair.short - pair.usual),
    metric: 'spread',
    // Predicts that the spread is at least as large as now at some time in the horizon.
    threshold: Math.abs(pair.short),
    summary: formatDivergenceSummary(formatPairName(market, other), formatPairName(other, market), spread),
    series: {
      values,
      stepSeconds: 60,
      triggerIndex: SERIES_LENGTH - 1,
      mean: roundToFiveDigits(pair.usual),
      deviation: roundToFiveDigits(computeQuantile(pair.distances, 0.68)),
      unit: '%',
    },
  }
}
