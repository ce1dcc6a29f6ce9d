import {
  addToHistogram,
  computeGrowth,
  computeSurprise,
  createDecayedHistogram,
  type DecayedHistogram,
} from './decayed-histogram.ts'
import type { Tick } from './tick.ts'

/**
 * Rush orders are market buys that fill several makers in one step. Many of them are the sign of a
 * pump in La Morgia et al., "The Doge of Wall Street" (2021). Their decayed count is compared with
 * the largest counts of earlier minutes.
 */
export interface RushOrders {
  /** Time and number of fills of the newest taker buy. */
  at: number
  fills: number
  /** Decayed count of rush orders, and the time of its last update. */
  intensity: number
  countedAt: number
  /** Largest intensity of the open minute. */
  peak: number
  peaks: DecayedHistogram
}

const WINDOW_MS = 25_000
const growth = computeGrowth(3 * 1440)

export function createRush(): RushOrders {
  return { at: 0, fills: 0, intensity: 0, countedAt: 0, peak: 0, peaks: createDecayedHistogram() }
}

/**
 * Adds a tick. Returns true if the tick makes its order a rush order. Returns true once per order.
 */
export function addRushOrderTick(rush: RushOrders, tick: Tick): boolean {
  if (tick.takerSide !== 'buy') return false
  const fillsBefore = tick.at === rush.at ? rush.fills : 0
  rush.at = tick.at
  rush.fills = fillsBefore + tick.count
  if (fillsBefore > 1 || rush.fills < 2) return false
  rush.intensity = rush.intensity * Math.exp((rush.countedAt - tick.at) / WINDOW_MS) + 1
  rush.countedAt = tick.at
  if (rush.intensity > rush.peak) rush.peak = rush.intensity
  return true
}

export function closeRushMinute(rush: RushOrders): void {
  addToHistogram(rush.peaks, rush.peak, growth)
  rush.peak = 0
}

export function computeRushSurprise(rush: RushOrders): number {
  return computeSurprise(rush.peaks, rush.intensity)
}
