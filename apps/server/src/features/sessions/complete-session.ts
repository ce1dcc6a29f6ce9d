import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { lockAccount } from './account-store.ts'
import type { Browser } from './browser.ts'
import { createSecret, hashSecret } from './secret.ts'
import { describeMethod, getSessionLifetimeMs } from './session.ts'
import { recordSignIn, type SignedIn } from './start-session.ts'
import { lockSession, renewedHashes, updateSession } from './store.ts'

/**
 * Completes a sign-in whose second factor was verified. The session gets a new id and its rights.
 * Only one of several concurrent calls succeeds.
 * @param factor the name shown to the owner: "passkey", "authenticator app", …
 * @throws Refusal not_signed_in if the sign-in has ended, account_suspended
 */
export async function completeSession(
  ctx: Context,
  tx: Tx,
  pendingSession: { sessionId: string; accountId: string },
  browser: Browser,
  factor: string,
): Promise<SignedIn> {
  const now = ctx.clock.now()
  const account = await lockAccount(tx, pendingSession.accountId)
  const session = account && (await lockSession(tx, pendingSession.sessionId))
  if (!account || !session?.awaitsFactorUntil || session.awaitsFactorUntil <= now) throw createEndedSignInRefusal()
  if (account.suspendedAt) throw new Refusal('account_suspended', 'This account is suspended.')
  const lifetimeMs = getSessionLifetimeMs(account.role)
  const sessionCookie = createSecret()
  const sessionIdHash = hashSecret(sessionCookie)
  await updateSession(tx, session.id, {
    ...renewedHashes(session, sessionIdHash),
    awaitsFactorUntil: null,
    factor,
    createdAt: now,
    authenticatedAt: now,
    lastSeenAt: now,
    expiresAt: new Date(now.getTime() + lifetimeMs),
  })
  return {
    account,
    sessionIdHash,
    sessionCookie,
    deviceCookie: await recordSignIn(ctx, tx, account, browser, describeMethod({ ...session, factor })),
    maxAgeMs: session.remembered ? lifetimeMs : null,
    awaitedFactor: null,
    hasFactor: true,
  }
}

export const createEndedSignInRefusal = () =>
  new Refusal('not_signed_in', 'This sign-in has ended. Please sign in again.')
