import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { emptyWindow, LOGIN_LIMIT, limitSubject, returnTry, takeTry } from './credential-limit.ts'
import { normalizeEmail, parseEmail, parseName } from './email-address.ts'
import { newDeviceCookie, readDeviceCookie } from './known-device.ts'
import { assertPasswordAllowed, hashPassword, SIGN_UP_MIN_LENGTH, verifyPassword } from './password.ts'
import { hashSecret, newSecret } from './secret.ts'
import { isSessionAlive, SEEN_EVERY_MS, sessionLifetimeMs } from './session.ts'
import {
  type Account,
  deleteExpiredSessions,
  deleteLimitsEndedBefore,
  deleteMailTokensExpiredBefore,
  deleteSession,
  deleteSessionsOf,
  findAccountByEmail,
  findSession,
  hasAdmin,
  insertAccount,
  insertSession,
  lockAccountByEmail,
  lockFirstAdmin,
  lockLimit,
  updateAccount,
  updateLimit,
  updateSessionSeen,
} from './store.ts'

export interface SignInAttempt {
  email: string
  password: string
  rememberMe: boolean
  userAgent: string
  /** What this browser's cookies say, if it has any. */
  deviceCookie: string | undefined
  sessionCookie: string | undefined
}

/** A new session: the values of the cookies that carry it. `maxAgeMs` is null for a cookie that ends with the browser. */
export interface SignedIn {
  account: Account
  sessionCookie: string
  deviceCookie: string
  maxAgeMs: number | null
}

const MAX_USER_AGENT_LENGTH = 300

/** Null: the password is right, but nobody has confirmed the address. */
export async function signIn(ctx: Context, attempt: SignInAttempt): Promise<SignedIn | null> {
  const email = normalizeEmail(attempt.email)
  const device = email && readDeviceCookie(ctx.config, email, attempt.deviceCookie)
  const subject = limitSubject('login', email ?? attempt.email, device ?? '')
  await takeLoginTry(ctx, subject)
  const account = email ? await findAccountByEmail(ctx.db, email) : undefined
  const matches = await verifyPassword(account?.passwordHash ?? null, attempt.password)
  if (!account || !email || !matches) {
    throw new Refusal('invalid_credentials', 'Invalid email or password. Please try again.')
  }
  await returnLoginTry(ctx, subject)
  if (!account.emailVerifiedAt) return null
  return startSession(ctx, account, email, attempt)
}

async function startSession(ctx: Context, account: Account, email: string, attempt: SignInAttempt): Promise<SignedIn> {
  const { rememberMe, userAgent } = attempt
  const now = ctx.clock.now()
  const lifetimeMs = sessionLifetimeMs(account.role)
  const sessionCookie = newSecret()
  await ctx.db.transaction(async (tx) => {
    // The browser's former session ends: whoever planted or kept its cookie gains nothing.
    if (attempt.sessionCookie) await endSession(ctx, tx, attempt.sessionCookie)
    await insertSession(tx, {
      idHash: hashSecret(sessionCookie),
      accountId: account.id,
      remembered: rememberMe,
      userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH),
      createdAt: now,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + lifetimeMs),
    })
    await recordActivity(tx, { accountId: account.id, kind: 'signed_in', detail: 'Signed in', at: now })
  })
  return {
    account,
    sessionCookie,
    deviceCookie: newDeviceCookie(ctx.config, email),
    maxAgeMs: rememberMe ? lifetimeMs : null,
  }
}

/** The try is counted before the guess is evaluated, so that guesses sent all at once count too. */
async function takeLoginTry(ctx: Context, subject: string): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const taken = takeTry(await lockLimit(tx, subject, emptyWindow(now)), LOGIN_LIMIT, now)
    if (!taken.allowed) {
      const retryAfterSeconds = Math.ceil(taken.waitMs / 1000)
      throw new Refusal('too_many_requests', 'Too many attempts. Wait a little and try again.', { retryAfterSeconds })
    }
    await updateLimit(tx, subject, taken.next)
  })
}

async function returnLoginTry(ctx: Context, subject: string): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await updateLimit(tx, subject, returnTry(await lockLimit(tx, subject, emptyWindow(now))))
  })
}

export async function signOut(ctx: Context, sessionCookie: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const accountId = await endSession(ctx, tx, sessionCookie)
    if (!accountId) return
    await recordActivity(tx, { accountId, kind: 'signed_out', detail: 'Signed out', at: ctx.clock.now() })
  })
}

