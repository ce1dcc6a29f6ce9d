import type { Alert } from '@tocsin/protocol'

export type OutcomeKind = 'open' | 'came-true' | 'did-not' | 'void' | 'overdue'

export const outcomeNames: Record<OutcomeKind, string> = {
  open: 'Open',
  'came-true': 'Came true',
  'did-not': 'Did not',
  void: 'Void',
  overdue: 'Overdue',
}

type Predicted = Pick<Alert, 'prediction' | 'outcome'>

/**
 * State of a prediction. A verdict comes from the outcome entry only, however clear the candles
 * are. An outcome after the deadline is overdue, as in the record.
 * @returns null without a prediction
 */
export function outcomeKind({ prediction, outcome }: Predicted, nowMs: number): OutcomeKind | null {
  if (!prediction) return null
  const dueMs = Date.parse(prediction.resolveBy)
  if (outcome) return Date.parse(outcome.createdAt) <= dueMs ? outcome.verdict : 'overdue'
  return nowMs <= dueMs ? 'open' : 'overdue'
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

const pad = (value: number) => String(value).padStart(2, '0')

/** "37:17", from an hour "1:02:09". */
export function clockLeft(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${pad(minutes)}:${pad(seconds % 60)}`
}
