import type { Subscription } from '@tocsin/protocol'

const hourMs = 3_600_000
/** How far the server's clock and the browser's may be apart. */
const clockDifferenceMs = 60_000

export type SubscriptionStatus = 'Active' | 'Expired' | 'Inactive'

/** Active until its end, then Expired; without a plan Inactive. */
export function statusOf(subscription: Subscription | null, nowMs: number): SubscriptionStatus {
  if (!subscription?.isActive) return 'Inactive'
  return Date.parse(subscription.endTime) > nowMs ? 'Active' : 'Expired'
}

/** Green, yellow in the last hour, red when there is nothing left. */
export function toneOf(subscription: Subscription | null, nowMs: number): 'ok' | 'medium' | 'critical' {
  if (statusOf(subscription, nowMs) !== 'Active') return 'critical'
  return Date.parse(subscription?.endTime ?? '') - nowMs < hourMs ? 'medium' : 'ok'
}

/** What is left, in whole days, hours, minutes and seconds; nothing after the end. */
export function timeLeft(
  endTime: string,
  nowMs: number,
): { days: number; hours: number; minutes: number; seconds: number } {
  const total = Math.max(0, Math.floor((Date.parse(endTime) - nowMs) / 1000))
  return {
    days: Math.floor(total / 86_400),
    hours: Math.floor(total / 3600) % 24,
    minutes: Math.floor(total / 60) % 60,
    seconds: total % 60,
  }
}

/**
 * Whether a paid period waits for the end of another. One that has just begun may lie ahead by a
 * slow clock: it waits for nothing.
 */
export function isQueued(startTime: string | undefined, nowMs: number): boolean {
  return startTime !== undefined && Date.parse(startTime) - nowMs > clockDifferenceMs
}

const two = (value: number) => String(value).padStart(2, '0')

/** "2 d 23:59:51", under a day "23:59:51". */
export function timeLeftWords(endTime: string, nowMs: number): string {
  const { days, hours, minutes, seconds } = timeLeft(endTime, nowMs)
  const clock = `${two(hours)}:${two(minutes)}:${two(seconds)}`
  return days > 0 ? `${days} d ${clock}` : clock
}
