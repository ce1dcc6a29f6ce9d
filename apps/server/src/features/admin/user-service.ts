import { type Auditor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { madeAdminMail } from '../../mail/account-mails.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import * as store from './user-store.ts'

/** The operations on accounts that user administration needs. */
export interface AccountLocks {
  /** Serializes changes of admins until the transaction ends. */
  lockAdmins(tx: Queryable): Promise<void>
  /** Ends all sessions of an account and closes their sockets. */
  endSessions(ctx: Context, tx: Queryable, accountId: string): Promise<void>
}

type EndSessions = AccountLocks['endSessions']
/** Ends one session and closes its sockets. Returns false if the account has no such session. */
export type EndSession = (ctx: Context, tx: Queryable, accountId: string, sessionId: string) => Promise<boolean>

export interface UserAction {
  by: Auditor
  accountId: string
  reason: string
}

/** @throws Refusal not_found, own_account, last_admin */
export async function suspendUser(ctx: Context, accounts: AccountLocks, action: UserAction): Promise<void> {
  const { by, accountId, reason } = action
  await ctx.db.transaction(async (tx) => {
    await accounts.lockAdmins(tx)
    const admins = await store.listAdmins(tx)
    const user = await getUser(tx, accountId)
    if (accountId === by.actorId) throw new Refusal('own_account', 'You can’t suspend your own account.')
    if (user.suspendedAt) return
    assertNotLastAdmin(admins, accountId, 'suspended')
    const now = ctx.clock.now()
    await store.updateUser(tx, accountId, { suspendedAt: now, suspensionReason: reason })
    await accounts.endSessions(ctx, tx, accountId)
    // Closes sockets of programs too, which have no session.
    await ctx.wake.notify(tx, 'entitlement', accountId)
    await recordAudit(tx, { ...by, action: 'user_suspended', subject: accountId, reason, at: now })
  })
}

export async function unsuspendUser(ctx: Context, { by, accountId, reason }: UserAction): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const user = await getUser(tx, accountId)
    if (!user.suspendedAt) return
    await store.updateUser(tx, accountId, { suspendedAt: null, suspensionReason: null })
    await recordAudit(tx, { ...by, action: 'user_unsuspended', subject: accountId, reason, at: ctx.clock.now() })
  })
}

/**
 * Changes the role and ends all sessions: session lifetimes differ by role, and admin rights need a
 * new sign-in.
 */
export async function changeRole(
  ctx: Context,
  accounts: AccountLocks,
  { by, accountId, reason, role }: UserAction & { role: 'user' | 'admin' },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await accounts.lockAdmins(tx)
    const admins = await store.listAdmins(tx)
    const user = await getUser(tx, accountId)
    if (user.role === role) return
    if (role === 'user') assertNotLastAdmin(admins, accountId, 'made a regular user')
    await store.updateUser(tx, accountId, { role })
    await accounts.endSessions(ctx, tx, accountId)
    const detail = { from: user.role, to: role }
    const at = ctx.clock.now()
    await recordAudit(tx, { ...by, action: 'role_changed', subject: accountId, reason, detail, at })
    if (role === 'admin' && user.email && user.emailVerifiedAt) {
      await ctx.sendMail(tx, madeAdminMail(user.email, at, ctx.config.http.publicUrl))
    }
  })
}

/** Ends all sessions of a user. Returns how many there were. */
export async function endUserSessions(
  ctx: Context,
  endSessions: EndSessions,
  { by, accountId }: Omit<UserAction, 'reason'>,
): Promise<number> {
  return ctx.db.transaction(async (tx) => {
    await getUser(tx, accountId)
    const sessions = await store.countSessions(tx, accountId)
    await endSessions(ctx, tx, accountId)
    const at = ctx.clock.now()
    await recordAudit(tx, { ...by, action: 'sessions_ended', subject: accountId, detail: { sessions }, at })
    return sessions
  })
}

/** @throws Refusal not_found */
export async function endUserSession(
  ctx: Context,
  endSession: EndSession,
  { by, accountId, sessionId }: Omit<UserAction, 'reason'> & { sessionId: string },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await getUser(tx, accountId)
    if (!(await endSession(ctx, tx, accountId, sessionId))) {
      throw new Refusal('not_found', 'There is no such session any more.')
    }
    const at = ctx.clock.now()
    await recordAudit(tx, { ...by, action: 'sessions_ended', subject: accountId, detail: { sessions: 1 }, at })
  })
}

function assertNotLastAdmin(admins: readonly string[], accountId: string, what: string): void {
  if (admins.length === 1 && admins[0] === accountId) {
    throw new Refusal('last_admin', `The last admin can’t be ${what}. Make somebody else an admin first.`)
  }
}

async function getUser(tx: Queryable, accountId: string) {
  const user = isUuid(accountId) ? await store.lockUser(tx, accountId) : null
  if (!user) throw new Refusal('not_found', 'There is no such user.')
  return user
}
