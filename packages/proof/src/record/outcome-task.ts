import type { Hex } from '../hex.ts'
import type { OutcomeStatement } from '../outcome-entry.ts'
import { type CandleComparison, type CandleSource, compareCandles } from './candle-source.ts'
import { evaluateEntry } from './evaluate-entry.ts'
import { evaluateWitnessed } from './metrics.ts'
import type { EvaluatedOutcome, PredictedSignal } from './outcome-message.ts'
import type { Prediction } from './prediction.ts'

/**
 * The input of evaluateOutcome. It is plain data, because evaluating outcomes takes most of the
 * time of a record and can be done in other threads.
 */
export interface OutcomeTask {
  /** Index of the alert. */
  targetIndex: number
  statement: Pick<OutcomeStatement, 'verdict' | 'measured' | 'messageHash' | 'createdAt'>
  /** The outcome message, or null if it is not available. */
  message: string | null
  signal: PredictedSignal
  /**
   * Block time of the first anchor that covers the alert, in milliseconds. Null if not anchored.
   */
  anchoredMs: number | null
}

export interface OutcomeResult {
  /** Why the outcome does not follow from message and candles, or null. */
  problem: string | null
  /** True if the prediction came true in the rest of the horizon after the first anchor. */
  isWitnessed: boolean
  /** Null if there is no source to compare with, or there are no valid candles to compare. */
  comparison: CandleComparison | null
}

export function evaluateOutcome(
  { statement, message, signal, anchoredMs }: OutcomeTask,
  hashMessage: (message: string) => Hex,
  candles: CandleSource | null = null,
): OutcomeResult {
  const evaluation = evaluateEntry(statement, message, signal, hashMessage)
  if ('problem' in evaluation) return { problem: evaluation.problem, isWitnessed: false, comparison: null }
  const { prediction } = signal
  return {
    problem: null,
    isWitnessed: isWitnessed(prediction, evaluation, anchoredMs),
    comparison: candles && compareCandles(prediction, evaluation.candles, statement.verdict, candles),
  }
}

/**
 * True if the prediction came true after the first anchor. If the anchor came before the start, the
 * whole horizon counts.
 */
function isWitnessed(
  prediction: Prediction,
  { result, candles }: EvaluatedOutcome,
  anchoredMs: number | null,
): boolean {
  if (anchoredMs === null) return false
  if (anchoredMs <= Date.parse(prediction.startsAt)) return result.verdict === 'came-true'
  return evaluateWitnessed(prediction, candles, anchoredMs).isTrue
}
