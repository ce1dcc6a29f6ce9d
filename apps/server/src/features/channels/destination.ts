import { type Priority, priorities } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { Classification } from './kinds/kind.ts'

/**
 * Delays after failed attempts. If the attempt after the last delay fails, the delivery is dead.
 */
const RETRY_MS = {
  /** About 38 hours in total. */
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
/** Maximum random extension of a delay, as a share of it, so that retries are spread over time. */
const JITTER = 0.2
/** The longest time between the first attempt and the last retry. */
export const MAX_RETRY_DURATION_MS = RETRY_MS.patient.reduce((sum, ms) => sum + ms * (1 + JITTER), 0)
/**
 * Maximum age at which an alert is still sent as new, by the index of its priority in `priorities`.
 */
export const MAX_AGES_MS = priorities.map((priority) => (priority === 'critical' ? HOUR_MS : 15 * MINUTE_MS))
const FAILING_AFTER_MS = DAY_MS
/** Longest pause that an endpoint can request. A longer one is shortened to this. */
const LONGEST_PAUSE_MS = DAY_MS

export type RetryDecision =
  | { state: 'delivered'; reason: string }
  | { state: 'waiting'; reason: string; nextAt: Date }
  | { state: 'dead'; reason: string; isGone: boolean }

/**
 * Decides whether a delivery is complete, retried or dead after an attempt.
 * @param attempts number of attempts, including this one
 * @param random from 0 up to, not including, 1
 */
export function decideRetry(
  { result, reason, retryAfterMs }: Pick<Classification, 'result' | 'reason' | 'retryAfterMs'>,
  attempts: number,
  schedule: Schedule,
  now: Date,
  random: number,
): RetryDecision {
  if (result === 'delivered') return { state: 'delivered', reason }
  if (result !== 'retry') return { state: 'dead', reason, isGone: result === 'gone' }
  const delayMs = RETRY_MS[schedule][attempts - 1]
  if (delayMs === undefined) {
    return { state: 'dead', reason: `${reason}. All ${attempts} attempts failed`, isGone: false }
  }
  const jitteredDelayMs = delayMs * (1 + JITTER * random)
  const nextAt = new Date(now.getTime() + Math.max(jitteredDelayMs, Math.min(retryAfterMs ?? 0, LONGEST_PAUSE_MS)))
  return { state: 'waiting', reason, nextAt }
}

/** Returns the time until which nothing is sent, because the endpoint has requested a pause. */
export function computePauseEnd(retryAfterMs: number | null, now: Date): Date | null {
  return retryAfterMs === null ? null : new Date(now.getTime() + Math.min(retryAfterMs, LONGEST_PAUSE_MS))
}

/** Parses the header Retry-After (RFC 9110), which is a number of seconds or a date. */
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

export function getRank(priority: Priority): number {
  return priorities.indexOf(priority)
}

export function isFailing(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= FAILING_AFTER_MS
}
