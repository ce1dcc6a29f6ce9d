import type { Verdict } from './metrics.ts'
import type { Prediction } from './prediction.ts'

/**
 * Statuses in which an alert counts in the rates. Only alerts with the status `true` count as
 * having come true.
 */
export const countedStatuses = ['true', 'false', 'void', 'overdue', 'late', 'withheld', 'invalid', 'disputed'] as const
export type CountedStatus = (typeof countedStatuses)[number]
export const alertStatuses = [...countedStatuses, 'open', 'pending', 'no-prediction'] as const
export type AlertStatus = (typeof alertStatuses)[number]

/**
 * The prediction of an alert, or the reason why there is no usable one: `hidden` while the content
 * is not public, `none` if the signal has no prediction, `missing` if the signal message is not
 * available or has another hash, `malformed` if its prediction breaks a rule.
 */
export type KnownPrediction = Prediction | 'hidden' | 'none' | 'missing' | 'malformed'

/** The facts that decide the status of an alert. Times are in milliseconds. */
export interface StatusFacts {
  createdMs: number
  prediction: KnownPrediction
  /** Block time of the first anchor that covers the alert, or null. */
  anchoredMs: number | null
  /** The outcome with the lowest index. */
  outcome: {
    createdMs: number
    verdict: Verdict
    /**
     * True if the outcome message has the stated hash, its candles give this verdict, and the
     * outcome was logged after the end of the horizon.
     */
    isValid: boolean
    /** True if the candles of an archive give another verdict. */
    isDisputed: boolean
  } | null
}

/**
 * The block time of the record's anchor, and the delay after which content becomes public. Statuses
 * are decided as of that block time.
 */
export interface RecordTime {
  blockMs: number
  publicDelayMs: number
}

const withheldAfterMs = 24 * 3_600_000
const lateAfterSeconds = 120
const lateHorizonDivisor = 10

/** Returns the first status that applies, in the order of the conditions below. */
export function getStatus(
  { createdMs, prediction, anchoredMs, outcome }: StatusFacts,
  recordTime: RecordTime,
): AlertStatus {
  if (prediction === 'hidden') return isWithheld(anchoredMs, recordTime) ? 'withheld' : 'pending'
  if (prediction === 'none') return 'no-prediction'
  if (prediction === 'missing') return 'withheld'
  if (prediction === 'malformed') return 'invalid'
  const resolveByMs = Date.parse(prediction.resolveBy)
  if (resolveByMs > recordTime.blockMs) return 'open'
  if (isLate(prediction, createdMs, anchoredMs)) return 'late'
  if (!outcome || outcome.createdMs > resolveByMs) return 'overdue'
  if (!outcome.isValid) return 'invalid'
  if (outcome.isDisputed) return 'disputed'
  return statusOfVerdict[outcome.verdict]
}

export const statusOfVerdict = { 'came-true': 'true', 'did-not': 'false', void: 'void' } as const

/**
 * True if hidden content should already be public. The limit is 24 hours after the end of the
 * public delay, which begins at the first anchor.
 */
function isWithheld(anchoredMs: number | null, { blockMs, publicDelayMs }: RecordTime): boolean {
  return anchoredMs !== null && anchoredMs + publicDelayMs + withheldAfterMs < blockMs
}

/**
 * Maximum time in milliseconds from the start of the prediction to the alert's first anchor: 120
 * seconds, or a tenth of the horizon if that is longer.
 */
export function getToleratedDelayMs({ horizonSeconds }: Pick<Prediction, 'horizonSeconds'>): number {
  return Math.max(lateAfterSeconds, horizonSeconds / lateHorizonDivisor) * 1000
}

/**
 * True if the alert was issued after the start of its prediction, or if the chain does not rule
 * this out: the alert is not anchored, or its anchor exceeds the tolerated delay.
 */
export function isLate(
  prediction: Pick<Prediction, 'startsAt' | 'horizonSeconds'>,
  createdMs: number,
  anchoredMs: number | null,
): boolean {
  const startMs = Date.parse(prediction.startsAt)
  return createdMs > startMs || anchoredMs === null || anchoredMs > startMs + getToleratedDelayMs(prediction)
}

export function isCounted(status: AlertStatus): status is CountedStatus {
  return countedStatuses.some((counted) => counted === status)
}
