import type { Subscription } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { padTwoDigits } from '../../ui/format-time.ts'

/** Tolerated difference between the clocks of server and browser in ms. */
const clockSkewMs = 60_000

export type SubscriptionStatus = 'Active' | 'Expired' | 'Inactive'

/** Active until the end time, then Expired. Inactive without a subscription. */
export function getStatus(subscription: Subscription | null, nowMs: number): SubscriptionStatus {
  if (!subscription?.isActive) return 'Inactive'
  return Date.parse(subscription.endTime) > nowMs ? 'Active' : 'Expired'
}

/** Green while active, yellow in the last hour, red otherwise. */
export function getTone(subscription: Subscription | null, nowMs: number): 'ok' | 'medium' | 'critical' {
  if (getStatus(subscription, nowMs) !== 'Active') return 'critical'
  return Date.parse(subscription?.endTime ?? '') - nowMs < HOUR_MS ? 'medium' : 'ok'
}

/** The remaining time in whole days, hours, minutes and seconds; zeros after the end. */
export function computeTimeLeft(
  endTime: string,
  nowMs: number,
): { days: number; hours: number; minutes: number; seconds: number } {
  const totalSeconds = Math.max(0, Math.floor((Date.parse(endTime) - nowMs) / 1000))
  return {
    days: Math.floor(totalSeconds / 86_400),
    hours: Math.floor(totalSeconds / 3600) % 24,
    minutes: Math.floor(totalSeconds / 60) % 60,
    seconds: totalSeconds % 60,
  }
}

/**
 * Returns whether a paid period starts later, after the running one. Tolerates a browser clock that
 * is up to `clockSkewMs` late. Otherwise a period that has just started would count as queued.
 */
export function isQueued(startTime: string | undefined, nowMs: number): boolean {
  return startTime !== undefined && Date.parse(startTime) - nowMs > clockSkewMs
}

/** For example "2 d 23:59:51", or "23:59:51" if less than a day is left. */
export function formatTimeLeft(endTime: string, nowMs: number): string {
  const { days, hours, minutes, seconds } = computeTimeLeft(endTime, nowMs)
  const clock = `${padTwoDigits(hours)}:${padTwoDigits(minutes)}:${padTwoDigits(seconds)}`
  return days > 0 ? `${days} d ${clock}` : clock
}
