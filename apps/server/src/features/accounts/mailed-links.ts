import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { alreadyRegisteredMail, passwordChangedMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { applyEmailChange } from './change-email.ts'
import { parseEmail, parseName } from './email-address.ts'
import { createLinkMail, takeMail, takeNetworkMail } from './mail-link.ts'
import { assertPasswordAllowed, hashPassword, RESET_MIN_LENGTH, SIGN_UP_MIN_LENGTH } from './password.ts'
import { hashSecret } from './secret.ts'
import { endSessionsOf, recordAccountCreated } from './service.ts'
import {
  type Account,
  consumeMailToken,
  endMailTokens,
  findMailToken,
  getAccount,
  insertAccount,
  lockAccountByEmail,
  type MailToken,
  updateAccount,
} from './store.ts'

/** Tells the caller nothing of whether the address is known: what there is to say, the mail says. */
export async function register(
  ctx: Context,
  request: { email: string; password: string; name: string },
  network: string,
): Promise<void> {
  const email = parseEmail(request.email)
  const name = parseName(request.name)
  assertPasswordAllowed(request.password, SIGN_UP_MIN_LENGTH)
  await takeNetworkMail(ctx, network)
  const passwordHash = await hashPassword(request.password)
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    if (!(await takeMail(tx, email, now))) return
    const created = await insertAccount(tx, { email, name, passwordHash, role: 'user', createdAt: now })
    if (created) await recordAccountCreated(tx, created.id, now)
    const account = created ?? (await lockAccountByEmail(tx, email))
    if (!account) return
    if (account.emailVerifiedAt) return ctx.sendMail(tx, alreadyRegisteredMail(email, ctx.config.http.publicUrl))
    // Until an address is confirmed, the newest sign-up counts: who registered with somebody else's address first has no password to it.
    await updateAccount(tx, account.id, { name, passwordHash })
    await ctx.sendMail(tx, await createLinkMail(ctx, tx, account.id, email, 'verify-email'))
  })
}

export async function resendVerification(ctx: Context, requestedEmail: string, network: string): Promise<void> {
  await mailToAccount(ctx, requestedEmail, network, async (tx, account, email) => {
    if (!account.emailVerifiedAt)
      await ctx.sendMail(tx, await createLinkMail(ctx, tx, account.id, email, 'verify-email'))
  })
}

export async function requestPasswordReset(ctx: Context, requestedEmail: string, network: string): Promise<void> {
  await mailToAccount(ctx, requestedEmail, network, async (tx, account, email) => {
    await ctx.sendMail(tx, await createLinkMail(ctx, tx, account.id, email, 'reset-password'))
  })
}

/** Sets the password, confirms the address that the link was mailed to, and ends every session and every other link. */
export async function resetPassword(ctx: Context, request: { token: string; newPassword: string }): Promise<void> {
  assertPasswordAllowed(request.newPassword, RESET_MIN_LENGTH)
  const tokenHash = hashSecret(request.token)
  const now = ctx.clock.now()
  assertUsable(await findMailToken(ctx.db, tokenHash, 'reset-password'), now)
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

/** Confirms the address that an account has, or the one that it wants: both links open the same page. */
export async function verifyEmail(
  ctx: Context,
  token: string,
): Promise<'verified' | 'changed' | 'expired' | 'invalid'> {
  const tokenHash = hashSecret(token)
  const now = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const change = await consumeMailToken(tx, tokenHash, 'change-email', now)
    if (change) return (await applyEmailChange(ctx, tx, change)) ? 'changed' : 'invalid'
    const account = await useToken(tx, tokenHash, 'verify-email', now)
    if (!account) {
      const found =
        (await findMailToken(tx, tokenHash, 'verify-email')) ?? (await findMailToken(tx, tokenHash, 'change-email'))
      return found && hasExpired(found, now) ? 'expired' : 'invalid'
    }
    await updateAccount(tx, account.id, { emailVerifiedAt: now })
    const detail = `Confirmed ${account.email}`
    await recordActivity(tx, { accountId: account.id, kind: 'email_verified', detail, at: now })
    return 'verified'
  })
}

async function mailToAccount(
  ctx: Context,
  requestedEmail: string,
  network: string,
  send: (tx: Tx, account: Account, email: string) => Promise<void>,
): Promise<void> {
  const email = parseEmail(requestedEmail)
  await takeNetworkMail(ctx, network)
  await ctx.db.transaction(async (tx) => {
    if (!(await takeMail(tx, email, ctx.clock.now()))) return
    const account = await lockAccountByEmail(tx, email)
    if (account) await send(tx, account, email)
  })
}

/** The account of the token that this call has used up, if its address is still the one that the token was mailed to. */
async function useToken(
  tx: Tx,
  tokenHash: string,
  purpose: 'verify-email' | 'reset-password',
  now: Date,
): Promise<Account | undefined> {
  const token = await consumeMailToken(tx, tokenHash, purpose, now)
  if (!token) return undefined
  const account = await getAccount(tx, token.accountId)
  return account.email === token.email ? account : undefined
}

function assertUsable(token: MailToken | undefined, now: Date): void {
  if (token && hasExpired(token, now)) {
    throw new Refusal('token_expired', 'This reset link has expired. Please request a new one.')
  }
  if (!token || token.usedAt) throw invalidLink()
}

const hasExpired = (token: MailToken, now: Date) => token.usedAt === null && token.expiresAt <= now

const invalidLink = () => new Refusal('token_invalid', 'This reset link is invalid or was already used.')
