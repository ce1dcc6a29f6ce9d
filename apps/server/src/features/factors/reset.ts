import type { EnrolmentCode, Permission } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { and, eq, isNull, lte, not, sql } from 'drizzle-orm'
import { recordActivity } from '../../activity-log.ts'
import { type AuditActor, operator, recordAudit, schedule } from '../../audit-log.ts'
import type { Context, Mail } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { factorResets } from '../../db/schema/factors.ts'
import { factorResetAppliedMail, factorResetCancelledMail, factorResetMail } from '../../mail/factor-mails.ts'
import { Refusal } from '../../refusal.ts'
import { type Account, listLinkedEmails, lockAccount, lockAccountByEmail } from '../sessions/account-store.ts'
import { listFactorMethods } from '../sessions/second-factor.ts'
import { createSecret, hashSecret } from '../sessions/secret.ts'
import { endSessionsOf, lockManagedAccount, lockNamedAccount } from '../sessions/service.ts'
import type { StaffAction } from '../sessions/staff-action.ts'
import { raiseTakeoverAlarm } from '../sessions/takeover-alarm.ts'
import { issueEnrolmentCode } from './enrolment-code.ts'
import { deleteAllFactors } from './store.ts'

/**
 * Time during which the owner can cancel a reset. It starts when the mail server has accepted the
 * first warning.
 */
const DELAY_MS = DAY_MS
const delay = sql`make_interval(secs => ${DELAY_MS / 1_000}::float8)`
/**
 * Time from the request to `dueAt` while no warning was accepted. It is shorter than the delay, so
 * that `hasStarted` is false.
 */
const UNSTARTED_MS = DELAY_MS - 1
const hasStarted = sql`${factorResets.dueAt} >= ${factorResets.requestedAt} + ${delay}`

/**
 * Returns when the second factors of the account will be removed, or null. If the mail server has
 * not accepted a warning yet, this is the earliest possible time.
 */
export async function findResetDueAt(tx: Queryable, accountId: string): Promise<Date | null> {
  const [row] = await tx
    .select({ dueAt: factorResets.dueAt })
    .from(factorResets)
    .where(and(eq(factorResets.accountId, accountId), isNull(factorResets.endedAt)))
  return row?.dueAt ?? null
}

/**
 * Requests the removal of all second factors of an account whose owner has lost them. All addresses
 * of the account get a warning with a link that cancels the reset. The factors are removed 24 hours
 * after the mail server has accepted the first warning.
 * @throws Refusal not_found, permission_required, own_account, reset_under_way, email_not_verified
 */
export async function requestReset(
  ctx: Context,
  { by, permissions, accountId, reason }: StaffAction & { reason: string },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const account = await lockManagedAccount(tx, permissions, accountId)
    if (accountId === by.actorId) throw new Refusal('own_account', 'Another admin has to reset your second factor.')
    if ((await listFactorMethods(tx, accountId)).length === 0) {
      throw new Refusal('not_found', 'This account has no second factor.')
    }
    if (await findResetDueAt(tx, accountId)) {
      throw new Refusal('reset_under_way', 'A reset of this account was already requested.')
    }
    const secret = createSecret()
    const cancelHash = hashSecret(secret)
    const requestedAt = ctx.clock.now()
    const dueAt = new Date(requestedAt.getTime() + UNSTARTED_MS)
    await tx.insert(factorResets).values({ accountId, cancelHash, requestedAt, dueAt })
    const url = `${ctx.config.http.publicUrl}/cancel-factor-reset?token=${secret}`
    const link = { tokenHash: cancelHash, lifetimeMs: DELAY_MS }
    const warned = await mailSignInAddresses(ctx, tx, account, (to) => ({ ...factorResetMail(to, url), link }))
    if (warned === 0) {
      throw new Refusal('email_not_verified', 'This account has no verified address, so its owner cannot be warned.')
    }
    const detail = 'Requested by an admin'
    await recordActivity(tx, { accountId, kind: 'factor_reset_requested', detail, at: requestedAt })
    await recordAudit(tx, { ...by, action: 'factor_reset_requested', subject: accountId, reason, at: requestedAt })
  })
}

const isOpenResetOf = (cancelHash: string) => and(eq(factorResets.cancelHash, cancelHash), isNull(factorResets.endedAt))

/** True if the emailed link still cancels a reset. */
export async function canCancelReset(db: Queryable, cancelHash: string): Promise<boolean> {
  return (await db.$count(factorResets, isOpenResetOf(cancelHash))) > 0
}

/** Starts the delay of the reset that the emailed link cancels, unless it has started before. */
export async function startResetDelay(db: Queryable, cancelHash: string, now: Date): Promise<void> {
  await db
    .update(factorResets)
    .set({ dueAt: sql`greatest(${now.toISOString()}::timestamptz, ${factorResets.requestedAt}) + ${delay}` })
    .where(and(isOpenResetOf(cancelHash), not(hasStarted)))
}

/**
 * Cancels the reset that the link belongs to.
 * @throws Refusal token_invalid
 */
export async function cancelResetByLink(ctx: Context, token: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const [foundReset] = await tx
      .select()
      .from(factorResets)
      .where(isOpenResetOf(hashSecret(token)))
    const account = foundReset && (await lockAccount(tx, foundReset.accountId))
    const by = { actorId: null, requestId: 'mailed link' }
    if (!account || !(await cancelReset(ctx, tx, account, by, foundReset.id))) {
      throw new Refusal('token_invalid', 'This link is invalid, or the reset has already ended.')
    }
  })
}

