import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { updateAccount } from '../sessions/account-store.ts'
import { hashSecret } from '../sessions/secret.ts'
import { confirmEmailChange } from './change-email.ts'
import { hasExpired, useToken } from './mail-link.ts'
import { isUnclaimed } from './pending-sign-up.ts'
import { type ConfirmedSignUp, confirmSignUp } from './sign-up.ts'
import { findMailToken } from './store.ts'

export type Verification = ConfirmedSignUp | 'changed' | 'without-password' | 'not-the-account'

/**
 * Confirms an address by its mailed link: of a sign-up, or of an email change, which requires a
 * session of the account that requested it.
 */
export async function verifyEmail(ctx: Context, token: string, actor: Actor | null): Promise<Verification> {
  const tokenHash = hashSecret(token)
  return ctx.db.transaction(
    async (tx) =>
      (await confirmSignUp(ctx, tx, tokenHash)) ??
      (await confirmEmailChange(ctx, tx, tokenHash, actor)) ??
      (await confirmUnclaimed(ctx, tx, tokenHash)),
  )
}

/**
 * A link mailed by an earlier version. A stranger may have set the account’s password, so the owner
 * has to choose a new one.
 */
async function confirmUnclaimed(ctx: Context, tx: Tx, tokenHash: string): Promise<Verification> {
  const now = ctx.clock.now()
  const account = await useToken(tx, tokenHash, 'verify-email', now)
  if (!account || !isUnclaimed(account)) {
    const found = await findMailToken(tx, tokenHash, 'verify-email')
    return found && hasExpired(found, now) ? 'expired' : 'invalid'
  }
  await updateAccount(tx, account.id, { emailVerifiedAt: now, passwordHash: null })
  const detail = `Confirmed ${account.email}`
  await recordActivity(tx, { accountId: account.id, kind: 'email_verified', detail, at: now })
  return 'without-password'
}
