import { createHash } from 'node:crypto'

const SECOND_MS = 1000
const HOUR_MS = 3_600_000

/** How often something may be tried in a window of time, and after how many tries each further one has to wait. */
export interface LimitRule {
  tries: number
  freeTries: number
  windowMs: number
}

/** Guesses of one account's password, whoever makes them. */
export const LOGIN_LIMIT: LimitRule = { tries: 20, freeTries: 5, windowMs: HOUR_MS }
/** Guesses from one network that went wrong, whatever account they were at. Many people may share it. */
export const LOGIN_NETWORK_LIMIT: LimitRule = { tries: 100, freeTries: 30, windowMs: HOUR_MS }
/** Mails of one kind that one requester has sent to one address. */
export const MAIL_LIMIT: LimitRule = { tries: 3, freeTries: 3, windowMs: HOUR_MS }
/** Mails of one kind to one address, whoever asks: bounds what many networks can do to a mailbox. */
export const MAIL_CEILING: LimitRule = { tries: 40, freeTries: 40, windowMs: HOUR_MS }
/** The same without the first mail of each requester, so that a few strangers do not use up the owner's first one. */
export const MAIL_REPEAT_CEILING: LimitRule = { tries: 10, freeTries: 10, windowMs: HOUR_MS }
/** Mails that one network asks for. */
export const MAIL_NETWORK_LIMIT: LimitRule = { tries: 20, freeTries: 20, windowMs: HOUR_MS }
/** Mails that tell an owner of guesses: whoever guesses on and on shall not fill a mailbox. */
export const WARNING_LIMIT: LimitRule = { tries: 1, freeTries: 1, windowMs: 24 * HOUR_MS }

const MAX_DELAY_MS = 300 * SECOND_MS
/** Long past on every instance's clock: one that runs behind another must not make a person wait. */
const NOT_BLOCKED = new Date(0)

export interface LimitState {
  tries: number
  windowEndsAt: Date
  blockedUntil: Date
}

/** The state after one more try, or how long to wait for it. The delay doubles from two seconds to five minutes. */
export function consumeAttempt(
  state: LimitState,
  rule: LimitRule,
  now: Date,
): { allowed: true; next: LimitState } | { allowed: false; waitMs: number } {
  const current = state.windowEndsAt > now ? state : emptyWindow(now, rule)
  const waitUntil = current.tries >= rule.tries ? current.windowEndsAt : current.blockedUntil
  if (waitUntil > now) return { allowed: false, waitMs: waitUntil.getTime() - now.getTime() }
  const tries = current.tries + 1
  const over = tries - rule.freeTries
  const delayMs = Math.min(2 ** (over + 1) * SECOND_MS, MAX_DELAY_MS)
  const blockedUntil = over < 0 ? NOT_BLOCKED : new Date(now.getTime() + delayMs)
  return { allowed: true, next: { ...current, tries, blockedUntil } }
}

/** What succeeded was no guess: it is given back. */
export function refundAttempt(state: LimitState): LimitState {
  return { ...state, tries: Math.max(0, state.tries - 1), blockedUntil: NOT_BLOCKED }
}

export function emptyWindow(now: Date, { windowMs }: Pick<LimitRule, 'windowMs'>): LimitState {
  return { tries: 0, windowEndsAt: new Date(now.getTime() + windowMs), blockedUntil: NOT_BLOCKED }
}

type Purpose = 'login' | 'login-network' | 'mail' | 'mail-ceiling' | 'mail-repeat' | 'mail-network' | 'guess-warning'

/** Known and unknown addresses are counted alike, and the table names neither. */
export function limitSubject(purpose: Purpose, ...parts: string[]): string {
  return `${purpose}:${createHash('sha256').update(parts.join('\n')).digest('base64url')}`
}
