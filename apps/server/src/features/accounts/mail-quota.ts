import type { Context } from '../../context.ts'
import { limitSubject, MAIL_CEILING, MAIL_LIMIT, MAIL_NETWORK_LIMIT } from './credential-limit.ts'
import { takeTries } from './limits.ts'

export interface MailRequest {
  /** Kinds have quotas of their own: sign-ups by strangers leave the owner's password resets alone. */
  kind: 'sign-up' | 'reset-password' | 'change-email'
  /** Where the mail goes, in normal form. */
  email: string
  /** Who asks: a network, or an account that is signed in. Strangers use up their own quota, not the owner's. */
  requester: string
  network: string
}

/**
 * Counts one mail before anything is looked up, so that the outcome does not depend on whether the address has an
 * account. Where mail lands in a folder (the demo) all callers share one network, and its quota is not applied.
 * @throws Refusal too_many_requests with the time to wait; the request must not be carried out
 */
export async function consumeMailQuota(ctx: Context, { kind, email, requester, network }: MailRequest): Promise<void> {
  const limits = [
    { subject: limitSubject('mail-ceiling', kind, email), rule: MAIL_CEILING },
    { subject: limitSubject('mail', kind, email, requester), rule: MAIL_LIMIT },
  ]
  const ofNetwork = { subject: limitSubject('mail-network', network), rule: MAIL_NETWORK_LIMIT }
  await takeTries(ctx, ctx.config.mail.smtpUrl === null ? limits : [...limits, ofNetwork], explain)
}

function explain(waitMs: number): string {
  const minutes = Math.ceil(waitMs / 60_000)
  return `Too many emails were requested. Nothing was sent. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`
}
