import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import {
  alreadyRegisteredMail,
  passwordChangedMail,
  resetPasswordMail,
  verifyEmailMail,
} from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { emptyWindow, limitSubject, MAIL_LIMIT, takeTry } from './credential-limit.ts'
import { parseEmail, parseName } from './email-address.ts'
import { assertPasswordAllowed, hashPassword, RESET_MIN_LENGTH, SIGN_UP_MIN_LENGTH } from './password.ts'
import { hashSecret, newSecret } from './secret.ts'
import { endSessionsOf, recordAccountCreated } from './service.ts'
import {
  type Account,
  consumeMailToken,
  findMailToken,
  getAccount,
  insertAccount,
  lockAccountByEmail,
  lockLimit,
  type MailToken,
  replaceMailToken,
  updateAccount,
  updateLimit,
} from './store.ts'

type Purpose = MailToken['purpose']

const HOUR_MS = 3_600_000
const LIFETIME_MS: Record<Purpose, number> = { 'verify-email': 24 * HOUR_MS, 'reset-password': HOUR_MS }

/** Tells the caller nothing of whether the address is known: what there is to say, the mail says. */
export async function register(
  ctx: Context,
  request: { email: string; password: string; name: string },
): Promise<void> {
  const email = parseEmail(request.email)
  const name = parseName(request.name)
  assertPasswordAllowed(request.password, SIGN_UP_MIN_LENGTH)
  const passwordHash = await hashPassword(request.password)
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    if (!(await takeMail(tx, 'sign-up-mail', email, now))) return
    const created = await insertAccount(tx, { email, name, passwordHash, role: 'user', createdAt: now })
    if (created) await recordAccountCreated(tx, created.id, now)
    const account = created ?? (await lockAccountByEmail(tx, email))
    if (!account) return
    if (account.emailVerifiedAt) return ctx.sendMail(tx, alreadyRegisteredMail(email, ctx.config.http.publicUrl))
    // Until an address is confirmed, the newest sign-up counts: who registered with somebody else's address first has no password to it.
    await updateAccount(tx, account.id, { name, passwordHash })
    await mailLink(ctx, tx, account.id, email, 'verify-email')
  })
}

export async function resendVerification(ctx: Context, requestedEmail: string): Promise<void> {
  await mailToAccount(ctx, requestedEmail, 'sign-up-mail', async (tx, account, email) => {
    if (!account.emailVerifiedAt) await mailLink(ctx, tx, account.id, email, 'verify-email')
  })
}

export async function requestPasswordReset(ctx: Context, requestedEmail: string): Promise<void> {
  await mailToAccount(ctx, requestedEmail, 'reset-mail', async (tx, account, email) => {
    await mailLink(ctx, tx, account.id, email, 'reset-password')
  })
}

/** Sets the password, confirms the address that the link was mailed to, and ends every session. */
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
    await ctx.sendMail(tx, passwordChangedMail(account.email, ctx.config.http.publicUrl))
  })
}

export async function verifyEmail(ctx: Context, token: string): Promise<'verified' | 'expired' | 'invalid'> {
  const tokenHash = hashSecret(token)
  const now = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const account = await useToken(tx, tokenHash, 'verify-email', now)
    if (!account) {
      const found = await findMailToken(tx, tokenHash, 'verify-email')
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
  limit: 'sign-up-mail' | 'reset-mail',
  send: (tx: Tx, account: Account, email: string) => Promise<void>,
): Promise<void> {
  const email = parseEmail(requestedEmail)
  await ctx.db.transaction(async (tx) => {
    if (!(await takeMail(tx, limit, email, ctx.clock.now()))) return
    const account = await lockAccountByEmail(tx, email)
    if (account) await send(tx, account, email)
  })
}

/** Whether one more mail of this kind may go to the address now. */
async function takeMail(tx: Tx, kind: 'sign-up-mail' | 'reset-mail', email: string, now: Date): Promise<boolean> {
  const subject = limitSubject(kind, email)
  const taken = takeTry(await lockLimit(tx, subject, emptyWindow(now)), MAIL_LIMIT, now)
  if (taken.allowed) await updateLimit(tx, subject, taken.next)
  return taken.allowed
}

async function mailLink(ctx: Context, tx: Tx, accountId: string, email: string, purpose: Purpose): Promise<void> {
  const token = newSecret()
  const createdAt = ctx.clock.now()
  const expiresAt = new Date(createdAt.getTime() + LIFETIME_MS[purpose])
  await replaceMailToken(tx, { tokenHash: hashSecret(token), accountId, purpose, email, createdAt, expiresAt })
  const url = `${ctx.config.http.publicUrl}/${purpose}?token=${token}`
  await ctx.sendMail(tx, purpose === 'verify-email' ? verifyEmailMail(email, url) : resetPasswordMail(email, url))
}

/** The account of the token that this call has used up, if its address is still the one that the token was mailed to. */
async function useToken(tx: Tx, tokenHash: string, purpose: Purpose, now: Date): Promise<Account | undefined> {
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
