import { recordActivity } from '../../activity-log.ts'
import type { Context } from '../../context.ts'
import { parseDisplayName } from '../../email-address.ts'
import { deleteResponsesOf } from '../../http/idempotency-store.ts'
import { type Actor, assertRecentAuthentication } from '../../http/route.ts'
import { accountDeletedMail, passwordChangedMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { recordSecurityEvents } from '../../security-events.ts'
import {
  countOwners,
  deleteAccount,
  getAccount,
  lockAccountForUpdate,
  lockAdmins,
  updateAccount,
} from '../sessions/account-store.ts'
import type { Browser } from '../sessions/browser.ts'
import { describeDevice } from '../sessions/device.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { type RenewedSession, renewSession } from '../sessions/renew-session.ts'
import { endOtherSessionsOf, endSessionOf, endSessionsOf, listActiveSessions } from '../sessions/service.ts'
import { listSessionsOf, type Session } from '../sessions/store.ts'
import { deleteMessagesOfAccount } from '../support/store.ts'
import { assertPasswordAllowed, getMinLength, SIGN_UP_MIN_LENGTH } from './password.ts'
import { endMailTokens } from './store.ts'
import { verifyPassword } from './verify-password.ts'

export async function changeName(ctx: Context, actor: Actor, name: string): Promise<void> {
  const parsedName = parseDisplayName(name)
  const { accountId } = actor
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    await updateAccount(tx, accountId, { name: parsedName })
    await recordActivity(tx, { accountId, kind: 'name_changed', detail: `Now ${parsedName}`, at: ctx.clock.now() })
  })
}

/**
 * Sets or changes the password. Ends every other session of the account and gives the current
 * session a new id.
 */
export async function changePassword(
  ctx: Context,
  actor: Actor,
  change: { currentPassword?: string | undefined; newPassword: string },
  browser: Browser,
): Promise<RenewedSession> {
  const { email: ownEmail, name } = actor
  const minLength = getMinLength(actor.role, SIGN_UP_MIN_LENGTH)
  await assertPasswordAllowed(ctx, { password: change.newPassword, minLength, email: ownEmail, name })
  const isPasswordVerified = await assertMayChange(ctx, actor, change.currentPassword, browser)
  const passwordHash = await ctx.passwords.hash(change.newPassword)
  const at = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const { id, email } = await lockActor(ctx, tx, actor)
    await updateAccount(tx, id, { passwordHash })
    await endOtherSessionsOf(ctx, tx, actor)
    await endMailTokens(tx, id, at)
    await recordActivity(tx, { accountId: id, kind: 'password_changed', detail: 'Password changed', at })
    if (email) await ctx.sendMail(tx, passwordChangedMail(email, ctx.config.http.publicUrl))
    return renewSession(ctx, tx, actor, isPasswordVerified ? { authenticatedAt: at } : {})
  })
}

/** Returns true if it has verified the current password, false if the account has none. */
async function assertMayChange(
  ctx: Context,
  actor: Actor,
  currentPassword: string | undefined,
  browser: Browser,
): Promise<boolean> {
  const account = await getAccount(ctx.db, actor.accountId)
  if (!account.email || !account.emailVerifiedAt) {
    throw new Refusal('email_not_verified', 'Verify an email address first: you sign in with it and the password.')
  }
  if (actor.hasFactor) assertRecentAuthentication(actor, ctx.clock.now())
  if (account.passwordHash === null) {
    assertRecentAuthentication(actor, ctx.clock.now())
    return false
  }
  if (!currentPassword) throw new Refusal('malformed', 'Please enter your current password')
  const guess = { identifier: account.email, password: currentPassword, browser }
  if (await verifyPassword(ctx, guess, async () => account)) return true
  throw new Refusal('invalid_credentials', 'Your current password is incorrect.')
}

/** Returns the active sessions: the current one first, then the most recently used. */
export async function listSessions(ctx: Context, actor: Actor): Promise<Session[]> {
  const active = await listActiveSessions(ctx.db, { id: actor.accountId, role: actor.role }, ctx.clock.now())
  const isCurrent = (session: Session) => Number(session.id === actor.sessionId)
  return active.sort((one, other) => isCurrent(other) - isCurrent(one))
}

export async function endOneSession(ctx: Context, actor: Actor, id: string): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    const session = (await listSessionsOf(tx, actor.accountId)).find((candidate) => candidate.id === id)
    if (!session || !(await endSessionOf(ctx, tx, actor.accountId, id))) {
      throw new Refusal('not_found', 'Session not found')
    }
    const detail = `Ended ${describeDevice(session.userAgent)}`
    await recordActivity(tx, { accountId: actor.accountId, kind: 'session_ended', detail, at })
  })
}

export async function endOtherSessions(ctx: Context, actor: Actor): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    const count = await endOtherSessionsOf(ctx, tx, actor)
    if (count === 0) return
    const detail = `Ended ${count} other ${count === 1 ? 'session' : 'sessions'}`
    await recordActivity(tx, { accountId: actor.accountId, kind: 'session_ended', detail, at })
  })
}

/**
 * Deletes the account and all personal data. Its payments are kept without the account, so that no
 * transfer can be credited twice. The transparency log contains no personal data. Unconfirmed
 * sign-ups for the account's email address stay void until they expire. If they became valid, a
 * login attempt would reveal that the account was deleted.
 */
export async function deleteOwnAccount(ctx: Context, actor: Actor, requestId: string): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    const account = await lockActor(ctx, tx, actor, lockAccountForUpdate)
    if (account.role === 'owner' && (await countOwners(tx)) === 1) {
      throw new Refusal('last_admin', 'You are the only owner. Make another one first.')
    }
    const event = { category: 'access', kind: 'account_deleted', accountId: account.id } as const
    await recordSecurityEvents(tx, [{ ...event, at, requestId }])
    await endSessionsOf(ctx, tx, account.id)
    // Delete the rows that are not deleted together with the account's row.
    await deleteMessagesOfAccount(tx, account.id)
    await deleteResponsesOf(tx, account.id)
    await deleteAccount(tx, account.id)
    // API clients of the account have no session, so they are notified separately.
    await ctx.notifications.notify(tx, 'entitlement', account.id)
    if (account.email) {
      await ctx.sendMail(tx, accountDeletedMail(account.email, at, ctx.config.http.publicUrl))
    }
  })
}
