import type { Role } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import type { Config } from '../../config.ts'

/** Minimum interval between writes of `lastSeenAt`, so that most requests only read. */
export const LAST_SEEN_UPDATE_MS = MINUTE_MS

export interface SessionTimes {
  remembered: boolean
  lastSeenAt: Date
  expiresAt: Date
}

/**
 * Returns the name of the session cookie. The `__Host-` prefix binds the cookie to this host and to
 * HTTPS (RFC 6265bis, 4.1.3.2). Browsers reject the prefix over plain HTTP.
 */
export function getCookieName(config: Config): string {
  return isHttps(config) ? '__Host-tocsin' : 'tocsin'
}

export function isHttps(config: Config): boolean {
  return config.http.publicUrl.startsWith('https:')
}

/** Returns the maximum lifetime of a session, regardless of activity. */
export function getSessionLifetimeMs(role: Role): number {
  return role !== 'user' ? 12 * HOUR_MS : 30 * DAY_MS
}

/**
 * Returns the maximum idle time of a session. Remembered sessions of users have no separate idle
 * limit.
 */
function getIdleLimitMs(role: Role, isRemembered: boolean): number {
  if (role !== 'user') return 30 * MINUTE_MS
  return isRemembered ? getSessionLifetimeMs(role) : 7 * DAY_MS
}

/** Describes how the user signed in: "password and passkey". */
export function describeMethod({ method, factor }: { method: string; factor: string | null }): string {
  return factor === null || factor === method ? method : `${method} and ${factor}`
}

export function isSessionAlive(times: SessionTimes, role: Role, now: Date): boolean {
  return now < computeSessionEndsAt(times, role)
}

/** Returns when the session ends if it is not used again. */
export function computeSessionEndsAt({ remembered, lastSeenAt, expiresAt }: SessionTimes, role: Role): Date {
  const idleEndsAtMs = lastSeenAt.getTime() + getIdleLimitMs(role, remembered)
  return new Date(Math.min(expiresAt.getTime(), idleEndsAtMs))
}

/** Returns the options of a cookie. If `maxAgeMs` is null, the cookie ends with the browser. */
export function createCookieOptions(config: Config, maxAgeMs: number | null) {
  return {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(config),
    ...(maxAgeMs === null ? {} : { maxAge: Math.floor(maxAgeMs / 1000) }),
  } as const
}
