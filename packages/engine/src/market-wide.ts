import { type Candidate, priceSeries } from './detectors.ts'
import type { Market, Observation } from './market.ts'
import type { Settings } from './settings.ts'
import { PRICE_WINDOWS } from './statistics.ts'
import { marketWideSummary } from './summary.ts'

const MARKET_WIDE_ASSET = 'Market'

const LESS_PER_ASSET = 0.1
const MIN_SURPRISE = 2.6

interface Mover {
  market: Market
  surprise: number
  move: number
  strength: number
}

/** Returns for each asset the market with the largest surprise in one window. */
function findMovers(observed: readonly [Market, Observation][], window: number): Map<string, Mover> {
  const movers = new Map<string, Mover>()
  for (const [market, seen] of observed) {
    const mover = {
      market,
      surprise: seen.prices[window] ?? 0,
      move: seen.views.moves[window] ?? 0,
      strength: Math.abs(seen.views.prices[window] ?? 0),
    }
    const best = movers.get(market.base)
    if (best === undefined || mover.surprise > best.surprise) movers.set(market.base, mover)
  }
  return movers
}

/**
 * Detects several assets that move in one direction at the same time, so that one alert replaces
 * one alert for each asset.
 */
export function detectMarketWide(observed: readonly [Market, Observation][], settings: Settings): Candidate | null {
  let best: Candidate | null = null
  PRICE_WINDOWS.forEach((length, window) => {
    const movers = [...findMovers(observed, window).values()]
    for (const direction of ['down', 'up'] as const) {
      const candidate = combineMovers(movers, direction, length, settings)
      if (candidate !== null && (best === null || candidate.score > best.score)) best = candidate
    }
  })
  return best
}

/**
 * Returns the surprise that each of `count` assets must reach. The more assets move together, the
 * lower it is.
 */
function computeNeededSurprise(count: number, settings: Settings): number {
  return Math.max(settings.marketWide - LESS_PER_ASSET * Math.max(0, count - 2), MIN_SURPRISE)
}

function combineMovers(
  movers: readonly Mover[],
  direction: 'up' | 'down',
  window: number,
  settings: Settings,
): Candidate | null {
  const sorted = movers
    .filter(({ move }) => (direction === 'up' ? move > 0 : move < 0))
    .sort((a, b) => b.surprise - a.surprise)
  const same = sorted.filter(({ surprise }, i) => surprise >= computeNeededSurprise(i + 1, settings))
  if (same.length < 2 || same.length < settings.marketWideShare * movers.length) return null
  const mean = (of: (mover: Mover) => number) => same.reduce((sum, mover) => sum + of(mover), 0) / same.length
  const lead = same.reduce((most, mover) => (mover.surprise > most.surprise ? mover : most))
  return {
    kind: 'marketWide',
    market: lead.market,
    asset: MARKET_WIDE_ASSET,
    direction,
    // Assets are dependent. If two assets have the surprises a and b, their joint move is more
    // likely than 10^-(a + b), but less likely than 10^-max(a, b).
    score: mean((mover) => mover.surprise) * Math.sqrt(same.length),
    strength: mean((mover) => mover.strength),
    metric: 'maxExcursion',
    summary: marketWideSummary(
      same.length,
      movers.length,
      mean((mover) => mover.move),
      window,
    ),
    series: priceSeries(lead.market),
  }
}
