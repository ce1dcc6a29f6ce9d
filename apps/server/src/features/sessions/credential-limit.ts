import { createHash } from 'node:crypto'
import { HOUR_MS, SECOND_MS } from '@tocsin/protocol/durations'

/**
 * Rate limit: at most `tries` attempts in a window. After `freeTries` attempts, each further one
 * has to wait.
 */
export interface LimitRule {
  tries: number
  freeTries: number
  windowMs: number
}

/**
 * Limit of wrong passwords for an account from all networks. Known devices have their own count.
 */
export const LOGIN_LIMIT: LimitRule = { tries: 20, freeTries: 5, windowMs: HOUR_MS }
/**
 * Limit of failed password attempts from one network, on any account. Many people may share a
 * network.
 */
export const LOGIN_NETWORK_LIMIT: LimitRule = { tries: 100, freeTries: 30, windowMs: HOUR_MS }
/**
 * Limit of wrong second-factor codes on one account. Three codes of six digits are valid at a time.
 * So an attacker who knows the password needs about 60 years for an even chance.
 */
export const FACTOR_LIMIT: LimitRule = { tries: 10, freeTries: 5, windowMs: 24 * HOUR_MS }
/** Limit of wrong second-factor codes from one network, on any account. */
export const FACTOR_NETWORK_LIMIT: LimitRule = { tries: 60, freeTries: 30, windowMs: HOUR_MS }
/** Limit of unusable coupon codes entered by one account. */
export const COUPON_LIMIT: LimitRule = { tries: 10, freeTries: 10, windowMs: HOUR_MS }
/** Limit of unusable coupon codes from one network, by any account. */
export const COUPON_NETWORK_LIMIT: LimitRule = { tries: 40, freeTries: 40, windowMs: HOUR_MS }
/** Limit of emails of one kind from one requester to one address. */
export const MAIL_LIMIT: LimitRule = { tries: 3, freeTries: 3, windowMs: HOUR_MS }
/**
 * Limit of emails of one kind to one address from all requesters. It limits what an attacker with
 * many networks can send to a mailbox.
 */
export const MAIL_CEILING: LimitRule = { tries: 40, freeTries: 40, windowMs: HOUR_MS }
/**
 * Like MAIL_CEILING, but the first email of each requester does not count. So a few strangers
 * cannot prevent the owner’s first email.
 */
export const MAIL_REPEAT_CEILING: LimitRule = { tries: 10, freeTries: 10, windowMs: HOUR_MS }
/** Limit of emails requested from one network. */
export const MAIL_NETWORK_LIMIT: LimitRule = { tries: 20, freeTries: 20, windowMs: HOUR_MS }
/**
 * Limit of emails that warn an account owner of password guessing, so that an attacker cannot fill
 * the mailbox.
 */
export const WARNING_LIMIT: LimitRule = { tries: 1, freeTries: 1, windowMs: 24 * HOUR_MS }

/** Maximum delay before the next attempt. */
const MAX_DELAY_MS = 300 * SECOND_MS
/**
 * A time in the past on every instance's clock, so that clock skew between instances blocks no
 * user.
 */
const NOT_BLOCKED = new Date(0)

export interface LimitState {
  tries: number
  windowEndsAt: Date
  blockedUntil: Date
}

/**
 * Returns the state after one more attempt, or the time to wait before it. The delay doubles with
 * each attempt, from two seconds to five minutes.
 */
export function consumeAttempt(
  state: LimitState,
  rule: LimitRule,
  now: Date,
): { allowed: true; next: LimitState } | { allowed: false; waitMs: number } {
  const currentState = state.windowEndsAt > now ? state : createEmptyWindow(now, rule)
  const nextAttemptAt = currentState.tries >= rule.tries ? currentState.windowEndsAt : currentState.blockedUntil
  if (nextAttemptAt > now) return { allowed: false, waitMs: nextAttemptAt.getTime() - now.getTime() }
  const tries = currentState.tries + 1
  const triesOverFree = tries - rule.freeTries
  const delayMs = Math.min(2 ** (triesOverFree + 1) * SECOND_MS, MAX_DELAY_MS)
  const blockedUntil = triesOverFree < 0 ? NOT_BLOCKED : new Date(now.getTime() + delayMs)
  return { allowed: true, next: { ...currentState, tries, blockedUntil } }
}

/** Returns the state after a successful attempt was returned to the quota. */
export function refundAttempt(state: LimitState): LimitState {
  return { ...state, tries: Math.max(0, state.tries - 1), blockedUntil: NOT_BLOCKED }
}

export function createEmptyWindow(now: Date, { windowMs }: Pick<LimitRule, 'windowMs'>): LimitState {
  return { tries: 0, windowEndsAt: new Date(now.getTime() + windowMs), blockedUntil: NOT_BLOCKED }
}

/** Limits per network. Create them with `createNetworkLimits`. */
export type NetworkPurpose = 'login-network' | 'factor-network' | 'coupon-network' | 'mail-network'

type Purpose =
  | NetworkPurpose
  | 'login'
  | 'factor'
  | 'coupon'
  | 'mail'
  | 'mail-ceiling'
  | 'mail-repeat'
  | 'guess-warning'

/**
 * Returns the key of a limit. It is hashed, so that the table stores no addresses. Known and
 * unknown addresses are counted the same way.
 */
export function createLimitSubject(purpose: Purpose, ...parts: string[]): string {
  return `${purpose}:${createHash('sha256').update(parts.join('\n')).digest('base64url')}`
}
