import type { Alert } from '@tocsin/protocol'
import { filterByHorizon, findMoveReference } from '../prediction/moves.ts'
import { type Horizon, toHorizon } from '../prediction/outcome-state.ts'
import type { CandleRow } from './candles.ts'

/** The lines that a chart draws for an alert. */
export interface ChartMarks {
  issuedMs: number
  /** Price when the alert was issued. Null if the signed message names no price. */
  price: number | null
  /**
   * The price from which the move is measured, as a decimal. Null if it is unknown, or if the
   * prediction is not about a move.
   */
  reference: string | null
  /**
   * Upper and lower threshold of the price. The prediction expects that one of them is reached.
   * Empty without a reference.
   */
  thresholds: readonly number[]
  horizon: Horizon | null
  /**
   * Open time of the first minute in the horizon whose close reached a threshold, and that
   * threshold. Null if the prediction has not come true.
   */
  reachedPoint: { atMs: number; price: number } | null
}

/** @param price price when the alert was issued, as a decimal */
export function createChartMarks(
  { createdAt, prediction, outcome }: Pick<Alert, 'createdAt' | 'prediction' | 'outcome'>,
  price: string | null,
  rows: readonly CandleRow[],
): ChartMarks {
  const reference = findMoveReference(prediction, price, rows)
  const marks = {
    issuedMs: Date.parse(createdAt),
    price: price === null ? null : Number(price),
    reference,
    reachedPoint: null,
  }
  if (!prediction) return { ...marks, thresholds: [], horizon: null }
  const horizon = toHorizon(prediction)
  if (reference === null) return { ...marks, thresholds: [], horizon }
  const share = prediction.threshold / 100
  const thresholds = [Number(reference) * (1 + share), Number(reference) * (1 - share)]
  const reachedPoint = outcome?.verdict === 'came-true' ? findReachedPoint(rows, thresholds, horizon) : null
  return { ...marks, thresholds, horizon, reachedPoint }
}

function findReachedPoint(
  rows: readonly CandleRow[],
  [above = Number.POSITIVE_INFINITY, below = Number.NEGATIVE_INFINITY]: readonly number[],
  horizon: Horizon,
): ChartMarks['reachedPoint'] {
  for (const [at, , , , close] of filterByHorizon(rows, horizon)) {
    if (Number(close) >= above) return { atMs: at * 1_000, price: above }
    if (Number(close) <= below) return { atMs: at * 1_000, price: below }
  }
  return null
}

/**
 * The last close, and the highest and the lowest price since a time. Null if there is no candle
 * since that time.
 */
export function computeFiguresSince(rows: readonly CandleRow[], sinceMs: number) {
  const rowsAfter = rows.filter(([at]) => at * 1_000 + 60_000 > sinceMs)
  const lastRow = rows.at(-1)
  if (!lastRow || rowsAfter.length === 0) return null
  return {
    last: lastRow[4],
    high: String(Math.max(...rowsAfter.map(([, , high]) => Number(high)))),
    low: String(Math.min(...rowsAfter.map(([, , , low]) => Number(low)))),
  }
}
