import type { StaffRole } from '@tocsin/protocol'
import { inArray, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { auditEntries } from '../../db/schema/audit.ts'
import { findSetting } from '../../db/setting.ts'
import { FIRST_ADMIN_LINK } from './first-admin.ts'

/** A member of staff whose account has access that was added before the promotion. */
export interface EarlierAccess {
  accountId: string
  /** Null if the account has no address. */
  email: string | null
  role: StaffRole
  promotedAt: Date
  /**
   * Kinds of access that are older than the promotion, such as "passkey" or "API key", without
   * duplicates.
   */
  ways: string[]
}

interface AccessRow extends Record<string, unknown> {
  accountId: string
  email: string | null
  role: StaffRole
  accountCreatedAt: string
  way: string
  createdAt: string
}

/**
 * Returns staff whose factors, API keys or private feed are older than their promotion. Earlier
 * versions did not remove these at a promotion, and an intruder may have added them. Promotions are
 * read from the audit log and from the use of the setup link. A promotion by ADMIN_PASSWORD has no
 * record and is not noticed.
 */
export async function listEarlierAccess(db: Queryable): Promise<EarlierAccess[]> {
  const { rows } = await db.execute<AccessRow>(sql`
    select id as "accountId", email, role, accounts.created_at as "accountCreatedAt", way, ways.created_at as "createdAt"
    from accounts cross join lateral (
      select 'passkey' as way, created_at from passkeys where account_id = accounts.id
      union all
      select 'authenticator app', created_at from totp_factors where account_id = accounts.id and confirmed_at is not null
      union all
      select 'recovery codes', created_at from recovery_codes where account_id = accounts.id
      union all
      select 'API key', created_at from api_keys where account_id = accounts.id
      union all
      select 'private feed', created_at from private_feeds where account_id = accounts.id
    ) ways
    where role <> 'user' order by email, id`)
  if (rows.length === 0) return []
  const ids = [...new Set(rows.map(({ accountId }) => accountId))]
  const [promotedAtByAccount, linkUsedAt] = await Promise.all([readPromotions(db, ids), findLinkUse(db)])
  return ids.flatMap((id): EarlierAccess[] => {
    const accountRows = rows.filter(({ accountId }) => accountId === id)
    const [first] = accountRows
    if (!first) return []
    const byLink = linkUsedAt !== null && new Date(first.accountCreatedAt) < linkUsedAt ? linkUsedAt : null
    const promotedAt = promotedAtByAccount.has(id) ? promotedAtByAccount.get(id) : byLink
    if (!promotedAt) return []
    const ways = accountRows.flatMap(({ way, createdAt }) => (new Date(createdAt) < promotedAt ? [way] : []))
    if (ways.length === 0) return []
    const { accountId, email, role } = first
    return [{ accountId, email, role, promotedAt, ways: [...new Set(ways)] }]
  })
}

const roleChangeDetail = z.object({ from: z.string(), to: z.string() })
const creationDetail = z.object({ existing: z.boolean() })

/** Returns when each account last became staff, or null if it was created as staff. */
async function readPromotions(db: Queryable, ids: string[]): Promise<Map<string, Date | null>> {
  const entries = await db
    .select()
    .from(auditEntries)
    .where(
      sql`${inArray(auditEntries.subject, ids)} and ${inArray(auditEntries.action, ['role_changed', 'admin_created'])}`,
    )
    .orderBy(auditEntries.id)
  const promotedAtByAccount = new Map<string, Date | null>()
  const isStaffByAccount = new Map<string, boolean>()
  for (const { subject, action, detail, at } of entries) {
    if (subject === null) continue
    if (action === 'admin_created') {
      const isPromotion = creationDetail.safeParse(detail).data?.existing === true && !isStaffByAccount.get(subject)
      if (isPromotion || !promotedAtByAccount.has(subject)) promotedAtByAccount.set(subject, isPromotion ? at : null)
      isStaffByAccount.set(subject, true)
      continue
    }
    const change = roleChangeDetail.safeParse(detail).data
    if (!change) continue
    if (change.from === 'user') promotedAtByAccount.set(subject, at)
    isStaffByAccount.set(subject, change.to !== 'user')
  }
  return promotedAtByAccount
}

async function findLinkUse(db: Queryable): Promise<Date | null> {
  const parsedUse = z.object({ usedAt: z.coerce.date() }).safeParse((await findSetting(db, FIRST_ADMIN_LINK))?.value)
  return parsedUse.data?.usedAt ?? null
}

/** At server start, logs a warning for each account that `listEarlierAccess` returns. */
export async function warnOfEarlierAccess(ctx: Context): Promise<void> {
  for (const { accountId, role, ways } of await listEarlierAccess(ctx.db)) {
    ctx.logger.warn(
      { accountId, role, ways },
      'a member of staff has access from before the promotion; tocsin doctor describes how to end it',
    )
  }
}
