import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { lockAccount } from './account-store.ts'
import type { Browser } from './browser.ts'
import { describeDevice } from './device.ts'
import { newDeviceCookie } from './known-device.ts'
import { notifyNewDevice } from './new-device.ts'
import { hashSecret, newSecret } from './secret.ts'
import { describeMethod, sessionLifetimeMs } from './session.ts'
import { endSessionsBeyond, type SignedIn } from './start-session.ts'
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
  pending: { sessionId: string; accountId: string },
  browser: Browser,
  factor: string,
): Promise<SignedIn> {
  const now = ctx.clock.now()
  const account = await lockAccount(tx, pending.accountId)
  const session = account && (await lockSession(tx, pending.sessionId))
  if (!account || !session?.awaitsFactorUntil || session.awaitsFactorUntil <= now) throw signInEnded()
  if (account.suspendedAt) throw new Refusal('account_suspended', 'This account is suspended.')
  const lifetimeMs = sessionLifetimeMs(account.role)
  const sessionCookie = newSecret()
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
  await endSessionsBeyond(ctx, tx, account.id)
  const method = describeMethod({ ...session, factor })
  await notifyNewDevice(ctx, tx, account, browser, method)
  const detail = `Signed in by ${method}, ${describeDevice(browser.userAgent)}`
  await recordActivity(tx, { accountId: account.id, kind: 'signed_in', detail, at: now, network: browser.network })
  return {
    account,
    sessionIdHash,
    sessionCookie,
    deviceCookie: account.email && newDeviceCookie(ctx.config, account.email, browser.deviceCookie),
    maxAgeMs: session.remembered ? lifetimeMs : null,
    awaitedFactor: null,
    hasFactor: true,
  }
}

export const signInEnded = () => new Refusal('not_signed_in', 'This sign-in has ended. Please sign in again.')
