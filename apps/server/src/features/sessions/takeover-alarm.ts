import { HOUR_MS } from '@tocsin/protocol/durations'
import { and, desc, eq, gt, inArray, isNotNull, isNull, ne, sql } from 'drizzle-orm'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { accounts, activities } from '../../db/schema/accounts.ts'
import { auditEntries } from '../../db/schema/audit.ts'
import { takeoverMail } from '../../mail/factor-mails.ts'
import { listLinkedEmails } from './account-store.ts'

const kinds = ['factor_removed', 'email_changed'] as const
const WINDOW_MS = HOUR_MS
const watch: AuditActor = { actorId: null, requestId: 'alarm' }

/**
 * Raises an alarm if a second factor of the account was removed and its address changed within an
 * hour. Call it after recording either change, while the account is locked. The alarm is logged,
 * audited, and emailed to all staff. It is also emailed to the former addresses of that hour and to
 * the addresses of linked providers, because an intruder has not changed these.
 *
 * Within an hour of an alarm, further changes are emailed only to the addresses that they replaced.
 * Otherwise one account could flood the staff with emails by repeating these changes.
 */
export async function raiseTakeoverAlarm(ctx: Context, tx: Tx, accountId: string): Promise<void> {
  const at = ctx.clock.now()
  const since = new Date(at.getTime() - WINDOW_MS)
  const foundEvents = await tx
    .select({ kind: activities.kind, formerEmail: activities.reference, at: activities.at })
    .from(activities)
    .where(and(eq(activities.accountId, accountId), inArray(activities.kind, [...kinds]), gt(activities.at, since)))
  if (new Set(foundEvents.map(({ kind }) => kind)).size < kinds.length) return
  const [earlierAlarm] = await tx
    .select({ at: auditEntries.at })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.subject, accountId),
        eq(auditEntries.action, 'takeover_suspected'),
        gt(auditEntries.at, since),
      ),
    )
    .orderBy(desc(auditEntries.id))
    .limit(1)
  const recipients = foundEvents
    .filter((change) => earlierAlarm === undefined || change.at > earlierAlarm.at)
    .map(({ formerEmail }) => formerEmail)
  if (earlierAlarm === undefined) {
    ctx.logger.error({ accountId }, 'second factor removed and email changed within an hour: possible takeover')
    await recordAudit(tx, { ...watch, action: 'takeover_suspected', subject: accountId, at })
    recipients.push(...(await listLinkedEmails(tx, accountId)), ...(await listStaffEmails(tx, accountId)))
  }
  const addresses = new Set(recipients.filter((to) => to !== null))
  for (const to of addresses) await ctx.sendMail(tx, takeoverMail(to, { accountId, at }, ctx.config.http.publicUrl))
}

/** Returns the verified addresses of all staff except the given account. */
async function listStaffEmails(tx: Tx, exceptId: string): Promise<(string | null)[]> {
  const staff = await tx
    .select({ email: accounts.email })
    .from(accounts)
    .where(
      and(
        ne(accounts.role, 'user'),
        isNull(accounts.suspendedAt),
        isNotNull(accounts.emailVerifiedAt),
        ne(accounts.id, exceptId),
      ),
    )
  return staff.map(({ email }) => email)
}

/**
 * Returns the alarms since a time about accounts that are not suspended, newest first, at most
 * five.
 */
export async function listTakeoverAlarms(tx: Queryable, since: Date): Promise<{ accountId: string; at: Date }[]> {
  return tx
    .select({ accountId: accounts.id, at: sql<Date>`max(${auditEntries.at})`.mapWith(auditEntries.at) })
    .from(auditEntries)
    .innerJoin(accounts, eq(sql`${accounts.id}::text`, auditEntries.subject))
    .where(and(eq(auditEntries.action, 'takeover_suspected'), gt(auditEntries.at, since), isNull(accounts.suspendedAt)))
    .groupBy(accounts.id)
    .orderBy(desc(sql`max(${auditEntries.at})`))
    .limit(5)
}
