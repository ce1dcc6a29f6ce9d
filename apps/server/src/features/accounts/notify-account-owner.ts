import type { Context } from '../../context.ts'
import { failedSignInsMail } from '../../mail/account-mails.ts'
import type { Account } from '../sessions/account-store.ts'
import { consumeAttempt, createEmptyWindow, createLimitSubject, WARNING_LIMIT } from '../sessions/credential-limit.ts'
import { lockLimit, updateLimit } from '../sessions/limit-store.ts'
import { withConstantTime } from './constant-time.ts'

/**
 * Number of wrong passwords within an hour that triggers an email. An owner rarely mistypes so
 * often.
 */
export const WARN_AT_TRIES = 10

/**
 * Emails the owner of an account if its password is being guessed, at most once a day. Unknown
 * accounts and unverified addresses get no email. Neither the response nor its timing reveals the
 * difference.
 * @param identifier see `PasswordAttempt`
 */
export function notifyAccountOwner(ctx: Context, identifier: string, account: Account | undefined): Promise<void> {
  const now = ctx.clock.now()
  const subject = createLimitSubject('guess-warning', identifier)
  return withConstantTime(() =>
    ctx.db.transaction(async (tx) => {
      const result = consumeAttempt(
        await lockLimit(tx, subject, createEmptyWindow(now, WARNING_LIMIT)),
        WARNING_LIMIT,
        now,
      )
      if (!result.allowed) return
      await updateLimit(tx, subject, result.next)
      if (!account?.email || !account.emailVerifiedAt) return
      await ctx.sendMail(tx, failedSignInsMail(account.email, now, ctx.config.http.publicUrl))
    }),
  )
}
