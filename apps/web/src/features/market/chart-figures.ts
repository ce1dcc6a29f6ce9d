import type { Alert } from '@tocsin/protocol'
import type { CandleRow } from './candles.ts'

/** The lines that a chart draws for an alert. */
export interface ChartMarks {
  issuedMs: number
  /** The price at issue. Null if the signed message names none. */
  price: number | null
  /** The prices that the prediction expects to be reached, one of them. */
  thresholds: readonly number[]
  /** The horizon of the prediction. */
  horizon: { from: number; to: number } | null
}

/** @param price the price at issue, as a decimal */
export function marksOf(
  { createdAt, prediction }: Pick<Alert, 'createdAt' | 'prediction'>,
  price: string | null,
  rows: readonly CandleRow[],
): ChartMarks {
  const marks = { issuedMs: Date.parse(createdAt), price: price === null ? null : Number(price) }
  if (!prediction) return { ...marks, thresholds: [], horizon: null }
  const from = Date.parse(prediction.startsAt)
  const horizon = { from, to: from + prediction.horizonSeconds * 1_000 }
  if (prediction.metric !== 'maxExcursion') return { ...marks, thresholds: [], horizon }
  // A move is measured from the close of the last candle before the horizon.
  const reference = rows.filter(([at]) => at * 1_000 < from && at * 1_000 >= from - referenceMs).at(-1)?.[4]
  const base = reference === undefined ? marks.price : Number(reference)
  const share = prediction.threshold / 100
  return { ...marks, thresholds: base === null ? [] : [base * (1 + share), base * (1 - share)], horizon }
}

const referenceMs = 300_000

/** What the candles did since a time: the last close, and the highest and lowest price. */
export function sinceOf(rows: readonly CandleRow[], sinceMs: number) {
  const after = rows.filter(([at]) => at * 1_000 + 60_000 > sinceMs)
  const last = rows.at(-1)
  if (!last || after.length === 0) return null
  return {
    last: last[4],
    high: String(Math.max(...after.map(([, , high]) => Number(high)))),
    low: String(Math.min(...after.map(([, , , low]) => Number(low)))),
  }
}
