import { computeHorizon, computeWindow, evaluatePrediction, type Prediction, parseCandleLists } from '@tocsin/proof'
import type { PredictionProgress } from '@tocsin/protocol'
import type { MarketBook } from './market-book.ts'

/** Delay after the end of a minute, because its trades may arrive late. */
const LATE_TRADES_MS = 2_000
const MINUTE_SECONDS = 60

/**
 * Measures an open prediction by the trades since the start of its horizon, the period that it
 * covers. Applies the rule of the verdict to the minutes that are over. Returns null before the
 * first minute is over, if a trade since the reference minute may be missing, and after the
 * deadline.
 */
export function measureProgress(prediction: Prediction, book: MarketBook, nowMs: number): PredictionProgress | null {
  const { from, until: end } = computeHorizon(prediction)
  const lastMinuteEnd = Math.floor((nowMs - LATE_TRADES_MS) / 1_000 / MINUTE_SECONDS) * MINUTE_SECONDS
  const until = Math.min(end, lastMinuteEnd)
  if (until <= from || nowMs > Date.parse(prediction.resolveBy)) return null
  // The reference price of the verdict is the newest price in the 300 seconds before the horizon.
  // Only the last of these five minutes is read, because it contains that price if it has a trade.
  const market = book.listMinutes(prediction, from - MINUTE_SECONDS, until)
  const otherCandles = prediction.other ? book.listMinutes(prediction.other, from - MINUTE_SECONDS, until) : []
  if (!market || !otherCandles) return null
  const evaluateUntil = (time: number) => {
    const shortenedPrediction = { ...prediction, horizonSeconds: time - from }
    const isWithin = ([openTime]: readonly [number, ...unknown[]]) =>
      openTime < computeWindow(shortenedPrediction).until
    return evaluatePrediction(
      shortenedPrediction,
      parseCandleLists(shortenedPrediction, market.filter(isWithin), otherCandles.filter(isWithin)),
    )
  }
  const { verdict, measured } = evaluateUntil(until)
  if (measured === null) return null
  const reachedAt =
    verdict === 'came-true' ? findFirstReached(from, until, (time) => evaluateUntil(time).verdict) : null
  const referenceCandle = market.find(([openTime]) => openTime < from)
  return {
    reference: prediction.metric === 'maxExcursion' ? (referenceCandle?.[4] ?? null) : null,
    measured,
    reachedAt: reachedAt === null ? null : new Date(reachedAt * 1_000).toISOString(),
    until: new Date(until * 1_000).toISOString(),
  }
}

/**
 * Returns the end of the first minute in which the threshold was reached. Uses a binary search,
 * because measured values never fall.
 */
function findFirstReached(from: number, until: number, evaluateAt: (time: number) => string): number {
  let [lastNotReached, firstReached] = [from, until]
  while (firstReached - lastNotReached > MINUTE_SECONDS) {
    const middle = from + Math.floor((lastNotReached + firstReached - 2 * from) / 2 / MINUTE_SECONDS) * MINUTE_SECONDS
    if (evaluateAt(middle) === 'came-true') firstReached = middle
    else lastNotReached = middle
  }
  return firstReached
}
