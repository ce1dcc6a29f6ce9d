import type { Context } from '../../context.ts'
import { isDatabaseUnavailable } from '../../db/unavailable.ts'
import { getSite } from '../../http/network.ts'
import { Refusal } from '../../refusal.ts'
import {
  createLimitSubject,
  MAIL_CEILING,
  MAIL_LIMIT,
  MAIL_NETWORK_LIMIT,
  MAIL_REPEAT_CEILING,
} from '../sessions/credential-limit.ts'
import { consumeAttempts, createNetworkLimits, type Limit, refundAttempts } from '../sessions/limits.ts'

export interface MailRequest {
  /** Each kind has its own quota: sign-ups by strangers do not affect password resets. */
  kind: 'sign-up' | 'reset-password' | 'change-email'
  /** Recipient, normalized. */
  email: string
  /**
   * A network or a signed-in account. Strangers use up their own quota, not the owner’s. All
   * networks of an IPv6 site count as one requester. Otherwise the first email of each network
   * would not count towards MAIL_REPEAT_CEILING.
   */
  requester: string
  network: string
  /**
   * Set for a browser that has signed in to the account of this address. Such a browser has its own
   * quota.
   */
  knownDevice?: string | null
}

/**
 * Counts one email and runs `send`. The email is counted before any lookup, so that the outcome
 * does not depend on whether the address has an account. If the server is too busy or the database
 * is unavailable, the email was very likely not sent, and it is returned to the quota. It stays
 * counted after any other error, because that may depend on the account.
 * @throws Refusal too_many_requests with the time to wait; `send` was not called
 */
export async function withMailQuota(ctx: Context, request: MailRequest, send: () => Promise<void>): Promise<void> {
  const limits = createMailLimits(ctx, request)
  const tries = await consumeAttempts(ctx, limits, explainWait)
  try {
    await send()
  } catch (error) {
    const isBusy = error instanceof Refusal && error.code === 'unavailable'
    const consumedLimits = limits.filter(({ isForRepeats }) => !isForRepeats || tries > 1)
    // If the refund fails too, the email stays counted, and the caller gets the first error.
    if (isBusy || isDatabaseUnavailable(error)) await refundAttempts(ctx, consumedLimits).catch(() => {})
    throw error
  }
}

/**
 * The network quota is skipped without an SMTP server, as in most demos, because emails are then
 * written to a folder, and all callers of a demo share one network.
 */
function createMailLimits(ctx: Context, { kind, email, requester, network, knownDevice }: MailRequest): Limit[] {
  const requesterLimit = {
    subject: createLimitSubject('mail', kind, email, knownDevice ?? getSite(requester) ?? requester),
    rule: MAIL_LIMIT,
  }
  if (knownDevice) return [requesterLimit]
  const limits: Limit[] = [
    requesterLimit,
    { subject: createLimitSubject('mail-ceiling', kind, email), rule: MAIL_CEILING },
    { subject: createLimitSubject('mail-repeat', kind, email), rule: MAIL_REPEAT_CEILING, isForRepeats: true },
  ]
  const networkLimits = createNetworkLimits('mail-network', network, MAIL_NETWORK_LIMIT)
  return ctx.config.mail.smtpUrl === null ? limits : [...limits, ...networkLimits]
}

function explainWait(waitMs: number): string {
  const minutes = Math.ceil(waitMs / 60_000)
  return `Too many emails were requested. Nothing was sent. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
}
