import type { EnrolmentCode, Role } from '@tocsin/protocol'
import { recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { roleChangedMail, roleChangeNoticeMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { issueEnrolmentCode } from '../factors/enrolment-code.ts'
import { lockAdmins, updateAccount } from '../sessions/account-store.ts'
import { mustEnrol } from '../sessions/second-factor.ts'
import { endSessionOf, endSessionsOf, listActiveSessions, lockManagedAccount } from '../sessions/service.ts'
import type { StaffAction } from '../sessions/staff-action.ts'
import * as store from './admin-store.ts'
import { secureNewStaff } from './staff-access.ts'

export interface UserAction extends StaffAction {
  reason: string
}

/** @throws Refusal not_found, permission_required, own_account, last_admin */
export async function suspendUser(ctx: Context, action: UserAction): Promise<void> {
  const { by, permissions, accountId, reason } = action
  await ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    const owners = await store.listOwners(tx)
    const user = await lockManagedAccount(tx, permissions, accountId)
    if (accountId === by.actorId) throw new Refusal('own_account', 'You can’t suspend your own account.')
    if (user.suspendedAt) return
    assertNotLastOwner(owners, accountId)
    const now = ctx.clock.now()
    await updateAccount(tx, accountId, { suspendedAt: now, suspensionReason: reason })
    await endSessionsOf(ctx, tx, accountId)
    // Also closes sockets of programs, which have no session.
    await ctx.notifications.notify(tx, 'entitlement', accountId)
    await recordAudit(tx, { ...by, action: 'user_suspended', subject: accountId, reason, at: now })
  })
}

/** @throws Refusal not_found, permission_required */
export async function unsuspendUser(ctx: Context, { by, permissions, accountId, reason }: UserAction): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const user = await lockManagedAccount(tx, permissions, accountId)
    if (!user.suspendedAt) return
    await updateAccount(tx, accountId, { suspendedAt: null, suspensionReason: null })
    await recordAudit(tx, { ...by, action: 'user_unsuspended', subject: accountId, reason, at: ctx.clock.now() })
  })
}

/**
 * Changes the role and ends all sessions, so that no session or socket keeps the former rights.
 * Notifies the account and all owners by email. At least one owner remains, because only owners
 * change roles, and they cannot change their own role.
 * @returns the code with which a new member of staff enrols a second factor, if the account has
 *   none, and the sign-in methods that the account keeps besides the password
 * @throws Refusal not_found, permission_required, own_account, last_way_in
 */
export async function changeRole(
  ctx: Context,
  { by, permissions, accountId, reason, role }: UserAction & { role: Role },
): Promise<{ enrolmentCode: EnrolmentCode | null; kept: string[] }> {
  return ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    const owners = await store.listOwners(tx)
    if (!owners.some(({ id }) => id === by.actorId)) {
      throw new Refusal('permission_required', 'Only owners can change roles.')
    }
    const user = await lockManagedAccount(tx, permissions, accountId)
    if (accountId === by.actorId) {
      throw new Refusal('own_account', 'You can’t change your own role. Another owner has to do it.')
    }
    if (user.role === role) return { enrolmentCode: null, kept: [] }
    await updateAccount(tx, accountId, { role })
    const otherSignInMethods = role === 'user' ? [] : await secureNewStaff(ctx, tx, user, role)
    await endSessionsOf(ctx, tx, accountId)
    // Also recheck the sockets of programs, which have no session: the account may no longer read
    // all alerts.
    await ctx.notifications.notify(tx, 'entitlement', accountId)
    const detail = { from: user.role, to: role }
    const at = ctx.clock.now()
    await recordAudit(tx, { ...by, action: 'role_changed', subject: accountId, reason, detail, at })
    const { publicUrl } = ctx.config.http
    const change = { ...detail, at }
    if (user.email && user.emailVerifiedAt) {
      const needsFactor = mustEnrol(ctx.config, { role, email: user.email }, false)
      await ctx.sendMail(tx, roleChangedMail(user.email, { ...change, needsFactor }, publicUrl))
    }
    for (const { id, email } of owners) {
      if (email === null || id === accountId) continue
      await ctx.sendMail(tx, roleChangeNoticeMail(email, { ...change, accountId }, publicUrl))
    }
    return { enrolmentCode: await issueEnrolmentCode(ctx, tx, { ...user, role }, by), kept: otherSignInMethods }
  })
}

/** Ends all sessions of a user. Returns the number of ended sessions. */
export async function endUserSessions(ctx: Context, { by, permissions, accountId }: StaffAction): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    const user = await lockManagedAccount(tx, permissions, accountId)
    const at = ctx.clock.now()
    const sessions = (await listActiveSessions(tx, user, at)).length
    await recordAudit(tx, { ...by, action: 'sessions_ended', subject: accountId, detail: { sessions }, at })
    await endSessionsOf(ctx, tx, accountId)
    return sessions
  })
}

/** @throws Refusal not_found, permission_required */
export async function endUserSession(
  ctx: Context,
  { by, permissions, accountId, sessionId }: StaffAction & { sessionId: string },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockManagedAccount(tx, permissions, accountId)
    const at = ctx.clock.now()
    await recordAudit(tx, { ...by, action: 'sessions_ended', subject: accountId, detail: { sessions: 1 }, at })
    if (!(await endSessionOf(ctx, tx, accountId, sessionId))) {
      throw new Refusal('not_found', 'Session not found. It may already have ended.')
    }
  })
}

function assertNotLastOwner(owners: readonly { id: string }[], accountId: string): void {
  if (owners.length === 1 && owners[0]?.id === accountId) {
    throw new Refusal('last_admin', 'The last owner can’t be suspended. Make another account an owner first.')
  }
}
