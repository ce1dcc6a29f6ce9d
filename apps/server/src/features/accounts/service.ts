import { DAY_MS } from '@tocsin/protocol/durations'
import { recordActivity } from '../../activity-log.ts'
import { operator, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { normalizeEmail, parseDisplayName, parseEmail } from '../../email-address.ts'
import { passwordChangedMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { deleteExpiredChallenges } from '../factors/challenges.ts'
import {
  type Account,
  findAccountByEmail,
  insertAccount,
  lockAccount,
  updateAccount,
} from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { deleteLimitsEndedBefore } from '../sessions/limit-store.ts'
import { hashSecret } from '../sessions/secret.ts'
import { endSessionOf, recordAccountCreated } from '../sessions/service.ts'
import { type SignedIn, startSession } from '../sessions/start-session.ts'
import { deleteExpiredSessions, findSessionToEnd } from '../sessions/store.ts'
import { endAccess } from './end-access.ts'
import {
  ADMIN_MIN_LENGTH,
  assertLongEnoughFor,
  assertPasswordAllowed,
  getMinLength,
  SIGN_UP_MIN_LENGTH,
} from './password.ts'
import { matchesSignUp } from './pending-sign-up.ts'
import { deleteSignUpsExpiredBefore, lockAddress, voidSignUps } from './pending-sign-up-store.ts'
import { deleteMailTokensExpiredBefore } from './store.ts'
import { withAttemptLimit } from './verify-password.ts'

const WAITS_FOR_LINK = 'waits for link'

export interface SignInAttempt extends Browser {
  email: string
  password: string
  rememberMe: boolean
}

/**
 * Signs in with a password. Returns null if the password belongs to a sign-up that waits for
 * confirmation; this does not reveal whether the address has an account. Every wrong password costs
 * two hashes: the account's hash, and the hash that all sign-ups of the address share.
 * @throws Refusal invalid_credentials, too_many_requests, password_too_short, account_suspended
 */
export async function signIn(ctx: Context, attempt: SignInAttempt): Promise<SignedIn | null> {
  const email = normalizeEmail(attempt.email)
  const guess = { identifier: email ?? attempt.email, password: attempt.password, browser: attempt }
  const find = async () => (email ? findAccountByEmail(ctx.db, email) : undefined)
  const account = await withAttemptLimit(ctx, guess, find, async (foundAccount) => {
    const isRight = await ctx.passwords.verify(foundAccount?.passwordHash ?? null, guess.password)
    if (isRight && foundAccount) return foundAccount.emailVerifiedAt ? foundAccount : WAITS_FOR_LINK
    return (await matchesSignUp(ctx, email, guess.password)) ? WAITS_FOR_LINK : null
  })
  if (!account) throw createCredentialsRefusal()
  if (account === WAITS_FOR_LINK) return null
  const entry = { way: 'password', rememberMe: attempt.rememberMe }
  return ctx.db.transaction(async (tx) => {
    // The password was checked before the account was locked. A reset or a role change may have
    // happened in between.
    const lockedAccount = await lockAccount(tx, account.id)
    if (lockedAccount?.passwordHash !== account.passwordHash || !lockedAccount) throw createCredentialsRefusal()
    assertLongEnoughFor(lockedAccount.role, attempt.password)
    return startSession(ctx, tx, lockedAccount, attempt, entry)
  })
}

const createCredentialsRefusal = () =>
  new Refusal('invalid_credentials', 'Invalid email or password. Please try again.')

/**
 * Ends the session by its id. While this call waits for the lock, another tab of the browser may
 * renew the cookie, and the session must not outlast the logout. A former cookie ends the session
 * too: the response with the new cookie may have been lost, or someone else may have the new
 * cookie.
 */
export async function signOut(ctx: Context, sessionCookie: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const endedSession = await findSessionToEnd(tx, hashSecret(sessionCookie))
    if (!endedSession) return
    const { id, accountId } = endedSession
    await lockAccount(tx, accountId)
    if (!(await endSessionOf(ctx, tx, accountId, id))) return
    await recordActivity(tx, { accountId, kind: 'signed_out', detail: 'Signed out', at: ctx.clock.now() })
  })
}

