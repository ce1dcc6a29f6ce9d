import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { updateAccount } from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { hashSecret } from '../sessions/secret.ts'
import { type SignedIn, startSession } from '../sessions/start-session.ts'
import { confirmEmailChange } from './change-email.ts'
import { consumeLinkToken, hasExpired } from './mail-link.ts'
import { isUnclaimed } from './pending-sign-up.ts'
import { type ConfirmedSignUp, confirmSignUp, type SignUpFault } from './sign-up.ts'
import { findMailToken } from './store.ts'

export type VerificationOutcome =
  | SignUpFault
  | 'signed-in'
  | 'signed-in-elsewhere'
  | 'verified'
  | 'changed'
  | 'without-password'
  | 'not-the-account'
  | 'change-expired'
  /** An expired link that an earlier version of the server emailed. */
  | 'expired'

export interface Verification {
  outcome: VerificationOutcome
  /** The session that was started. Only the link of a sign-up starts one. */
  signedIn: SignedIn | null
}

export interface LinkOpening {
  actor: Actor | null
  browser: Browser
  /** True if a page of this site sent the request. */
  isOwnPage: boolean
}

/**
 * Confirms an address by its emailed link. The link of a sign-up also signs in. The link of an
 * email change requires a session of the account that requested it.
 */
export async function verifyEmail(ctx: Context, token: string, opening: LinkOpening): Promise<Verification> {
  const tokenHash = hashSecret(token)
  return ctx.db.transaction(async (tx) => {
    const signUp = await confirmSignUp(ctx, tx, tokenHash)
    if (signUp !== null && typeof signUp === 'object') return startFirstSession(ctx, tx, signUp, opening)
    const outcome =
      signUp ??
      (await confirmEmailChange(ctx, tx, tokenHash, opening.actor)) ??
      (await confirmUnclaimedAccount(ctx, tx, tokenHash))
    return { outcome, signedIn: null }
  })
}

/**
 * Signs in to the account that the link created. Keeps an existing session, because a stranger’s
 * link must not replace it. Does not sign in if the request was not sent by a page of this site:
 * otherwise another site could sign its visitors in to its own account.
 */
async function startFirstSession(
  ctx: Context,
  tx: Tx,
  { account, requesterHash }: ConfirmedSignUp,
  { actor, browser, isOwnPage }: LinkOpening,
): Promise<Verification> {
  if (actor || !isOwnPage) return { outcome: 'verified', signedIn: null }
  const signedIn = await startSession(ctx, tx, account, browser, { way: 'verification link', rememberMe: false })
  const isSameNetwork = requesterHash === hashSecret(browser.network)
  return { outcome: isSameNetwork ? 'signed-in' : 'signed-in-elsewhere', signedIn }
}

/**
 * Confirms a link that an earlier version emailed. A stranger may have set the account’s password,
 * so the owner has to choose a new one.
 */
async function confirmUnclaimedAccount(ctx: Context, tx: Tx, tokenHash: string): Promise<VerificationOutcome> {
  const now = ctx.clock.now()
  const account = await consumeLinkToken(tx, tokenHash, 'verify-email', now)
  if (!account || !isUnclaimed(account)) {
    const foundToken = await findMailToken(tx, tokenHash, 'verify-email')
    return foundToken && hasExpired(foundToken, now) ? 'expired' : 'invalid'
  }
  await updateAccount(tx, account.id, { emailVerifiedAt: now, passwordHash: null })
  const detail = `Confirmed ${account.email}`
  await recordActivity(tx, { accountId: account.id, kind: 'email_verified', detail, at: now })
  return 'without-password'
}
