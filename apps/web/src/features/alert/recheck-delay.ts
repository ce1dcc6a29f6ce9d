import type { Alert } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { toHorizon } from '../prediction/outcome-state.ts'

/**
 * Returns the delay in ms until an alert that the stream does not update is fetched again. Before
 * the alert is anchored, the delay is one minute. Then the alert is fetched when its prediction
 * ends, and after that once a minute until the outcome arrives or is overdue.
 * @returns false if no further change is expected
 */
export function computeRecheckDelayMs({ anchoredAt, prediction, outcome }: Alert, nowMs: number): number | false {
  if (anchoredAt === null) return MINUTE_MS
  if (!prediction || outcome || nowMs > Date.parse(prediction.resolveBy) + MINUTE_MS) return false
  return Math.max(toHorizon(prediction).to - nowMs, MINUTE_MS)
}
