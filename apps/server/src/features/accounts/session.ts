import type { Config } from '../../config.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Written at most this often, so that reading stays reading. */
export const SEEN_EVERY_MS = MINUTE_MS

type Role = 'user' | 'admin'

export interface SessionTimes {
  remembered: boolean
  lastSeenAt: Date
  expiresAt: Date
}

/** The name binds the cookie to this host and to https (RFC 6265bis, 4.1.3.2). Browsers refuse that name on plain http. */
export function cookieName(config: Config): string {
  return isHttps(config) ? '__Host-tocsin' : 'tocsin'
}

export function isHttps(config: Config): boolean {
  return config.http.publicUrl.startsWith('https:')
}

/** How long a session lasts at most, whatever happens in it. */
export function sessionLifetimeMs(role: Role): number {
  return role === 'admin' ? 12 * HOUR_MS : 30 * DAY_MS
}

/** How long it lasts without a request. Who asked to be remembered is remembered for all of it. */
function idleLimitMs(role: Role, remembered: boolean): number {
  if (role === 'admin') return 30 * MINUTE_MS
  return remembered ? sessionLifetimeMs(role) : 7 * DAY_MS
}

export function isSessionAlive({ remembered, lastSeenAt, expiresAt }: SessionTimes, role: Role, now: Date): boolean {
  const idleEndsAtMs = lastSeenAt.getTime() + idleLimitMs(role, remembered)
  return now.getTime() < Math.min(expiresAt.getTime(), idleEndsAtMs)
}

/** `maxAge` in seconds; without one the cookie ends with the browser. */
export function sessionCookieOptions(config: Config, maxAgeMs: number | null) {
  return {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isHttps(config),
    ...(maxAgeMs === null ? {} : { maxAge: Math.floor(maxAgeMs / 1000) }),
  } as const
}
