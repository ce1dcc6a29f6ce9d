import type { Context } from '../../context.ts'
import { guessedAtMail } from '../../mail/account-mails.ts'
import { withConstantTime } from './constant-time.ts'
import { consumeAttempt, emptyWindow, limitSubject, WARNING_LIMIT } from './credential-limit.ts'
import { type Account, lockLimit, updateLimit } from './store.ts'

/** So many wrong passwords within an hour are hardly the owner's own. */
export const WARN_AT_TRIES = 10

/**
 * Mails the owner of an account whose password is guessed at, once a day. What is not there, or was never confirmed to be somebody's, gets no mail;
 * whoever guesses can't tell, by the answer or by its time.
 * @param name what the account is known by, as it was guessed
 */
export function notifyAccountOwner(ctx: Context, name: string, account: Account | undefined): Promise<void> {
  const now = ctx.clock.now()
  const subject = limitSubject('guess-warning', name)
  return withConstantTime(() =>
    ctx.db.transaction(async (tx) => {
      const taken = consumeAttempt(await lockLimit(tx, subject, emptyWindow(now, WARNING_LIMIT)), WARNING_LIMIT, now)
      if (!taken.allowed) return
      await updateLimit(tx, subject, taken.next)
      if (!account?.email || !account.emailVerifiedAt) return
      await ctx.sendMail(tx, guessedAtMail(account.email, now, ctx.config.http.publicUrl))
    }),
  )
}
