import { computeValueAt, type DecayedHistogram } from './decayed-histogram.ts'
import { type Candidate, createPriceSeries, detectPrice, detectVolume } from './detectors.ts'
import { type Market, observe, UNREACHABLE_LIMIT } from './market.ts'
import { getPast, sumNewest } from './ring.ts'
import { addRushOrderTick, computeRushSurprise } from './rush.ts'
import type { Settings } from './settings.ts'
import { getUsualVolume, PRICE_WINDOWS, VOLUME_WINDOWS } from './statistics.ts'
import { formatRushSummary } from './summary.ts'
import type { Tick } from './tick.ts'

/**
 * Added to the thresholds within a minute. Every trade is compared with the limits, so random moves
 * exceed them more often than with one comparison at the end of the minute.
 */
const EXTRA_SURPRISE = 0.5
const MIN_TICKS_BEYOND = 3

/** Computes the limits of the minute that starts now. */
export function setMinuteLimits(market: Market, at: number, settings: Settings): void {
  const { limits, statistics } = market
  limits.openVolume = 0
  limits.ticksBeyond = 0
  limits.upper = UNREACHABLE_LIMIT
  limits.lower = 0
  limits.volume = UNREACHABLE_LIMIT
  if (market.newest === null) return
  const deviation = Math.sqrt(statistics.slow)
  PRICE_WINDOWS.forEach((window, i) => {
    if (statistics.clean <= window) return
    const multiple = computeValueAt(statistics.price[i] as DecayedHistogram, settings.price + EXTRA_SURPRISE)
    const distance = (multiple * deviation * Math.sqrt(window)) / 100
    const closeBefore = getPast(statistics.closes, window - 1)
    limits.upper = Math.min(limits.upper, Math.exp(closeBefore + distance))
    limits.lower = Math.max(limits.lower, Math.exp(closeBefore - distance))
  })
  const usualMinuteVolume = getUsualVolume(statistics, at)
  VOLUME_WINDOWS.forEach((window, i) => {
    if (statistics.clean < window) return
    const multiple = computeValueAt(statistics.volumeRatio[i] as DecayedHistogram, settings.volume + EXTRA_SURPRISE)
    const volume = multiple * usualMinuteVolume * window - sumNewest(statistics.volumes, window - 1)
    if (volume > 0) limits.volume = Math.min(limits.volume, volume)
  })
}

/** Adds a tick to the open minute. Returns true if a limit is exceeded. */
export function exceedsLimits({ limits }: Market, { price, amount }: Tick): boolean {
  limits.openVolume += amount
  if (price > limits.upper || price < limits.lower) return ++limits.ticksBeyond >= MIN_TICKS_BEYOND
  limits.ticksBeyond = 0
  return limits.openVolume > limits.volume
}

/** Runs the detectors on the open minute. Afterwards the limits are off until the next minute. */
export function detectInOpenMinute(market: Market, tick: Tick, settings: Settings): Candidate[] {
  const observation = observe(market, tick.at, { close: tick.price, volume: market.limits.openVolume })
  market.limits.upper = UNREACHABLE_LIMIT
  market.limits.lower = 0
  market.limits.volume = UNREACHABLE_LIMIT
  return [detectPrice(market, observation, settings), detectVolume(market, observation, settings)].filter(
    (candidate) => candidate !== null,
  )
}

const RUSH_SURPRISE = 4
const RUSH_ORDERS = 6
/** Minimum volume of the open minute, as a multiple of the usual volume of a minute. */
const RUSH_VOLUME = 100

/** Detects many rush orders while the price rises. Returns null for all other ticks. */
export function detectRush(market: Market, tick: Tick, settings: Settings): Candidate | null {
  const { rush, statistics } = market
  if (!addRushOrderTick(rush, tick) || rush.intensity < RUSH_ORDERS || market.newest === null || statistics.clean < 2)
    return null
  const move = 100 * (Math.log(tick.price) - getPast(statistics.closes, 1))
  const score = computeRushSurprise(rush)
  const volume = market.limits.openVolume + tick.amount
  if (score < RUSH_SURPRISE || move < settings.rushMove) return null
  if (volume < RUSH_VOLUME * getUsualVolume(statistics, tick.at)) return null
  return {
    kind: 'rush',
    market,
    direction: 'up',
    score,
    strength: rush.intensity,
    metric: 'maxExcursion',
    summary: formatRushSummary(Math.round(rush.intensity), move),
    series: createPriceSeries(market, tick.price),
  }
}