async function endSession(ctx: Context, tx: Tx, sessionCookie: string): Promise<string | undefined> {
  const idHash = hashSecret(sessionCookie)
  const accountId = await deleteSession(tx, idHash)
  if (accountId) await ctx.wake.notify(tx, 'session', idHash)
  return accountId
}

/** Ends every session of the account, in all browsers, and the live sockets that they opened. */
export async function endSessionsOf(ctx: Context, tx: Queryable, accountId: string): Promise<void> {
  for (const idHash of await deleteSessionsOf(tx, accountId)) await ctx.wake.notify(tx, 'session', idHash)
}

/** @param sessionCookie value of the session cookie, as the client sent it. */
export async function findActor(ctx: Context, sessionCookie: string | undefined): Promise<Actor | null> {
  if (!sessionCookie) return null
  const found = await findSession(ctx.db, hashSecret(sessionCookie))
  const now = ctx.clock.now()
  if (!found || !isSessionAlive(found.session, found.account.role, now)) return null
  const { session, account, provedWallets } = found
  if (now.getTime() - session.lastSeenAt.getTime() >= SEEN_EVERY_MS)
    await updateSessionSeen(ctx.db, session.idHash, now)
  return {
    sessionIdHash: session.idHash,
    accountId: account.id,
    email: account.email,
    name: account.name,
    isAdmin: account.role === 'admin',
    provedWallets,
  }
}

export interface AccountToCreate {
  email: string
  name: string
  password: string
  role: Account['role']
  verified: boolean
}

/** For operators and seeds. The id of the account with this address, which is made if it does not exist and left alone if it does. */
export async function createAccount(ctx: Context, wanted: AccountToCreate): Promise<string> {
  const email = parseEmail(wanted.email)
  const existing = await findAccountByEmail(ctx.db, email)
  if (existing) return existing.id
  const passwordHash = await hashPassword(wanted.password)
  const now = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const account = await insertAccount(tx, {
      email,
      name: parseName(wanted.name),
      passwordHash,
      role: wanted.role,
      emailVerifiedAt: wanted.verified ? now : null,
      createdAt: now,
    })
    if (account) await recordAccountCreated(tx, account.id, now)
    const created = account ?? (await findAccountByEmail(tx, email))
    if (!created) throw new Error('The account was deleted while it was created')
    return created.id
  })
}

export function recordAccountCreated(tx: Queryable, accountId: string, at: Date): Promise<void> {
  return recordActivity(tx, { accountId, kind: 'account_created', detail: 'Account created', at })
}

/** For operators: a new password for the account, which ends its sessions. */
export async function setPassword(ctx: Context, accountId: string, password: string): Promise<void> {
  assertPasswordAllowed(password, SIGN_UP_MIN_LENGTH)
  const passwordHash = await hashPassword(password)
  await ctx.db.transaction(async (tx) => {
    await updateAccount(tx, accountId, { passwordHash })
    await endSessionsOf(ctx, tx, accountId)
  })
}

/**
 * While no admin exists, makes the configured one, whichever of several instances comes first. An account that somebody has registered with
 * the address becomes the operator's: its password and sessions end.
 */
export async function ensureFirstAdmin(ctx: Context): Promise<void> {
  const { firstAdmin } = ctx.config
  if (await hasAdmin(ctx.db)) return
  if (!firstAdmin) {
    ctx.logger.warn('there is no admin: set ADMIN_EMAIL and ADMIN_PASSWORD and start again to make the first one')
    return
  }
  const email = parseEmail(firstAdmin.email)
  const passwordHash = await hashPassword(firstAdmin.password)
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockFirstAdmin(tx)
    if (await hasAdmin(tx)) return
    const rights = { passwordHash, role: 'admin', emailVerifiedAt: now } as const
    const created = await insertAccount(tx, { email, name: 'Administrator', createdAt: now, ...rights })
    if (created) return recordAccountCreated(tx, created.id, now)
    const existing = await lockAccountByEmail(tx, email)
    if (!existing) throw new Error('The account was deleted while it became admin')
    await updateAccount(tx, existing.id, rights)
    await endSessionsOf(ctx, tx, existing.id)
  })
}

const KEEP_TOKENS_MS = 7 * 24 * 3_600_000

/** Deletes what has expired. Nothing depends on when it runs. */
export async function sweepAccounts(ctx: Context): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    for (const idHash of await deleteExpiredSessions(tx, now)) await ctx.wake.notify(tx, 'session', idHash)
    // Kept for a while, because an expired link is told apart from an invalid one.
    await deleteMailTokensExpiredBefore(tx, new Date(now.getTime() - KEEP_TOKENS_MS))
    await deleteLimitsEndedBefore(tx, now)
  })
}
