import type { PredictionProgress } from '@tocsin/protocol'
import { formatClock } from '../../ui/format-time.ts'
import type { TimeStyle } from '../../ui/time-style.ts'
import { formatComparison, toDisplayAmount } from '../prediction/amount-texts.ts'
import { toHorizon } from '../prediction/outcome-state.ts'
import type { Prediction } from '../prediction/prediction-names.ts'

/**
 * "Reached 1.40% at 14:21:00, 1.46% until 14:25:00; verdict at 14:58:00" or "0.48% of 1.10% until
 * 14:25:00; verdict at 14:58:00". It never says that a prediction came true.
 */
export function formatProgress(prediction: Prediction, progress: PredictionProgress, style?: TimeStyle): string {
  const { metric, threshold } = prediction
  const { measured, reachedAt, until } = progress
  const endMs = toHorizon(prediction).to
  const verdict = Date.parse(until) < endMs ? `verdict at ${formatClock(endMs, style)}` : 'the verdict follows'
  const [limit, value] = formatComparison(metric, threshold, measured, reachedAt === null)
  const untilText = formatClock(Date.parse(until), style)
  if (reachedAt === null) return `${value} of ${limit} until ${untilText}; ${verdict}`
  return `Reached ${limit} at ${formatClock(Date.parse(reachedAt), style)}, ${value} until ${untilText}; ${verdict}`
}

/** Share of the threshold that has been reached, at most 1. Computed from the displayed amounts. */
export function computeReachedShare({ metric, threshold }: Prediction, { measured }: PredictionProgress): number {
  return Math.min(1, toDisplayAmount(metric, Number(measured)) / toDisplayAmount(metric, threshold))
}
