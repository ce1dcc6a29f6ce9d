import { type Priority, priorities } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'

/** Delays after failed attempts, about 38 hours in all. Then the delivery is dead. */
const RETRY_MS = [
  5_000,
  30_000,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  20 * HOUR_MS,
]
/** Retries are spread by up to this share, so that they do not come all at once. */
const JITTER = 0.2
const MAX_AGE_MS = 15 * MINUTE_MS
const MAX_AGE_CRITICAL_MS = HOUR_MS
const FAILING_AFTER_MS = DAY_MS
/** An endpoint that asks for a longer pause is asked again after this time. */
const LONGEST_PAUSE_MS = DAY_MS

/** What came back of one request. */
export interface Answer {
  /** Null if there was no response. */
  status: number | null
  response: string
  tookMs: number
  retryAfterMs: number | null
}

export type Verdict =
  | { state: 'delivered'; reason: string }
  | { state: 'waiting'; reason: string; nextAt: Date }
  | { state: 'dead'; reason: string; isGone: boolean }

/**
 * Decides what becomes of a delivery after an attempt.
 * @param attempts including this one
 * @param random from 0 up to, not including, 1
 */
export function judgeAnswer(
  { status, response, retryAfterMs }: Answer,
  attempts: number,
  now: Date,
  random: number,
): Verdict {
  if (status === null) return retryOrEnd(response, null, attempts, now, random)
  if (status >= 200 && status < 300) return { state: 'delivered', reason: `Answered ${status}` }
  if (status === 410) return { state: 'dead', reason: 'Answered 410: the endpoint is gone', isGone: true }
  if (status === 400 || status === 401 || status === 403) {
    return { state: 'dead', reason: `Answered ${status}, which is not retried`, isGone: false }
  }
  const redirects = status >= 300 && status < 400 ? ': redirects are not followed' : ''
  return retryOrEnd(`Answered ${status}${redirects}`, retryAfterMs, attempts, now, random)
}

function retryOrEnd(reason: string, retryAfterMs: number | null, attempts: number, now: Date, random: number): Verdict {
  const delayMs = RETRY_MS[attempts - 1]
  if (delayMs === undefined) {
    return { state: 'dead', reason: `${reason}. All ${attempts} attempts failed`, isGone: false }
  }
  const ownMs = delayMs * (1 + JITTER * random)
  const nextAt = new Date(now.getTime() + Math.max(ownMs, Math.min(retryAfterMs ?? 0, LONGEST_PAUSE_MS)))
  return { state: 'waiting', reason, nextAt }
}

/** Until when the whole destination gets nothing, because it has asked for a pause. */
export function pauseUntil({ retryAfterMs }: Answer, now: Date): Date | null {
  return retryAfterMs === null ? null : new Date(now.getTime() + Math.min(retryAfterMs, LONGEST_PAUSE_MS))
}

/** The value of the header Retry-After: seconds or a date (RFC 9110). */
export function parseRetryAfter(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null
  if (/^\d{1,12}$/.test(value)) return Number(value) * 1_000
  const at = value.endsWith(' GMT') ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime())
}

/** An alert that was never tried for so long is not sent as if it were new. */
export function isTooOld(createdAt: Date, rank: number, now: Date): boolean {
  const limitMs = rank === rankOf('critical') ? MAX_AGE_CRITICAL_MS : MAX_AGE_MS
  return now.getTime() - createdAt.getTime() > limitMs
}

export function rankOf(priority: Priority): number {
  return priorities.indexOf(priority)
}

export function isFailing(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= FAILING_AFTER_MS
}
