import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { alreadyRegisteredMail, severalSignUpsMail, verifyEmailMail } from '../../mail/account-mails.ts'
import { parseEmail, parseName } from './email-address.ts'
import { createLinkMail } from './mail-link.ts'
import { consumeMailQuota } from './mail-quota.ts'
import { assertPasswordAllowed, SIGN_UP_MIN_LENGTH } from './password.ts'
import { hashSignUpPassword, isUnclaimed } from './pending-sign-up.ts'
import {
  deleteSignUp,
  findSignUp,
  insertSignUp,
  listSignUps,
  lockAddress,
  type PendingSignUp,
  voidSignUps,
} from './pending-sign-up-store.ts'
import { hashSecret, newSecret } from './secret.ts'
import { recordAccountCreated } from './service.ts'
import {
  deleteAccount,
  findAccountByEmail,
  insertAccount,
  lockAccountByEmail,
  lockWholeAccountByEmail,
} from './store.ts'

/** How long a link, and a login that waits for it, find the sign-up. */
const LIFETIME_MS = 24 * 3_600_000

export interface SignUpRequest {
  email: string
  password: string
  name: string
}

/**
 * Keeps the sign-up until its mailed link is opened; only then there is an account. An address that has an account gets
 * another mail and a sign-up that stays void: neither the answer nor a later login tells the two apart.
 * @param from `device` in our own words, for the mail.
 */
export async function register(
  ctx: Context,
  request: SignUpRequest,
  from: { network: string; device: string },
): Promise<void> {
  const email = parseEmail(request.email)
  const name = parseName(request.name)
  assertPasswordAllowed(request.password, SIGN_UP_MIN_LENGTH)
  const { network, device } = from
  await consumeMailQuota(ctx, { kind: 'sign-up', email, requester: network, network })
  const passwordHash = await hashSignUpPassword(ctx.config, email, request.password)
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockAddress(tx, email)
    const holder = await findAccountByEmail(tx, email)
    const voidedAt = holder && !isUnclaimed(holder) ? now : null
    const requesterHash = hashSecret(network)
    const signUp = { email, name, passwordHash, requesterHash, device, createdAt: now, voidedAt }
    const mail = await saveWithLink(ctx, tx, signUp)
    await ctx.sendMail(tx, voidedAt ? alreadyRegisteredMail(email, ctx.config.http.publicUrl) : mail)
  })
}

/**
 * Mails a new link for the sign-up of this network, whose former links end. If this network has none, that of the
 * address gets a further link: strangers cannot end the link of somebody else. If sign-ups with different passwords
 * come into question the mail has no link: the newest may be a stranger's.
 */
export async function resendVerification(ctx: Context, requestedEmail: string, network: string): Promise<void> {
  const email = parseEmail(requestedEmail)
  await consumeMailQuota(ctx, { kind: 'sign-up', email, requester: network, network })
  await ctx.db.transaction(async (tx) => {
    await lockAddress(tx, email)
    const waiting = await listSignUps(tx, email, ctx.clock.now())
    const own = waiting.filter(({ requesterHash }) => requesterHash === hashSecret(network))
    const candidates = own.length > 0 ? own : waiting
    const [signUp] = candidates
    if (!signUp) return mailUnclaimed(ctx, tx, email)
    if (candidates.some(({ passwordHash }) => passwordHash !== signUp.passwordHash)) {
      const isVoid = waiting.every(({ voidedAt }) => voidedAt !== null)
      if (!isVoid) await ctx.sendMail(tx, severalSignUpsMail(email, ctx.config.http.publicUrl))
      return
    }
    for (const { tokenHash } of own) await deleteSignUp(tx, tokenHash)
    const mail = await saveWithLink(ctx, tx, signUp)
    if (!signUp.voidedAt) await ctx.sendMail(tx, mail)
  })
}

/** Stores the sign-up under a new token for another day. @returns the mail with its link */
async function saveWithLink(ctx: Context, tx: Tx, signUp: Omit<PendingSignUp, 'tokenHash' | 'expiresAt'>) {
  const { email, device, createdAt } = signUp
  const now = ctx.clock.now()
  const others = (await listSignUps(tx, email, now)).filter(({ passwordHash }) => passwordHash !== signUp.passwordHash)
  const token = newSecret()
  const expiresAt = new Date(now.getTime() + LIFETIME_MS)
  await insertSignUp(tx, { ...signUp, tokenHash: hashSecret(token), expiresAt })
  const url = `${ctx.config.http.publicUrl}/verify-email?token=${token}`
  return verifyEmailMail(email, url, { device, at: createdAt, hasOthers: others.length > 0 })
}

/** An unconfirmed account of an earlier version: its password may be a stranger's, so its owner chooses a new one. */
async function mailUnclaimed(ctx: Context, tx: Tx, email: string): Promise<void> {
  const account = await lockAccountByEmail(tx, email)
  if (!account || !isUnclaimed(account)) return
  await ctx.sendMail(tx, await createLinkMail(ctx, tx, account.id, email, 'reset-password'))
}

export type ConfirmedSignUp = 'verified' | 'taken' | 'expired' | 'invalid'

/** Makes the account of exactly the sign-up whose link was opened. Null if the token is not of a sign-up. */
export async function confirmSignUp(ctx: Context, tx: Tx, tokenHash: string): Promise<ConfirmedSignUp | null> {
  const found = await findSignUp(tx, tokenHash)
  if (!found) return null
  const { email } = found
  await lockAddress(tx, email)
  const signUp = await findSignUp(tx, tokenHash)
  if (!signUp) return 'invalid'
  const now = ctx.clock.now()
  const holder = await lockWholeAccountByEmail(tx, email)
  // Stays void if the account that had the address is gone.
  if (signUp.voidedAt) return holder ? 'taken' : 'invalid'
  if (signUp.expiresAt <= now) return 'expired'
  if (holder && !isUnclaimed(holder)) return 'taken'
  if (holder) await deleteAccount(tx, holder.id)
  const { name, passwordHash } = signUp
  const account = { email, name, passwordHash, role: 'user', emailVerifiedAt: now, createdAt: now } as const
  const created = await insertAccount(tx, account)
  if (!created) return 'taken'
  await recordAccountCreated(tx, created.id, now)
  await recordActivity(tx, { accountId: created.id, kind: 'email_verified', detail: `Confirmed ${email}`, at: now })
  await deleteSignUp(tx, tokenHash)
  await voidSignUps(tx, email, now)
  return 'verified'
}
