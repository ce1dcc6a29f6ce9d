import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { getSite, SITE_FACTOR } from '../../http/network.ts'
import { Refusal } from '../../refusal.ts'
import type { Browser } from './browser.ts'
import {
  consumeAttempt,
  createEmptyWindow,
  createLimitSubject,
  FACTOR_LIMIT,
  FACTOR_NETWORK_LIMIT,
  type LimitRule,
  LOGIN_LIMIT,
  LOGIN_NETWORK_LIMIT,
  type NetworkPurpose,
  refundAttempt,
} from './credential-limit.ts'
import { readDeviceCookie } from './known-device.ts'
import { lockLimit, updateLimit } from './limit-store.ts'

/** A rate-limited subject and the rule that applies to it. */
export interface Limit {
  subject: string
  rule: LimitRule
  /**
   * If true, the limit counts only repeated attempts: it is skipped if the list's first limit has
   * counted no earlier attempt in its window.
   */
  isForRepeats?: boolean
}

/** Returns the limits of a network: its own limit, and for IPv6 a larger limit of its site. */
export function createNetworkLimits(purpose: NetworkPurpose, network: string, rule: LimitRule): Limit[] {
  const networkLimit = { subject: createLimitSubject(purpose, network), rule }
  const site = getSite(network)
  if (site === null) return [networkLimit]
  const { tries, freeTries, windowMs } = rule
  const siteRule = { tries: SITE_FACTOR * tries, freeTries: SITE_FACTOR * freeTries, windowMs }
  return [networkLimit, { subject: createLimitSubject(purpose, site), rule: siteRule }]
}

const CREDENTIAL_RULES = {
  login: { account: LOGIN_LIMIT, network: LOGIN_NETWORK_LIMIT },
  factor: { account: FACTOR_LIMIT, network: FACTOR_NETWORK_LIMIT },
}

/**
 * Returns the limits of attempts with a password or a code: those of the account and of the
 * network. Each known device of the owner has its own limit instead, so that strangers cannot lock
 * the owner out.
 */
export function createCredentialLimits(
  config: Config,
  purpose: 'login' | 'factor',
  { id, email }: { id: string; email: string | null },
  { deviceCookie, network }: Browser,
): Limit[] {
  const rules = CREDENTIAL_RULES[purpose]
  const device = email === null ? null : readDeviceCookie(config, email, deviceCookie)
  const accountLimit = { subject: createLimitSubject(purpose, id, device ?? ''), rule: rules.account }
  return device ? [accountLimit] : [accountLimit, ...createNetworkLimits(`${purpose}-network`, network, rules.network)]
}

/**
 * Consumes one attempt of each limit. Call it before evaluating the attempt, so that concurrent
 * attempts are counted too. All callers must pass the limits in the same order, with the account’s
 * limit first: another order could deadlock.
 * @param explain returns the message for the user, given the time to wait
 * @returns the number of attempts of the first limit in its window, including this one. Concurrent
 *   calls get different numbers.
 * @throws Refusal too_many_requests with the time to wait; nothing is counted then
 */
export async function consumeAttempts(
  ctx: Context,
  limits: readonly Limit[],
  explain: (waitMs: number) => string = explainTooManyAttempts,
): Promise<number> {
  const now = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const counts: number[] = []
    for (const { subject, rule, isForRepeats } of limits) {
      if (isForRepeats && counts[0] === 1) continue
      const result = consumeAttempt(await lockLimit(tx, subject, createEmptyWindow(now, rule)), rule, now)
      if (!result.allowed) throw refuseTooManyAttempts(result.waitMs, explain(result.waitMs))
      await updateLimit(tx, subject, result.next)
      counts.push(result.next.tries)
    }
    return counts[0] ?? 0
  })
}

/** Returns attempts to the quota that were successful or could not be checked. */
export async function refundAttempts(ctx: Context, limits: readonly Limit[]): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    for (const { subject, rule } of limits) {
      await updateLimit(tx, subject, refundAttempt(await lockLimit(tx, subject, createEmptyWindow(now, rule))))
    }
  })
}

/**
 * Runs the check of an attempt. If the check throws, the credentials were not checked, so the
 * attempt is returned to the quota.
 */
export async function refundIfUnchecked<Result>(
  ctx: Context,
  limits: readonly Limit[],
  check: () => Promise<Result>,
): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    // If the refund fails too, the attempt stays counted, and the caller gets the first error.
    await refundAttempts(ctx, limits).catch(() => {})
    throw error
  }
}

const explainTooManyAttempts = () => 'Too many attempts. Wait a little and try again.'

function refuseTooManyAttempts(waitMs: number, message: string): Refusal {
  return new Refusal('too_many_requests', message, { retryAfterSeconds: Math.ceil(waitMs / 1000) })
}
