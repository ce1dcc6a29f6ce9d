import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { passwordChangedMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { confirmEmailChange } from './change-email.ts'
import { parseEmail } from './email-address.ts'
import { createLinkMail, hasExpired } from './mail-link.ts'
import { consumeMailQuota } from './mail-quota.ts'
import { assertPasswordAllowed, hashPassword, minLengthFor, RESET_MIN_LENGTH } from './password.ts'
import { isUnclaimed } from './pending-sign-up.ts'
import { hashSecret } from './secret.ts'
import { endSessionsOf } from './service.ts'
import { type ConfirmedSignUp, confirmSignUp } from './sign-up.ts'
import {
  type Account,
  consumeMailToken,
  endMailTokens,
  findMailToken,
  getAccount,
  lockAccount,
  lockAccountByEmail,
  type MailToken,
  updateAccount,
} from './store.ts'

/** The answer does not depend on whether the address has an account. */
export async function requestPasswordReset(ctx: Context, requestedEmail: string, network: string): Promise<void> {
  const email = parseEmail(requestedEmail)
  await consumeMailQuota(ctx, { kind: 'reset-password', email, requester: network, network })
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccountByEmail(tx, email)
    if (account) await ctx.sendMail(tx, await createLinkMail(ctx, tx, account.id, email, 'reset-password'))
  })
}

/** Sets the password, confirms the address that the link was mailed to, and ends every session and every other link. */
export async function resetPassword(ctx: Context, request: { token: string; newPassword: string }): Promise<void> {
  const tokenHash = hashSecret(request.token)
  const now = ctx.clock.now()
  const { accountId } = assertUsable(await findMailToken(ctx.db, tokenHash, 'reset-password'), now)
  const { role } = await getAccount(ctx.db, accountId)
  assertPasswordAllowed(request.newPassword, minLengthFor(role, RESET_MIN_LENGTH))
  const passwordHash = await hashPassword(request.newPassword)
  await ctx.db.transaction(async (tx) => {
    const account = await useToken(tx, tokenHash, 'reset-password', now)
    if (!account?.email) throw invalidLink()
    await updateAccount(tx, account.id, { passwordHash, emailVerifiedAt: account.emailVerifiedAt ?? now })
    await endSessionsOf(ctx, tx, account.id)
    // Whoever was in may have asked for a link to take the account with them.
    await endMailTokens(tx, account.id, now)
    await recordActivity(tx, {
      accountId: account.id,
      kind: 'password_changed',
      detail: 'Password reset by email',
      at: now,
    })
    await ctx.sendMail(tx, passwordChangedMail(account.email, ctx.config.http.publicUrl))
  })
}

export type Verification = ConfirmedSignUp | 'changed' | 'without-password' | 'not-the-account'

/**
 * Opens a link that confirms an address: of a sign-up, or of the new address that an account asked for, which counts in
 * a session of that account alone.
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

/** A link that an earlier version mailed. The account's password may be a stranger's: its owner chooses a new one. */
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

/**
 * The account of the token that this call has used up, if its address is still the one that the token was mailed to. The
 * account is locked first, as everywhere.
 */
async function useToken(
  tx: Tx,
  tokenHash: string,
  purpose: 'verify-email' | 'reset-password',
  now: Date,
): Promise<Account | undefined> {
  const found = await findMailToken(tx, tokenHash, purpose)
  const account = found && (await lockAccount(tx, found.accountId))
  const token = account && (await consumeMailToken(tx, tokenHash, purpose, now))
  return token && account.email === token.email ? account : undefined
}

function assertUsable(token: MailToken | undefined, now: Date): MailToken {
  if (token && hasExpired(token, now)) {
    throw new Refusal('token_expired', 'This reset link has expired. Please request a new one.')
  }
  if (!token || token.usedAt) throw invalidLink()
  return token
}

const invalidLink = () => new Refusal('token_invalid', 'This reset link is invalid or was already used.')
