import type { Alert } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'

/**
 * Delay in ms until the next read of an alert that the stream does not update: one minute while the
 * anchor is pending; then the time until the end of the prediction; then one minute until the
 * outcome arrives or is overdue.
 * @returns false if nothing more is expected
 */
export function computeRecheckDelayMs({ anchoredAt, prediction, outcome }: Alert, nowMs: number): number | false {
  if (anchoredAt === null) return MINUTE_MS
  if (!prediction || outcome || nowMs > Date.parse(prediction.resolveBy) + MINUTE_MS) return false
  const endMs = Date.parse(prediction.startsAt) + prediction.horizonSeconds * 1000
  return Math.max(endMs - nowMs, MINUTE_MS)
}
