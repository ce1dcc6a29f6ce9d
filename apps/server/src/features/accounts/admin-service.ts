import { type Auditor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { adminRightsGrantedMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { lockAdmins, updateAccount } from '../sessions/account-store.ts'
import { endSessionOf, endSessionsOf, lockNamedAccount } from '../sessions/service.ts'
import * as store from './admin-store.ts'

export interface UserAction {
  by: Auditor
  accountId: string
  reason: string
}

/** @throws Refusal not_found, own_account, last_admin */
export async function suspendUser(ctx: Context, action: UserAction): Promise<void> {
  const { by, accountId, reason } = action
  await ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    const admins = await store.listAdmins(tx)
    const user = await lockNamedAccount(tx, accountId)
    if (accountId === by.actorId) throw new Refusal('own_account', 'You can’t suspend your own account.')
    if (user.suspendedAt) return
    assertNotLastAdmin(admins, accountId, 'suspended')
    const now = ctx.clock.now()
    await updateAccount(tx, accountId, { suspendedAt: now, suspensionReason: reason })
    await endSessionsOf(ctx, tx, accountId)
    // Closes sockets of programs too, which have no session.
    await ctx.wake.notify(tx, 'entitlement', accountId)
    await recordAudit(tx, { ...by, action: 'user_suspended', subject: accountId, reason, at: now })
  })
}

export async function unsuspendUser(ctx: Context, { by, accountId, reason }: UserAction): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const user = await lockNamedAccount(tx, accountId)
    if (!user.suspendedAt) return
    await updateAccount(tx, accountId, { suspendedAt: null, suspensionReason: null })
    await recordAudit(tx, { ...by, action: 'user_unsuspended', subject: accountId, reason, at: ctx.clock.now() })
  })
}

/**
 * Changes the role and ends all sessions: session lifetimes differ by role, and admin rights need a
 * new sign-in.
 */
export async function changeRole(
  ctx: Context,
  { by, accountId, reason, role }: UserAction & { role: 'user' | 'admin' },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockAdmins(tx)
    const admins = await store.listAdmins(tx)
    const user = await lockNamedAccount(tx, accountId)
    if (user.role === role) return
    if (role === 'user') assertNotLastAdmin(admins, accountId, 'made a regular user')
    await updateAccount(tx, accountId, { role })
    await endSessionsOf(ctx, tx, accountId)
    const detail = { from: user.role, to: role }
    const at = ctx.clock.now()
    await recordAudit(tx, { ...by, action: 'role_changed', subject: accountId, reason, detail, at })
    if (role === 'admin' && user.email && user.emailVerifiedAt) {
      await ctx.sendMail(tx, adminRightsGrantedMail(user.email, at, ctx.config.http.publicUrl))
    }
  })
}

/** Ends all sessions of a user. Returns how many there were. */
export async function endUserSessions(ctx: Context, { by, accountId }: Omit<UserAction, 'reason'>): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    await lockNamedAccount(tx, accountId)
    const sessions = await store.countSessions(tx, accountId)
    await endSessionsOf(ctx, tx, accountId)
    const at = ctx.clock.now()
    await recordAudit(tx, { ...by, action: 'sessions_ended', subject: accountId, detail: { sessions }, at })
    return sessions
  })
}

/** @throws Refusal not_found */
export async function endUserSession(
  ctx: Context,
  { by, accountId, sessionId }: Omit<UserAction, 'reason'> & { sessionId: string },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await lockNamedAccount(tx, accountId)
    if (!(await endSessionOf(ctx, tx, accountId, sessionId))) {
      throw new Refusal('not_found', 'There is no such session any more.')
    }
    const at = ctx.clock.now()
    await recordAudit(tx, { ...by, action: 'sessions_ended', subject: accountId, detail: { sessions: 1 }, at })
  })
}

function assertNotLastAdmin(admins: readonly string[], accountId: string, what: string): void {
  if (admins.length === 1 && admins[0] === accountId) {
    throw new Refusal('last_admin', `The last admin can’t be ${what}. Make another account an admin first.`)
  }
}
