import { DAY_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { parseDisplayName, parseEmail } from '../../email-address.ts'
import { alreadyRegisteredMail, severalSignUpsMail, verifyEmailMail } from '../../mail/account-mails.ts'
import {
  type Account,
  deleteAccount,
  findAccountByEmail,
  insertAccount,
  lockAccountByEmail,
  lockAccountByEmailForUpdate,
} from '../sessions/account-store.ts'
import { createSecret, hashSecret } from '../sessions/secret.ts'
import { recordAccountCreated } from '../sessions/service.ts'
import { createLinkMail } from './mail-link.ts'
import { withMailQuota } from './mail-quota.ts'
import { assertPasswordAllowed, SIGN_UP_MIN_LENGTH } from './password.ts'
import { hashSignUpPassword, isUnclaimed } from './pending-sign-up.ts'
import {
  deleteSignUp,
  findSignUp,
  insertSignUp,
  listSignUps,
  listStoredSignUps,
  lockAddress,
  type PendingSignUp,
  voidSignUps,
} from './pending-sign-up-store.ts'

/** Lifetime of a pending sign-up and its link. */
const LIFETIME_MS = DAY_MS

export interface SignUpRequest {
  email: string
  password: string
  name: string
}

/**
 * Stores a pending sign-up and emails its link. Opening the link creates the account. If the
 * address already has an account, its owner gets a notice and the sign-up is stored as void:
 * neither the response nor a later login reveals the difference.
 * @param from `device` is a description by this server that is safe to email
 */
export async function register(
  ctx: Context,
  request: SignUpRequest,
  from: { network: string; device: string },
): Promise<void> {
  const email = parseEmail(request.email)
  const name = parseDisplayName(request.name)
  await assertPasswordAllowed(ctx, { password: request.password, minLength: SIGN_UP_MIN_LENGTH, email, name })
  const { network, device } = from
  await withMailQuota(ctx, { kind: 'sign-up', email, requester: network, network }, async () => {
    const passwordHash = await hashSignUpPassword(ctx, email, request.password)
    const now = ctx.clock.now()
    await ctx.db.transaction(async (tx) => {
      await lockAddress(tx, email)
      const holder = await findAccountByEmail(tx, email)
      const voidedAt = holder && !isUnclaimed(holder) ? now : null
      const requesterHash = hashSecret(network)
      const signUp = { email, name, passwordHash, requesterHash, device, createdAt: now, voidedAt }
      const expiresAt = new Date(now.getTime() + LIFETIME_MS)
      const mail = await saveWithLink(ctx, tx, { ...signUp, expiresAt })
      await ctx.sendMail(tx, voidedAt ? alreadyRegisteredMail(email, ctx.config.http.publicUrl) : mail)
    })
  })
}

/**
 * Emails a new link for the newest pending sign-up of this network and invalidates the previous
 * links of the network. If this network has none, the newest sign-up of the address gets an
 * additional link that expires together with it. So strangers can neither invalidate someone else’s
 * link nor prolong it. If the sign-ups of the network (or else of the address) have different
 * passwords, the email contains no link, because the newest sign-up may be a stranger’s. This
 * comparison includes expired sign-ups that are still stored.
 */
export async function resendVerification(ctx: Context, requestedEmail: string, network: string): Promise<void> {
  const email = parseEmail(requestedEmail)
  await withMailQuota(ctx, { kind: 'sign-up', email, requester: network, network }, () =>
    ctx.db.transaction((tx) => replaceLinks(ctx, tx, email, network)),
  )
}

async function replaceLinks(ctx: Context, tx: Tx, email: string, network: string): Promise<void> {
  await lockAddress(tx, email)
  const now = ctx.clock.now()
  const storedSignUps = await listStoredSignUps(tx, email)
  const pendingSignUps = storedSignUps.filter(({ expiresAt }) => expiresAt > now)
  const isOwn = ({ requesterHash }: PendingSignUp) => requesterHash === hashSecret(network)
  const ownSignUps = pendingSignUps.filter(isOwn)
  const [signUp] = ownSignUps.length > 0 ? ownSignUps : pendingSignUps
  if (!signUp) return mailUnclaimedAccount(ctx, tx, email)
  // The sign-ups must have the same password even if all come from this network, because strangers
  // may use the same network.
  const comparedSignUps = ownSignUps.length > 0 ? storedSignUps.filter(isOwn) : storedSignUps
  if (comparedSignUps.some(({ passwordHash }) => passwordHash !== signUp.passwordHash)) {
    const isVoid = pendingSignUps.every(({ voidedAt }) => voidedAt !== null)
    if (!isVoid) await ctx.sendMail(tx, severalSignUpsMail(email, ctx.config.http.publicUrl))
    return
  }
  for (const { tokenHash } of ownSignUps) await deleteSignUp(tx, tokenHash)
  const expiresAt = ownSignUps.length > 0 ? new Date(now.getTime() + LIFETIME_MS) : signUp.expiresAt
  const mail = await saveWithLink(ctx, tx, { ...signUp, expiresAt })
  if (!signUp.voidedAt) await ctx.sendMail(tx, mail)
}

/**
 * Stores the sign-up under a new token.
 * @returns the email with its link
 */
async function saveWithLink(ctx: Context, tx: Tx, signUp: Omit<PendingSignUp, 'tokenHash'>) {
  const { email, device, createdAt, expiresAt } = signUp
  const now = ctx.clock.now()
  const otherSignUps = (await listSignUps(tx, email, now)).filter(
    ({ passwordHash }) => passwordHash !== signUp.passwordHash,
  )
  const token = createSecret()
  await insertSignUp(tx, { ...signUp, tokenHash: hashSecret(token) })
  const url = `${ctx.config.http.publicUrl}/verify-email?token=${token}`
  return verifyEmailMail(email, url, { device, at: createdAt, expiresAt, hasOthers: otherSignUps.length > 0 })
}

/**
 * Emails a password reset link if the address belongs to an unverified account. Only earlier
 * versions of the server created such accounts. A stranger may have chosen the password, so the
 * owner has to set a new one.
 */
async function mailUnclaimedAccount(ctx: Context, tx: Tx, email: string): Promise<void> {
  const account = await lockAccountByEmail(tx, email)
  if (!account || !isUnclaimed(account)) return
  await ctx.sendMail(tx, await createLinkMail(ctx, tx, account.id, email, 'reset-password'))
}

export type SignUpFault = 'taken' | 'sign-up-expired' | 'invalid'

/** A sign-up whose link was opened, and the account that it created. */
export interface ConfirmedSignUp {
  account: Account
  /** Hash of the network that signed up. */
  requesterHash: string
}

/**
 * Creates the account of the sign-up whose link was opened. Returns null if the token is not for a
 * sign-up.
 */
export async function confirmSignUp(
  ctx: Context,
  tx: Tx,
  tokenHash: string,
): Promise<ConfirmedSignUp | SignUpFault | null> {
  const pendingSignUp = await findSignUp(tx, tokenHash)
  if (!pendingSignUp) return null
  const { email } = pendingSignUp
  await lockAddress(tx, email)
  const signUp = await findSignUp(tx, tokenHash)
  if (!signUp) return 'invalid'
  const now = ctx.clock.now()
  const holder = await lockAccountByEmailForUpdate(tx, email)
  // A void sign-up stays void even if the account with the address was deleted.
  if (signUp.voidedAt) return holder ? 'taken' : 'invalid'
  if (signUp.expiresAt <= now) return 'sign-up-expired'
  if (holder && !isUnclaimed(holder)) return 'taken'
  if (holder) await deleteAccount(tx, holder.id)
  const { name, passwordHash } = signUp
  const account = { email, name, passwordHash, role: 'user', emailVerifiedAt: now, createdAt: now } as const
  const createdAccount = await insertAccount(tx, account)
  if (!createdAccount) return 'taken'
  await recordAccountCreated(tx, createdAccount.id, now)
  await recordActivity(tx, {
    accountId: createdAccount.id,
    kind: 'email_verified',
    detail: `Confirmed ${email}`,
    at: now,
  })
  await deleteSignUp(tx, tokenHash)
  await voidSignUps(tx, email, now)
  return { account: createdAccount, requesterHash: signUp.requesterHash }
}