/**
 * Cancels the reset of an account, for its owner and for staff with these permissions.
 * @throws Refusal not_found, permission_required
 */
export async function cancelResetOf(
  ctx: Context,
  by: AuditActor,
  accountId: string,
  permissions: readonly Permission[],
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const isOwn = accountId === by.actorId
    const account = isOwn ? await lockNamedAccount(tx, accountId) : await lockManagedAccount(tx, permissions, accountId)
    if (!(await cancelReset(ctx, tx, account, by))) throw new Refusal('not_found', 'There is no reset to cancel.')
  })
}

async function cancelReset(ctx: Context, tx: Tx, account: Account, by: AuditActor, resetId?: string): Promise<boolean> {
  const { id: accountId } = account
  if (!(await endReset(ctx, tx, accountId, 'cancelled', resetId))) return false
  const at = ctx.clock.now()
  await recordActivity(tx, { accountId, kind: 'factor_reset_cancelled', detail: 'Your second factors stay', at })
  await recordAudit(tx, { ...by, action: 'factor_reset_cancelled', subject: accountId, at })
  await mailSignInAddresses(ctx, tx, account, (to) => factorResetCancelledMail(to, at, ctx.config.http.publicUrl))
  return true
}

/**
 * Ends the open reset of an account. Call it whenever all factors are removed. Otherwise the reset
 * would later remove factors that were enrolled since. Returns false if there is no open reset.
 * @param resetId if given, only this reset is ended. It may have ended before the account was
 *   locked, and another one may be open since.
 */
export async function endReset(
  ctx: Context,
  tx: Tx,
  accountId: string,
  outcome: 'applied' | 'cancelled',
  resetId?: string,
): Promise<boolean> {
  const isThisReset = resetId === undefined ? undefined : eq(factorResets.id, resetId)
  const rows = await tx
    .update(factorResets)
    .set({ endedAt: ctx.clock.now(), outcome })
    .where(and(eq(factorResets.accountId, accountId), isNull(factorResets.endedAt), isThisReset))
    .returning({ id: factorResets.id })
  return rows.length > 0
}

/** Removes the second factors of accounts whose reset is due, and ends their sessions. */
export async function applyDueResets(ctx: Context): Promise<void> {
  const dueResets = await ctx.db
    .select({ id: factorResets.id, accountId: factorResets.accountId })
    .from(factorResets)
    .where(and(isNull(factorResets.endedAt), lte(factorResets.dueAt, ctx.clock.now()), hasStarted))
  for (const reset of dueResets) await ctx.db.transaction((tx) => applyReset(ctx, tx, reset))
}

async function applyReset(ctx: Context, tx: Tx, { id, accountId }: { id: string; accountId: string }): Promise<void> {
  const account = await lockAccount(tx, accountId)
  // Another instance has already applied the reset, or the owner has cancelled it. A reset that was
  // requested since then is not due.
  if (!account || !(await endReset(ctx, tx, accountId, 'applied', id))) return
  await removeAllFactors(ctx, tx, account, schedule)
}

async function removeAllFactors(ctx: Context, tx: Tx, account: Account, by: AuditActor): Promise<void> {
  const { id: accountId } = account
  await deleteAllFactors(tx, accountId)
  await endSessionsOf(ctx, tx, accountId)
  const at = ctx.clock.now()
  await recordActivity(tx, { accountId, kind: 'factor_removed', detail: 'All, by a reset', at })
  await recordAudit(tx, { ...by, action: 'factor_reset_applied', subject: accountId, at })
  await mailSignInAddresses(ctx, tx, account, (to) => factorResetAppliedMail(to, at, ctx.config.http.publicUrl))
  await raiseTakeoverAlarm(ctx, tx, accountId)
}

/** Emails every address that can sign in to the account. Returns the number of addresses. */
async function mailSignInAddresses(
  ctx: Context,
  tx: Tx,
  { id, email, emailVerifiedAt }: Account,
  write: (to: string) => Mail,
): Promise<number> {
  const ownAddresses = emailVerifiedAt ? [email] : []
  const addresses = new Set([...ownAddresses, ...(await listLinkedEmails(tx, id))].filter((to) => to !== null))
  for (const to of addresses) await ctx.sendMail(tx, write(to))
  return addresses.size
}

/**
 * Removes all second factors immediately and issues an enrolment code. Used by an operator command,
 * because a sole owner has no other owner who could do this in the admin area.
 * @param endFurtherAccess ends other access to the account, in the same transaction
 * @throws Refusal not_found
 */
export async function resetFactorsNow(
  ctx: Context,
  email: string,
  endFurtherAccess: (tx: Tx, accountId: string) => Promise<void> = async () => {},
): Promise<EnrolmentCode | null> {
  return ctx.db.transaction(async (tx) => {
    const account = await lockAccountByEmail(tx, email)
    if (!account) throw new Refusal('not_found', `There is no account with the address ${email}`)
    await endReset(ctx, tx, account.id, 'applied')
    await endFurtherAccess(tx, account.id)
    if ((await listFactorMethods(tx, account.id)).length > 0) await removeAllFactors(ctx, tx, account, operator)
    return issueEnrolmentCode(ctx, tx, account, operator)
  })
}
