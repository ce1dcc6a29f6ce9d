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
  /** Where the first close of the horizon reached a threshold, if the prediction came true. */
  reached: { atMs: number; price: number } | null
}

/** @param price the price at issue, as a decimal */
export function marksOf(
  { createdAt, prediction, outcome }: Pick<Alert, 'createdAt' | 'prediction' | 'outcome'>,
  price: string | null,
  rows: readonly CandleRow[],
): ChartMarks {
  const marks = { issuedMs: Date.parse(createdAt), price: price === null ? null : Number(price), reached: null }
  if (!prediction) return { ...marks, thresholds: [], horizon: null }
  const from = Date.parse(prediction.startsAt)
  const horizon = { from, to: from + prediction.horizonSeconds * 1_000 }
  if (prediction.metric !== 'maxExcursion') return { ...marks, thresholds: [], horizon }
  const base = baseOf(rows, from) ?? marks.price
  const share = prediction.threshold / 100
  const thresholds = base === null ? [] : [base * (1 + share), base * (1 - share)]
  const reached = outcome?.verdict === 'came-true' ? findReached(rows, thresholds, horizon) : null
  return { ...marks, thresholds, horizon, reached }
}

/** A move is measured from the close of the last candle before the horizon. */
function baseOf(rows: readonly CandleRow[], fromMs: number): number | null {
  const close = rows.filter(([at]) => at * 1_000 < fromMs && at * 1_000 >= fromMs - referenceMs).at(-1)?.[4]
  return close === undefined ? null : Number(close)
}

type Horizon = NonNullable<ChartMarks['horizon']>

const within = (rows: readonly CandleRow[], { from, to }: Horizon) =>
  rows.filter(([at]) => at * 1_000 >= from && at * 1_000 < to)

function findReached(
  rows: readonly CandleRow[],
  [above = Number.POSITIVE_INFINITY, below = Number.NEGATIVE_INFINITY]: readonly number[],
  horizon: Horizon,
): ChartMarks['reached'] {
  for (const [at, , , , close] of within(rows, horizon)) {
    if (Number(close) >= above) return { atMs: at * 1_000, price: above }
    if (Number(close) <= below) return { atMs: at * 1_000, price: below }
  }
  return null
}

/**
 * The greatest move of the horizon so far, by closes as the outcome measures it, in percent of the
 * price that it is measured from. Null for predictions about something else than a move, and before
 * the first candle of the horizon.
 */
export function greatestMove(
  { prediction }: Pick<Alert, 'prediction'>,
  price: string | null,
  rows: readonly CandleRow[],
): number | null {
  if (prediction?.metric !== 'maxExcursion') return null
  const from = Date.parse(prediction.startsAt)
  const base = baseOf(rows, from) ?? (price === null ? null : Number(price))
  const seen = within(rows, { from, to: from + prediction.horizonSeconds * 1_000 })
  if (base === null || base <= 0 || seen.length === 0) return null
  const moves = seen.map(([, , , , close]) => (100 * Number(close)) / base - 100)
  return moves.reduce((greatest, move) => (Math.abs(move) > Math.abs(greatest) ? move : greatest))
}

const referenceMs = 300_000

/** What the candles did since a time: the last close, and the highest and lowest price. */
export function figuresSince(rows: readonly CandleRow[], sinceMs: number) {
  const after = rows.filter(([at]) => at * 1_000 + 60_000 > sinceMs)
  const last = rows.at(-1)
  if (!last || after.length === 0) return null
  return {
    last: last[4],
    high: String(Math.max(...after.map(([, , high]) => Number(high)))),
    low: String(Math.min(...after.map(([, , , low]) => Number(low)))),
  }
}
