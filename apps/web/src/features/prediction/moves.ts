import type { Alert, MarketCandles } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { type Horizon, toHorizon } from './outcome-state.ts'

type Candles = readonly MarketCandles['candles'][number][]
const referencePeriodMs = 300_000

/**
 * The reference price of a move: the unrounded close of the last candle before the horizon. Null if
 * there is no candle in the five minutes before the horizon, or while the candle of the last minute
 * before the horizon can still arrive: it would replace an older reference.
 */
export function getReference(candles: Candles, fromMs: number): string | null {
  const isKnown = candles.some(([at]) => at * 1_000 >= fromMs - MINUTE_MS)
  const candlesBefore = candles.filter(([at]) => at * 1_000 < fromMs && at * 1_000 >= fromMs - referencePeriodMs)
  return isKnown ? (candlesBefore.at(-1)?.[4] ?? null) : null
}

export const filterByHorizon = (candles: Candles, { from, to }: Horizon): Candles =>
  candles.filter(([at]) => at * 1_000 >= from && at * 1_000 < to)

/**
 * The price from which the move of a prediction is measured, as a decimal. Null if the prediction
 * is not about a move.
 * @param price price when the alert was issued, used if the candles contain no reference price
 */
export function findMoveReference(
  prediction: Alert['prediction'],
  price: string | null,
  candles: Candles,
): string | null {
  if (prediction?.metric !== 'maxExcursion') return null
  return getReference(candles, toHorizon(prediction).from) ?? price
}

/**
 * The greatest move in the horizon so far, in percent of the reference price. It is measured by
 * closes, like the outcome. Null if the prediction is not about a move, and before the first candle
 * of the horizon.
 * @param price price when the alert was issued, used if the candles contain no reference price
 */
export function findGreatestMove(
  { prediction }: Pick<Alert, 'prediction'>,
  price: string | null,
  candles: Candles,
): number | null {
  const basePrice = Number(findMoveReference(prediction, price, candles))
  if (!prediction || !(basePrice > 0)) return null
  const horizonCandles = filterByHorizon(candles, toHorizon(prediction))
  if (horizonCandles.length === 0) return null
  const moves = horizonCandles.map(([, , , , close]) => (100 * Number(close)) / basePrice - 100)
  return moves.reduce((greatest, move) => (Math.abs(move) > Math.abs(greatest) ? move : greatest))
}
