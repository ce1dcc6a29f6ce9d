import type { EnrolmentCode } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { and, eq, gt } from 'drizzle-orm'
import { recordActivity } from '../../activity-log.ts'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { enrolmentCodes } from '../../db/schema/factors.ts'
import type { Actor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import type { Account } from '../sessions/account-store.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { listFactorMethods, mustEnrol } from '../sessions/second-factor.ts'
import { hashSecret } from '../sessions/secret.ts'
import { lockManagedAccount } from '../sessions/service.ts'
import type { StaffAction } from '../sessions/staff-action.ts'
import { mayEnrol, updateSession } from '../sessions/store.ts'
import { createRandomLetters, normalizeCode } from './recovery-code.ts'

/** Number of characters of a code: 80 random bits. */
const LENGTH = 16
const LIFETIME_MS = 3 * DAY_MS

/**
 * Issues the code that a member of staff needs to enrol a first second factor. The code replaces an
 * earlier one. Returns null if the account does not need a code. Callers must have locked the
 * account.
 */
export async function issueEnrolmentCode(
  ctx: Context,
  tx: Tx,
  account: Pick<Account, 'id' | 'role' | 'email'>,
  by: AuditActor,
): Promise<EnrolmentCode | null> {
  const hasFactor = (await listFactorMethods(tx, account.id)).length > 0
  await deleteEnrolmentCode(tx, account.id)
  if (!mustEnrol(ctx.config, account, hasFactor)) return null
  const letters = createRandomLetters(LENGTH)
  const at = ctx.clock.now()
  const expiresAt = new Date(at.getTime() + LIFETIME_MS)
  await tx.insert(enrolmentCodes).values({ accountId: account.id, codeHash: hashSecret(letters), expiresAt })
  await recordAudit(tx, { ...by, action: 'enrolment_code_issued', subject: account.id, at })
  return { code: letters.replace(/.{4}(?=.)/g, '$&-'), expiresAt: expiresAt.toISOString() }
}

/**
 * Issues a code for an account that staff with these permissions manage.
 * @throws Refusal not_found, permission_required, own_account, factor_exists
 */
export async function issueCodeFor(ctx: Context, { by, permissions, accountId }: StaffAction): Promise<EnrolmentCode> {
  return ctx.db.transaction(async (tx) => {
    const account = await lockManagedAccount(tx, permissions, accountId)
    if (accountId === by.actorId) throw new Refusal('own_account', 'Another owner has to issue your code.')
    const code = await issueEnrolmentCode(ctx, tx, account, by)
    if (!code) throw new Refusal('factor_exists', 'This account needs no enrolment code.')
    return code
  })
}

/**
 * Lets this session enrol the first second factor. A code works only once, even if it is entered
 * concurrently.
 * @throws Refusal code_wrong
 */
export async function consumeEnrolmentCode(ctx: Context, actor: Actor, code: string): Promise<void> {
  const { accountId, sessionId } = actor
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, actor)
    const [usedCode] = await tx
      .delete(enrolmentCodes)
      .where(
        and(
          eq(enrolmentCodes.accountId, accountId),
          eq(enrolmentCodes.codeHash, hashSecret(normalizeCode(code))),
          gt(enrolmentCodes.expiresAt, at),
        ),
      )
      .returning({ accountId: enrolmentCodes.accountId })
    if (!usedCode) throw new Refusal('code_wrong', 'This code is wrong, used or expired. Ask an owner for a new one.')
    await updateSession(tx, sessionId, { mayEnrol: true })
    await recordActivity(tx, { accountId, kind: 'enrolment_code_used', detail: 'Enrolment code used', at })
  })
}

export async function deleteEnrolmentCode(tx: Queryable, accountId: string): Promise<void> {
  await tx.delete(enrolmentCodes).where(eq(enrolmentCodes.accountId, accountId))
}

/** True if the actor has to enter an enrolment code before enrolling. */
export async function needsEnrolmentCode(tx: Queryable, { mustEnrol, sessionId }: Actor): Promise<boolean> {
  return mustEnrol && !(await mayEnrol(tx, sessionId))
}

/**
 * Checks that the session may enrol the first factor. For a member of staff, a password or a
 * mailbox alone must not be enough.
 * @throws Refusal enrolment_code_required
 */
export async function assertMayEnrol(tx: Queryable, actor: Actor): Promise<void> {
  if (await needsEnrolmentCode(tx, actor)) {
    throw new Refusal('enrolment_code_required', 'Enter the enrolment code first. An owner gives it to you.')
  }
}