export interface AccountToCreate {
  email: string
  name: string
  password: string
  role: Account['role']
  verified: boolean
}

/**
 * Returns the id of the account with this address, for the operator CLI and seed data. Creates the
 * account if it does not exist, and does not change an existing account. Only passwords of staff
 * are checked.
 */
export async function createAccount(ctx: Context, accountFields: AccountToCreate): Promise<string> {
  const email = parseEmail(accountFields.email)
  const existingAccount = await findAccountByEmail(ctx.db, email)
  if (existingAccount) return existingAccount.id
  if (accountFields.role !== 'user') await assertPasswordAllowed(ctx, { ...accountFields, minLength: ADMIN_MIN_LENGTH })
  const passwordHash = await ctx.passwords.hash(accountFields.password)
  const now = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    await lockAddress(tx, email)
    await voidSignUps(tx, email, now)
    const account = await insertAccount(tx, {
      email,
      name: parseDisplayName(accountFields.name),
      passwordHash,
      role: accountFields.role,
      emailVerifiedAt: accountFields.verified ? now : null,
      createdAt: now,
    })
    if (account) await recordAccountCreated(tx, account.id, now)
    const createdAccount = account ?? (await findAccountByEmail(tx, email))
    if (!createdAccount) throw new Error('The account was deleted while it was created')
    return createdAccount.id
  })
}

/**
 * Sets the password of an account, for the operator CLI. Ends all other access and writes to the
 * audit log.
 */
export async function setPassword(ctx: Context, accountId: string, password: string): Promise<void> {
  const passwordHash = await ctx.passwords.hash(password)
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const account = await lockAccount(tx, accountId)
    if (!account) throw new Refusal('not_found', 'This account does not exist')
    const minLength = getMinLength(account.role, SIGN_UP_MIN_LENGTH)
    await assertPasswordAllowed(ctx, { password, minLength, email: account.email, name: account.name })
    await updateAccount(tx, accountId, { passwordHash })
    await endAccess(ctx, tx, accountId, 'password reset')
    await recordActivity(tx, { accountId, kind: 'password_changed', detail: 'Password set by the operator', at })
    await recordAudit(tx, { ...operator, action: 'password_reset', subject: accountId, at })
    if (account.email) await ctx.sendMail(tx, passwordChangedMail(account.email, ctx.config.http.publicUrl))
  })
}

/** Sets the password of the admin with this address, for the operator CLI. */
export async function resetAdminPassword(ctx: Context, requestedEmail: string, password: string): Promise<void> {
  const email = parseEmail(requestedEmail)
  const account = await findAccountByEmail(ctx.db, email)
  if (!account || account.role === 'user') throw new Refusal('not_found', `There is no admin with the address ${email}`)
  await setPassword(ctx, account.id, password)
}

const KEEP_TOKENS_MS = 7 * DAY_MS

/**
 * Deletes expired sessions, rate limits and passkey challenges, and tokens and sign-ups that
 * expired a week ago. Safe to run at any time and on several instances. Each table has its own
 * transaction, so that no request waits for all of them.
 */
export async function deleteExpiredAccountData(ctx: Context): Promise<void> {
  const { db } = ctx
  const now = ctx.clock.now()
  await db.transaction(async (tx) => {
    for (const id of await deleteExpiredSessions(tx, now)) await ctx.notifications.notify(tx, 'session', id)
  })
  // Expired rows are kept for a while, to distinguish an expired link from an invalid one. Void
  // sign-ups are kept for the same time: a request for another link compares expired sign-ups too,
  // and its result must not reveal which of them are void.
  const expiredBefore = new Date(now.getTime() - KEEP_TOKENS_MS)
  await deleteMailTokensExpiredBefore(db, expiredBefore)
  await deleteSignUpsExpiredBefore(db, expiredBefore)
  await deleteLimitsEndedBefore(db, now)
  await deleteExpiredChallenges(db, now)
}
