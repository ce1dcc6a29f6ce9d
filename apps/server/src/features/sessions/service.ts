import { listPermissions, type Permission } from '@tocsin/protocol'
import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { type Account, findAccount, lockAccount } from './account-store.ts'
import { mustEnrol } from './second-factor.ts'
import { hashSecret } from './secret.ts'
import { computeSessionEndsAt, isSessionAlive, LAST_SEEN_UPDATE_MS } from './session.ts'
import {
  deleteOtherSessions,
  deleteSessionOf,
  deleteSessionsOf,
  type FoundSession,
  findSessions,
  listSessionsOf,
  type Session,
  type SessionKey,
  updateSessionsSeen,
} from './store.ts'

/** Ends every session of the account and closes their live sockets. */
export async function endSessionsOf(ctx: Context, tx: Queryable, accountId: string): Promise<void> {
  for (const id of await deleteSessionsOf(tx, accountId)) await ctx.notifications.notify(tx, 'session', id)
}

/** Returns the sessions of the account that have not ended, most recently used first. */
export async function listActiveSessions(
  tx: Queryable,
  { id, role }: Pick<Account, 'id' | 'role'>,
  now: Date,
): Promise<Session[]> {
  return (await listSessionsOf(tx, id)).filter((session) => isSessionAlive(session, role, now))
}

/**
 * Ends all sessions of the account except the actor's and closes their live sockets. Callers must
 * have locked the account. Returns the number of ended sessions.
 */
export async function endOtherSessionsOf(ctx: Context, tx: Queryable, actor: Actor): Promise<number> {
  const endedSessionIds = await deleteOtherSessions(tx, actor.accountId, actor.sessionId)
  for (const id of endedSessionIds) await ctx.notifications.notify(tx, 'session', id)
  return endedSessionIds.length
}

/**
 * Ends a session whose contract wallet no longer accepts the signature that signed in. Callers must
 * have locked the account.
 */
