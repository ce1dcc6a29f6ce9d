import { type Candle, equalCandles, type Span } from './candles.ts'
import { type CandleLists, computeWindow, evaluatePrediction, type Verdict } from './metrics.ts'
import { findFirstIndex } from './ordered.ts'
import type { Market, Prediction } from './prediction.ts'

/** Candles of whole UTC days, from an archive or from the log's own server. */
export interface CandleSource {
  /**
   * True if the operator does not control the source. Only candles of such a source can dispute an
   * outcome.
   */
  isArchive: boolean
  /**
   * Returns the candles of a day (`YYYY-MM-DD`) as parsed by parseCandles, or null if there is no
   * file.
   */
  read(market: Market, day: string): readonly Candle[] | null
}

/**
 * The result of comparing the candles of an outcome message with the candles of a source.
 * `same-verdict`: they differ, but give the same verdict. `not-compared`: the source lacks a day.
 */
export type CandleComparison = 'equal' | 'same-verdict' | 'other-verdict' | 'not-compared'

const daySeconds = 86_400

/** The UTC day of a time in seconds since 1970, as `YYYY-MM-DD`. */
export function formatDay(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10)
}

export function getDaySpan(day: string): Span {
  const from = Date.parse(`${day}T00:00:00.000Z`) / 1000
  return { from, until: from + daySeconds }
}

/** Compares the candles that decided a prediction with the candles of a source. */
export function compareCandles(
  prediction: Prediction,
  { market, other }: CandleLists,
  verdict: Verdict,
  source: CandleSource,
): CandleComparison {
  const window = computeWindow(prediction)
  const sourceMarketCandles = readWindow(source, prediction, window)
  const sourceOtherCandles = prediction.other && other ? readWindow(source, prediction.other, window) : null
  if (!sourceMarketCandles || (other && !sourceOtherCandles)) return 'not-compared'
  if (areListsEqual(market, sourceMarketCandles) && areListsEqual(other ?? [], sourceOtherCandles ?? [])) return 'equal'
  const evaluation = evaluatePrediction(prediction, { market: sourceMarketCandles, other: sourceOtherCandles })
  return evaluation.verdict === verdict ? 'same-verdict' : 'other-verdict'
}

function readWindow(source: CandleSource, market: Market, { from, until }: Span): Candle[] | null {
  const candles: Candle[] = []
  const lastDay = formatDay(until - 1)
  for (let day = formatDay(from); day <= lastDay; day = formatDay(getDaySpan(day).until)) {
    const rows = source.read({ venue: market.venue, market: market.market }, day)
    if (!rows) return null
    const beginIndex = findFirstIndex(rows.length, (at) => (rows[at]?.[0] ?? 0) >= from)
    const endIndex = findFirstIndex(rows.length, (at) => (rows[at]?.[0] ?? 0) >= until)
    candles.push(...rows.slice(beginIndex, endIndex))
  }
  return candles
}

function areListsEqual(a: readonly Candle[], b: readonly Candle[]): boolean {
  if (a.length !== b.length) return false
  return a.every((candle, index) => {
    const otherCandle = b[index]
    return otherCandle !== undefined && equalCandles(candle, otherCandle)
  })
}
