import type { Alert } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'

/**
 * Delay in ms until an alert that the stream does not update is read again: every minute while its
 * anchor or its verdict is expected.
 * @returns false if nothing more is expected
 */
export function recheckDelayMs({ anchoredAt, prediction, outcome }: Alert, nowMs: number): number | false {
  if (anchoredAt === null) return MINUTE_MS
  if (!prediction || outcome || nowMs > Date.parse(prediction.resolveBy) + MINUTE_MS) return false
  const endMs = Date.parse(prediction.startsAt) + prediction.horizonSeconds * 1000
  return Math.max(endMs - nowMs, MINUTE_MS)
}