export async function endLapsedSession(
  ctx: Context,
  tx: Queryable,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<void> {
  if (!(await endSessionOf(ctx, tx, accountId, sessionId))) return
  const detail = 'Ended: its wallet no longer accepts the signature that signed in'
  await recordActivity(tx, { accountId, kind: 'session_ended', detail, at: ctx.clock.now() })
}

/**
 * Ends one session of the account and closes its live sockets. Returns false if the session does
 * not exist.
 */
export async function endSessionOf(
  ctx: Context,
  tx: Queryable,
  accountId: string,
  sessionId: string,
): Promise<boolean> {
  const isDeleted = isUuid(sessionId) && (await deleteSessionOf(tx, accountId, sessionId))
  if (isDeleted) await ctx.notifications.notify(tx, 'session', sessionId)
  return isDeleted
}

/** A session to look up. */
export type SessionLookup = SessionKey & {
  /** If true, the lookup does not mark the session of a staff member as used. */
  isPoll?: boolean
}

/** @param sessionCookie value of the session cookie as sent by the client */
export function toSessionKey(sessionCookie: string): SessionKey {
  return { idHash: hashSecret(sessionCookie) }
}

/** Returns the actor of each session, in the order of `keys`; null for sessions that have ended. */
export async function findActors(ctx: Context, keys: readonly SessionLookup[]): Promise<(Actor | null)[]> {
  const now = ctx.clock.now()
  const foundSessions = await findSessions(ctx.db, keys)
  const active = foundSessions.filter((one) => isActive(one, now))
  // Polls count as use for role `user`. The wallets of an unused session are rechecked less often,
  // and a client could avoid the recheck by sending only polls.
  const usedKeys = new Set(keys.filter(({ isPoll }) => !isPoll).map(getLookupKey))
  const isUsed = ({ session, account }: FoundSession) =>
    account.role === 'user' || usedKeys.has(session.id) || usedKeys.has(session.idHash)
  const sessionsToUpdate = active.filter(
    (one) => isUsed(one) && now.getTime() - one.session.lastSeenAt.getTime() >= LAST_SEEN_UPDATE_MS,
  )
  if (sessionsToUpdate.length > 0) {
    await updateSessionsSeen(
      ctx.db,
      sessionsToUpdate.map(({ session }) => session.idHash),
      now,
    )
  }
  const byKey = new Map(
    active.flatMap((one) => [
      [one.session.id, one],
      [one.session.idHash, one],
    ]),
  )
  return keys.map((key) => {
    const foundSession = byKey.get(getLookupKey(key))
    return foundSession ? toActor(ctx, foundSession) : null
  })
}

const getLookupKey = (key: SessionKey) => ('id' in key ? key.id : key.idHash)

/** Returns true if requests of the session may act for its account. */
export function isActive({ session, account }: Pick<FoundSession, 'session' | 'account'>, now: Date): boolean {
  return session.awaitsFactorUntil === null && !account.suspendedAt && isSessionAlive(session, account.role, now)
}

/**
 * Returns when each of these sessions ends. Sessions that have ended are missing. The call does not
 * count as activity of a session.
 */
export async function findSessionEnds(ctx: Context, ids: readonly string[]): Promise<Map<string, Date>> {
  const now = ctx.clock.now()
  const foundSessions = await findSessions(
    ctx.db,
    ids.map((id) => ({ id })),
  )
  return new Map(
    foundSessions
      .filter((foundSession) => isActive(foundSession, now))
      .map(({ session, account }) => [session.id, computeSessionEndsAt(session, account.role)]),
  )
}

/**
 * Creates the actor of a session. An account with a second factor must confirm with that factor:
 * neither the sign-in nor the password then counts as recent authentication.
 */
function toActor({ config }: Context, { session, account, provedWallets, hasFactor }: FoundSession): Actor {
  const hasToEnrol = mustEnrol(config, account, hasFactor)
  return {
    sessionId: session.id,
    sessionIdHash: session.idHash,
    accountId: account.id,
    email: account.email,
    name: account.name,
    role: account.role,
    permissions: hasToEnrol ? [] : listPermissions(account.role),
    hasFactor,
    mustEnrol: hasToEnrol,
    provedWallets,
    sessionEndsAt: computeSessionEndsAt(session, account.role),
    authenticatedAt: hasFactor ? (session.factorAt ?? new Date(0)) : session.authenticatedAt,
  }
}

/** Returns true if the account exists and is not suspended. */
export async function isAccountOpen(ctx: Context, accountId: string): Promise<boolean> {
  const account = await findAccount(ctx.db, accountId)
  return account !== undefined && account.suspendedAt === null
}

/**
 * Locks an account that an admin named.
 * @throws Refusal not_found
 */
export async function lockNamedAccount(tx: Queryable, accountId: string): Promise<Account> {
  const account = isUuid(accountId) ? await lockAccount(tx, accountId) : undefined
  if (!account) throw new Refusal('not_found', 'User not found.')
  return account
}

/**
 * Locks an account that staff with these permissions want to manage. `users.manage` is needed for a
 * user, `staff.manage` for staff who are not owners, and `roles.change` for an owner.
 * @throws Refusal not_found, permission_required
 */
export async function lockManagedAccount(
  tx: Queryable,
  permissions: readonly Permission[],
  accountId: string,
): Promise<Account> {
  const account = await lockNamedAccount(tx, accountId)
  const neededPermissions = { user: 'users.manage', owner: 'roles.change' } as const
  const permission =
    account.role === 'user' || account.role === 'owner' ? neededPermissions[account.role] : 'staff.manage'
  if (!permissions.includes(permission)) {
    throw new Refusal('permission_required', 'Your role does not allow you to manage this account.')
  }
  return account
}

export function recordAccountCreated(tx: Queryable, accountId: string, at: Date): Promise<void> {
  return recordActivity(tx, { accountId, kind: 'account_created', detail: 'Account created', at })
}
