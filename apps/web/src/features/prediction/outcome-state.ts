import { isLate } from '@tocsin/proof'
import type { Alert } from '@tocsin/protocol'
import type { OutcomeShape } from '../../ui/identity/outcome-glyph.tsx'

export type OutcomeKind = OutcomeShape | 'late'

export const outcomeNames: Record<OutcomeKind, string> = {
  none: 'No prediction',
  open: 'Open',
  'came-true': 'Came true',
  'did-not': 'Did not',
  void: 'Void',
  overdue: 'Overdue',
  late: 'Anchored late',
}

/** Late alerts look like overdue ones: neither counts as true. */
export const outcomeShape = (kind: OutcomeKind): OutcomeShape => (kind === 'late' ? 'overdue' : kind)

export type Predicted = Pick<Alert, 'prediction' | 'outcome' | 'createdAt' | 'anchoredAt'>

/**
 * State of a prediction. A verdict comes from the outcome entry only, however clear the candles
 * are. As in the record, an alert that was anchored too late has no verdict, and an outcome after
 * the deadline is overdue.
 * @returns null without a prediction
 */
export function outcomeKind({ prediction, outcome, ...alert }: Predicted, nowMs: number): OutcomeKind | null {
  if (!prediction) return null
  const dueMs = Date.parse(prediction.resolveBy)
  if (!outcome && nowMs <= dueMs) return 'open'
  const anchoredMs = alert.anchoredAt === null ? null : Date.parse(alert.anchoredAt)
  if (isLate(prediction, Date.parse(alert.createdAt), anchoredMs)) return 'late'
  return outcome && Date.parse(outcome.createdAt) <= dueMs ? outcome.verdict : 'overdue'
}

export interface Countdown {
  /** `start`: until the horizon begins; `end`: until it ends; `verdict`: until the deadline. */
  until: 'start' | 'end' | 'verdict'
  atMs: number
  /** Rounded up to whole seconds. */
  secondsLeft: number
  /** Share of the horizon that is left. */
  share: number
}

/** The next event of an open prediction. */
export function countdownOf(
  { startsAt, horizonSeconds, resolveBy }: NonNullable<Alert['prediction']>,
  nowMs: number,
): Countdown {
  const startMs = Date.parse(startsAt)
  const endMs = startMs + horizonSeconds * 1000
  const [until, atMs]: [Countdown['until'], number] =
    nowMs < startMs ? ['start', startMs] : nowMs < endMs ? ['end', endMs] : ['verdict', Date.parse(resolveBy)]
  const share = Math.min(1, Math.max(0, (endMs - nowMs) / (horizonSeconds * 1000)))
  return { until, atMs, secondsLeft: Math.max(0, Math.ceil((atMs - nowMs) / 1000)), share }
}

/** What a countdown leads to: "verdict in 37:17". A verdict needs the whole horizon. */
export const leftWords: Record<Countdown['until'], string> = {
  start: 'starts in',
  end: 'verdict in',
  verdict: 'verdict due in',
}

const pad = (value: number) => String(value).padStart(2, '0')

const longestMinutes = 99

/** "37:17", "60:00", from 100 minutes on "1:42:09": an hour and its delay fit in a column. */
export function clockLeft(seconds: number): string {
  const minutes = Math.floor(seconds / 60)
  const rest = pad(seconds % 60)
  if (minutes <= longestMinutes) return `${pad(minutes)}:${rest}`
  return `${Math.floor(minutes / 60)}:${pad(minutes % 60)}:${rest}`
}
