import { createHash } from 'node:crypto'

const SECOND_MS = 1000
const HOUR_MS = 3_600_000

/** How often something may be tried in an hour, and after how many tries each further one has to wait. */
export interface LimitRule {
  triesPerHour: number
  freeTries: number
}

/** Guesses of one account's password, whoever makes them. */
export const LOGIN_LIMIT: LimitRule = { triesPerHour: 20, freeTries: 5 }
/** Mails of one kind to one address. */
export const MAIL_LIMIT: LimitRule = { triesPerHour: 3, freeTries: 3 }

const MAX_DELAY_MS = 300 * SECOND_MS

export interface LimitState {
  tries: number
  windowEndsAt: Date
  blockedUntil: Date
}

/** The state after one more try, or how long to wait for it. The delay doubles from two seconds to five minutes. */
export function takeTry(
  state: LimitState,
  rule: LimitRule,
  now: Date,
): { allowed: true; next: LimitState } | { allowed: false; waitMs: number } {
  const current = state.windowEndsAt > now ? state : emptyWindow(now)
  const waitUntil = current.tries >= rule.triesPerHour ? current.windowEndsAt : current.blockedUntil
  if (waitUntil > now) return { allowed: false, waitMs: waitUntil.getTime() - now.getTime() }
  const tries = current.tries + 1
  const over = tries - rule.freeTries
  const delayMs = over < 0 ? 0 : Math.min(2 ** (over + 1) * SECOND_MS, MAX_DELAY_MS)
  return { allowed: true, next: { ...current, tries, blockedUntil: new Date(now.getTime() + delayMs) } }
}

/** What succeeded was no guess: it is given back. */
export function returnTry(state: LimitState, now: Date): LimitState {
  return { ...state, tries: Math.max(0, state.tries - 1), blockedUntil: now }
}

export function emptyWindow(now: Date): LimitState {
  return { tries: 0, windowEndsAt: new Date(now.getTime() + HOUR_MS), blockedUntil: now }
}

/** Known and unknown addresses are counted alike, and the table names neither. */
export function limitSubject(purpose: 'login' | 'sign-up-mail' | 'reset-mail', ...parts: string[]): string {
  return `${purpose}:${createHash('sha256').update(parts.join('\n')).digest('base64url')}`
}
