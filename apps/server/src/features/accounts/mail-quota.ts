import type { Context } from '../../context.ts'
import { getSite } from '../../http/network.ts'
import {
  createLimitSubject,
  MAIL_CEILING,
  MAIL_LIMIT,
  MAIL_NETWORK_LIMIT,
  MAIL_REPEAT_CEILING,
} from '../sessions/credential-limit.ts'
import { consumeAttempts, createNetworkLimits, type Limit } from '../sessions/limits.ts'

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
 * Counts one email. This happens before any lookup, so that the outcome does not depend on whether
 * the address has an account. The network quota is skipped in the demo, which writes emails to a
 * folder, because all callers of the demo share one network.
 * @throws Refusal too_many_requests with the time to wait; the request must not be carried out
 */
export async function consumeMailQuota(ctx: Context, request: MailRequest): Promise<void> {
  const { kind, email, requester, network, knownDevice } = request
  const requesterLimit = {
    subject: createLimitSubject('mail', kind, email, knownDevice ?? getSite(requester) ?? requester),
    rule: MAIL_LIMIT,
  }
  if (knownDevice) return void (await consumeAttempts(ctx, [requesterLimit], explainWait))
  const limits: Limit[] = [
    requesterLimit,
    { subject: createLimitSubject('mail-ceiling', kind, email), rule: MAIL_CEILING },
    { subject: createLimitSubject('mail-repeat', kind, email), rule: MAIL_REPEAT_CEILING, isForRepeats: true },
  ]
  const networkLimits = createNetworkLimits('mail-network', network, MAIL_NETWORK_LIMIT)
  await consumeAttempts(ctx, ctx.config.mail.smtpUrl === null ? limits : [...limits, ...networkLimits], explainWait)
}

function explainWait(waitMs: number): string {
  const minutes = Math.ceil(waitMs / 60_000)
  return `Too many emails were requested. Nothing was sent. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
}
