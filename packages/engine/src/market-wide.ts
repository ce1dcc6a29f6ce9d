import { type Candidate, createPriceSeries } from './detectors.ts'
import type { Market, Observation } from './market.ts'
import type { Settings } from './settings.ts'
import { PRICE_WINDOWS } from './statistics.ts'
import { formatMarketWideSummary } from './summary.ts'

const MARKET_WIDE_ASSET = 'Market'

const SURPRISE_REDUCTION_PER_ASSET = 0.1
const MIN_SURPRISE = 2.6

interface Mover {
  market: Market
  surprise: number
  move: number
  strength: number
}

/** Returns for each asset the market with the largest surprise in one window. */
function findMovers(observations: readonly [Market, Observation][], window: number): Map<string, Mover> {
  const movers = new Map<string, Mover>()
  for (const [market, observation] of observations) {
    const mover = {
      market,
      surprise: observation.prices[window] ?? 0,
      move: observation.views.moves[window] ?? 0,
      strength: Math.abs(observation.views.prices[window] ?? 0),
    }
    const bestMover = movers.get(market.base)
    if (bestMover === undefined || mover.surprise > bestMover.surprise) movers.set(market.base, mover)
  }
  return movers
}

/**
 * Detects several assets that move in one direction at the same time, so that one alert replaces
 * one alert for each asset.
 */
export function detectMarketWide(observations: readonly [Market, Observation][], settings: Settings): Candidate | null {
  let bestCandidate: Candidate | null = null
  PRICE_WINDOWS.forEach((windowMinutes, window) => {
    const movers = [...findMovers(observations, window).values()]
    for (const direction of ['down', 'up'] as const) {
      const candidate = combineMovers(movers, direction, windowMinutes, settings)
      if (candidate !== null && (bestCandidate === null || candidate.score > bestCandidate.score))
        bestCandidate = candidate
    }
  })
  return bestCandidate
}

/**
 * Returns the surprise that each of `count` assets must reach. The more assets move together, the
 * lower it is.
 */
function computeNeededSurprise(count: number, settings: Settings): number {
  return Math.max(settings.marketWide - SURPRISE_REDUCTION_PER_ASSET * Math.max(0, count - 2), MIN_SURPRISE)
}

function combineMovers(
  movers: readonly Mover[],
  direction: 'up' | 'down',
  window: number,
  settings: Settings,
): Candidate | null {
  const sortedMovers = movers
    .filter(({ move }) => (direction === 'up' ? move > 0 : move < 0))
    .sort((a, b) => b.surprise - a.surprise)
  const strongMovers = sortedMovers.filter(({ surprise }, i) => surprise >= computeNeededSurprise(i + 1, settings))
  const [leadMover] = strongMovers
  if (!leadMover || strongMovers.length < Math.max(2, settings.marketWideShare * movers.length)) return null
  const computeMean = (getValue: (mover: Mover) => number) =>
    strongMovers.reduce((sum, mover) => sum + getValue(mover), 0) / strongMovers.length
  return {
    kind: 'marketWide',
    market: leadMover.market,
    asset: MARKET_WIDE_ASSET,
    direction,
    // Moves of assets are correlated. If two assets have the surprises a and b, their joint move is
    // more likely than 10^-(a + b), but less likely than 10^-max(a, b).
    score: computeMean((mover) => mover.surprise) * Math.sqrt(strongMovers.length),
    strength: computeMean((mover) => mover.strength),
    metric: 'maxExcursion',
    summary: formatMarketWideSummary(
      strongMovers.length,
      movers.length,
      computeMean((mover) => mover.move),
      window,
    ),
    series: createPriceSeries(leadMover.market),
  }
}
