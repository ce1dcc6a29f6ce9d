import { type Priority, priorities } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { Reading } from './kinds/kind.ts'

/** Delays after failed attempts. After the last one, the delivery is dead. */
const RETRY_MS = {
  /** About 38 hours in all. */
  patient: [
    5_000,
    30_000,
    2 * MINUTE_MS,
    10 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    20 * HOUR_MS,
  ],
  /** Four attempts within 15 minutes, for messages that people read. */
  brief: [5_000, MINUTE_MS, 10 * MINUTE_MS],
}
export type Schedule = keyof typeof RETRY_MS
/** Retries are spread by up to this share, so that they do not come all at once. */
const JITTER = 0.2
/** How long retries go on at most. */
export const RETRIES_LAST_MS = RETRY_MS.patient.reduce((sum, ms) => sum + ms * (1 + JITTER), 0)
/** How long an alert counts as new, by the position of its priority in the list of priorities. */
export const MAX_AGES_MS = priorities.map((priority) => (priority === 'critical' ? HOUR_MS : 15 * MINUTE_MS))
const FAILING_AFTER_MS = DAY_MS
/** An endpoint that asks for a longer pause is asked again after this time. */
const LONGEST_PAUSE_MS = DAY_MS

export type Verdict =
  | { state: 'delivered'; reason: string }
  | { state: 'waiting'; reason: string; nextAt: Date }
  | { state: 'dead'; reason: string; isGone: boolean }

/**
 * Decides what becomes of a delivery after an attempt.
 * @param attempts including this one
 * @param random from 0 up to, not including, 1
 */
export function judgeReading(
  { result, reason, retryAfterMs }: Pick<Reading, 'result' | 'reason' | 'retryAfterMs'>,
  attempts: number,
  schedule: Schedule,
  now: Date,
  random: number,
): Verdict {
  if (result === 'delivered') return { state: 'delivered', reason }
  if (result !== 'retry') return { state: 'dead', reason, isGone: result === 'gone' }
  const delayMs = RETRY_MS[schedule][attempts - 1]
  if (delayMs === undefined) {
    return { state: 'dead', reason: `${reason}. All ${attempts} attempts failed`, isGone: false }
  }
  const ownMs = delayMs * (1 + JITTER * random)
  const nextAt = new Date(now.getTime() + Math.max(ownMs, Math.min(retryAfterMs ?? 0, LONGEST_PAUSE_MS)))
  return { state: 'waiting', reason, nextAt }
}

/** Until when nothing is sent, because the other side has asked for a pause. */
export function pauseUntil(retryAfterMs: number | null, now: Date): Date | null {
  return retryAfterMs === null ? null : new Date(now.getTime() + Math.min(retryAfterMs, LONGEST_PAUSE_MS))
}

/** The value of the header Retry-After: seconds or a date (RFC 9110). */
export function parseRetryAfter(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null
  if (/^\d{1,12}$/.test(value)) return Number(value) * 1_000
  const at = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}

/** True if an alert that was never sent has waited too long to be sent as new. */
export function isTooOld(createdAt: Date, rank: number, now: Date): boolean {
  return now.getTime() - createdAt.getTime() > (MAX_AGES_MS[rank] ?? 0)
}

export function rankOf(priority: Priority): number {
  return priorities.indexOf(priority)
}

export function isFailing(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= FAILING_AFTER_MS
}
