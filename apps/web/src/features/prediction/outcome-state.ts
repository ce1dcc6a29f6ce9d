import { isLate } from '@tocsin/proof'
import type { Alert } from '@tocsin/protocol'
import { padTwoDigits } from '../../ui/format-time.ts'
import type { OutcomeShape } from '../../ui/identity/outcome-glyph.tsx'

export type OutcomeKind = OutcomeShape | 'late'

export const outcomeNames: Record<OutcomeKind, string> = {
  none: 'No prediction',
  open: 'Open',
  'came-true': 'Came true',
  'did-not': 'Not true',
  void: 'Void',
  overdue: 'Overdue',
  late: 'Anchored late',
}

/**
 * Shape of the outcome glyph. Late-anchored alerts and overdue predictions have the same shape,
 * because both count as not true.
 */
export const getOutcomeShape = (kind: OutcomeKind): OutcomeShape => (kind === 'late' ? 'overdue' : kind)

export type PredictedFields = Pick<Alert, 'prediction' | 'outcome' | 'createdAt' | 'anchoredAt'>

/**
 * Returns the state of a prediction. Only an outcome entry can give a verdict, even if the candles
 * already show the result. As in the track record, an alert that was anchored too late has no
 * verdict, and a prediction whose outcome came after the deadline is overdue.
 * @returns null if there is no prediction
 */
export function getOutcomeKind({ prediction, outcome, ...alert }: PredictedFields, nowMs: number): OutcomeKind | null {
  if (!prediction) return null
  const dueMs = Date.parse(prediction.resolveBy)
  if (!outcome && nowMs <= dueMs) return 'open'
  const anchoredMs = alert.anchoredAt === null ? null : Date.parse(alert.anchoredAt)
  if (isLate(prediction, Date.parse(alert.createdAt), anchoredMs)) return 'late'
  return outcome && Date.parse(outcome.createdAt) <= dueMs ? outcome.verdict : 'overdue'
}

/**
 * Horizon of a prediction: the time span that decides it, in milliseconds since the epoch. `to` is
 * exclusive.
 */
export type Horizon = { from: number; to: number }

export function toHorizon({ startsAt, horizonSeconds }: NonNullable<Alert['prediction']>): Horizon {
  const from = Date.parse(startsAt)
  return { from, to: from + horizonSeconds * 1000 }
}

export interface Countdown {
  /** Next event: `start` and `end` of the horizon, or the deadline of the `verdict`. */
  until: 'start' | 'end' | 'verdict'
  atMs: number
  /** Rounded up to whole seconds. */
  secondsLeft: number
  /** Share of the horizon that is left. */
  share: number
}

/** The next event of an open prediction. */
export function getCountdown(prediction: NonNullable<Alert['prediction']>, nowMs: number): Countdown {
  const { from: startMs, to: endMs } = toHorizon(prediction)
  const [until, atMs]: [Countdown['until'], number] =
    nowMs < startMs
      ? ['start', startMs]
      : nowMs < endMs
        ? ['end', endMs]
        : ['verdict', Date.parse(prediction.resolveBy)]
  const share = Math.min(1, Math.max(0, (endMs - nowMs) / (endMs - startMs)))
  return { until, atMs, secondsLeft: Math.max(0, Math.ceil((atMs - nowMs) / 1000)), share }
}

/**
 * Labels before a countdown: "verdict in 37:17". The label for `end` names the verdict, because the
 * end of the horizon decides it.
 */
export const timeLeftLabels: Record<Countdown['until'], string> = {
  start: 'starts in',
  end: 'verdict in',
  verdict: 'verdict due in',
}

const maxMinutesWithoutHours = 99

/**
 * Formats the time left: "37:17", "60:00", and from 100 minutes on "1:42:09". Hours are omitted up
 * to 99:59, so that a countdown of one hour plus the delay until the verdict fits into a column.
 */
export function formatClockLeft(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const secondsText = padTwoDigits(seconds % 60)
  if (minutes <= maxMinutesWithoutHours) return `${padTwoDigits(minutes)}:${secondsText}`
  return `${Math.floor(minutes / 60)}:${padTwoDigits(minutes % 60)}:${secondsText}`
}
