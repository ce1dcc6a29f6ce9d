import type { Context } from '../../context.ts'
import type { Browser } from './browser.ts'
import { LOGIN_LIMIT, LOGIN_NETWORK_LIMIT, limitSubject } from './credential-limit.ts'
import { signInFailures } from './failure-alarm.ts'
import { readDeviceCookie } from './known-device.ts'
import { consumeAttempts, type Limit, refundAttempts } from './limits.ts'
import { notifyAccountOwner, WARN_AT_TRIES } from './notify-account-owner.ts'
import { verifyPasswordHash } from './password.ts'
import type { Account } from './store.ts'

interface Guess {
  /** What the account is known by: its address in normal form, or what was typed instead of one. */
  name: string
  password: string
  browser: Browser
}

/** The account, if the password is its own; null for an unknown account too, after the same work. */
export async function verifyPassword(
  ctx: Context,
  guess: Guess,
  findAccount: () => Promise<Account | undefined>,
): Promise<Account | null> {
  return withAttemptLimit(ctx, guess, findAccount, async (account) => {
    const isRight = await verifyPasswordHash(account?.passwordHash ?? null, guess.password)
    return isRight && account ? account : null
  })
}

/**
 * Counts a guess before it is evaluated, against the account and the guesser's network. One from a browser that the
 * account's owner has used counts against that browser alone, so strangers cannot lock the owner out.
 * @param evaluate returns null for a wrong password, after the same work as for a right one
 * @throws Refusal saying how long to wait
 */
export async function withAttemptLimit<Right>(
  ctx: Context,
  guess: Guess,
  findAccount: () => Promise<Account | undefined>,
  evaluate: (account: Account | undefined) => Promise<Right | null>,
): Promise<Right | null> {
  const limits = limitsOf(ctx, guess.name, guess.browser)
  const tries = await consumeAttempts(ctx, limits).catch((refusal: unknown) => {
    noteFailure(ctx)
    throw refusal
  })
  const account = await findAccount()
  const right = await evaluate(account)
  if (right === null) {
    noteFailure(ctx)
    if (tries === WARN_AT_TRIES) await notifyAccountOwner(ctx, guess.name, account)
    return null
  }
  await refundAttempts(ctx, limits)
  return right
}

function limitsOf(ctx: Context, name: string, { deviceCookie, network }: Browser): Limit[] {
  const device = readDeviceCookie(ctx.config, name, deviceCookie)
  const ofAccount = { subject: limitSubject('login', name, device ?? ''), rule: LOGIN_LIMIT }
  if (device) return [ofAccount]
  return [ofAccount, { subject: limitSubject('login-network', network), rule: LOGIN_NETWORK_LIMIT }]
}

function noteFailure(ctx: Context): void {
  if (!signInFailures.note(ctx.clock.now())) return
  ctx.logger.error(
    { failures: signInFailures.total },
    'very many sign-ins fail: somebody seems to try lists of passwords',
  )
}
