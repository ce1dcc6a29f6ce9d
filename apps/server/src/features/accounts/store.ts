import type { Activity } from '@tocsin/protocol'
import { and, desc, eq, getTableColumns, gt, inArray, isNull, lt, lte, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { activities, mailTokens } from '../../db/schema/accounts.ts'
import { payments } from '../../db/schema/payments.ts'

export type MailToken = typeof mailTokens.$inferSelect
/** `chainId` is set if the reference is the transaction of a payment. */
export type ActivityRow = typeof activities.$inferSelect & { chainId: number | null }

// ── emailed tokens ──────────────────────────────────────────────────────────────────────────────

export async function insertMailToken(tx: Queryable, token: Omit<MailToken, 'usedAt'>): Promise<void> {
  await tx.insert(mailTokens).values(token)
}

export async function findMailToken(
  tx: Queryable,
  tokenHash: string,
  purpose: MailToken['purpose'],
): Promise<MailToken | undefined> {
  const [token] = await tx
    .select()
    .from(mailTokens)
    .where(and(eq(mailTokens.tokenHash, tokenHash), eq(mailTokens.purpose, purpose)))
  return token
}

/** Consumes the token if it is valid. Only one of several concurrent calls gets the token. */
export async function consumeMailToken(
  tx: Queryable,
  tokenHash: string,
  purpose: MailToken['purpose'],
  now: Date,
): Promise<MailToken | undefined> {
  const [token] = await tx
    .update(mailTokens)
    .set({ usedAt: now })
    .where(
      and(
        eq(mailTokens.tokenHash, tokenHash),
        eq(mailTokens.purpose, purpose),
        isNull(mailTokens.usedAt),
        gt(mailTokens.expiresAt, now),
      ),
    )
    .returning()
  return token
}

/**
 * Sets the expiry of an unused token to `lifetimeMs` after `now`. Returns false if an earlier call
 * did so: the token then expires more than `lifetimeMs` after its creation.
 */
export async function startLifetime(db: Queryable, tokenHash: string, lifetimeMs: number, now: Date): Promise<boolean> {
  const lifetime = sql`make_interval(secs => ${lifetimeMs / 1_000}::float8)`
  const { rowCount } = await db
    .update(mailTokens)
    .set({
      expiresAt: sql`greatest(${now.toISOString()}::timestamptz, ${mailTokens.createdAt} + interval '1 ms') + ${lifetime}`,
    })
    .where(
      and(
        eq(mailTokens.tokenHash, tokenHash),
        isNull(mailTokens.usedAt),
        lte(mailTokens.expiresAt, sql`${mailTokens.createdAt} + ${lifetime}`),
      ),
    )
  return rowCount === 1
}

/** Undoes `startLifetime`. */
export async function restoreLifetime(db: Queryable, tokenHash: string, lifetimeMs: number): Promise<void> {
  const lifetime = sql`make_interval(secs => ${lifetimeMs / 1_000}::float8)`
  await db
    .update(mailTokens)
    .set({ expiresAt: sql`${mailTokens.createdAt} + ${lifetime}` })
    .where(and(eq(mailTokens.tokenHash, tokenHash), isNull(mailTokens.usedAt)))
}

export async function isTokenValid(db: Queryable, tokenHash: string, now: Date): Promise<boolean> {
  const found = await db
    .select({ tokenHash: mailTokens.tokenHash })
    .from(mailTokens)
    .where(and(eq(mailTokens.tokenHash, tokenHash), isNull(mailTokens.usedAt), gt(mailTokens.expiresAt, now)))
  return found.length > 0
}

/** Invalidates all unused emailed links of the account, or those of one purpose. */
export async function endMailTokens(
  tx: Queryable,
  accountId: string,
  now: Date,
  purpose?: MailToken['purpose'],
): Promise<void> {
  const isOfPurpose = purpose && eq(mailTokens.purpose, purpose)
  await tx
    .update(mailTokens)
    .set({ usedAt: now })
    .where(and(eq(mailTokens.accountId, accountId), isNull(mailTokens.usedAt), isOfPurpose))
}

/** Returns the address of a pending email change whose link is still valid, or null. */
export async function findPendingEmail(tx: Queryable, accountId: string, now: Date): Promise<string | null> {
  const [token] = await tx
    .select({ email: mailTokens.email })
    .from(mailTokens)
    .where(
      and(
        eq(mailTokens.accountId, accountId),
        eq(mailTokens.purpose, 'change-email'),
        isNull(mailTokens.usedAt),
        gt(mailTokens.expiresAt, now),
      ),
    )
  return token?.email ?? null
}

export async function deleteMailTokensExpiredBefore(tx: Queryable, time: Date): Promise<void> {
  await tx.delete(mailTokens).where(lt(mailTokens.expiresAt, time))
}

// ── activity ────────────────────────────────────────────────────────────────────────────────────

interface ActivityPage {
  kinds?: readonly Activity['kind'][] | undefined
  beforeId?: number | undefined
  limit: number
}

/** Returns a page of activities, newest first. */
export async function listActivities(
  tx: Queryable,
  accountId: string,
  { kinds, beforeId, limit }: ActivityPage,
): Promise<ActivityRow[]> {
  const chainId = tx
    .select({ chainId: payments.chainId })
    .from(payments)
    .where(and(eq(payments.accountId, activities.accountId), eq(payments.txHash, activities.reference)))
    .limit(1)
  return tx
    .select({ ...getTableColumns(activities), chainId: sql<number | null>`(${chainId})` })
    .from(activities)
    .where(
      and(
        eq(activities.accountId, accountId),
        kinds && inArray(activities.kind, [...kinds]),
        beforeId === undefined ? undefined : lt(activities.id, beforeId),
      ),
    )
    .orderBy(desc(activities.id))
    .limit(limit)
}
