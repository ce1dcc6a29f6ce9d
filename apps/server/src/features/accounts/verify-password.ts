import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import type { Account } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { consumeAttempts, createCredentialLimits, refundAttempts, refundIfUnchecked } from '../sessions/limits.ts'
import { ALARM_FAILURES, signInFailures } from './failure-alarm.ts'
import { notifyAccountOwner, WARN_AT_TRIES } from './notify-account-owner.ts'

interface PasswordAttempt {
  /**
   * The normalized address of the account, or the text that was entered if it is not an address.
   */
  identifier: string
  password: string
  browser: Browser
}

/**
 * Returns the account if the password is correct. Returns null for a wrong password or an unknown
 * account, after the same amount of work.
 */
export async function verifyPassword(
  ctx: Context,
  attempt: PasswordAttempt,
  findAccount: () => Promise<Account | undefined>,
): Promise<Account | null> {
  return withAttemptLimit(ctx, attempt, findAccount, async (account) => {
    const isRight = await ctx.passwords.verify(account?.passwordHash ?? null, attempt.password)
    return isRight && account ? account : null
  })
}

/**
 * Counts an attempt, against the account and the network, before it is evaluated. Attempts from a
 * browser in which the owner has signed in before count only against that browser, so strangers
 * cannot lock the owner out. Attempts that succeed, or that were not evaluated because of an error,
 * do not count.
 * @param evaluate returns null for a wrong password, after the same amount of work as for a correct
 *   one
 * @throws Refusal too_many_requests with the time to wait
 */
export async function withAttemptLimit<Right>(
  ctx: Context,
  attempt: PasswordAttempt,
  findAccount: () => Promise<Account | undefined>,
  evaluate: (account: Account | undefined) => Promise<Right | null>,
): Promise<Right | null> {
  const { identifier, browser } = attempt
  const limits = createCredentialLimits(ctx.config, 'login', { id: identifier, email: identifier }, browser)
  const tries = await consumeAttempts(ctx, limits).catch((error: unknown) => {
    // Only attempts beyond the limit count as failed sign-ins. Other errors, such as an unreachable
    // database, are no sign of credential stuffing.
    if (error instanceof Refusal && error.code === 'too_many_requests') recordFailure(ctx)
    throw error
  })
  const { account, result } = await refundIfUnchecked(ctx, limits, async () => {
    const foundAccount = await findAccount()
    return { account: foundAccount, result: await evaluate(foundAccount) }
  })
  if (result === null) {
    recordFailure(ctx)
    if (account) {
      ctx.queueSecurityEvent({
        at: ctx.clock.now(),
        category: 'sign-in',
        kind: 'sign_in_failed',
        accountId: account.id,
        network: browser.network,
        detail: 'Wrong password',
      })
    }
    if (tries === WARN_AT_TRIES) await notifyAccountOwner(ctx, identifier, account)
    return null
  }
  await refundAttempts(ctx, limits)
  return result
}

function recordFailure(ctx: Context): void {
  if (!signInFailures.record(ctx.clock.now())) return
  ctx.queueSecurityEvent({
    at: ctx.clock.now(),
    category: 'alarm',
    kind: 'sign_in_failed',
    detail: `At least ${ALARM_FAILURES} failed sign-ins within a minute: possible credential stuffing`,
    isLogged: true,
  })
  ctx.logger.error(
    { failuresSinceStart: signInFailures.total },
    'unusually many failed sign-ins: possible credential stuffing',
  )
}
