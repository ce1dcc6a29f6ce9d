import { and, eq, gt, lte } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { accounts, activities } from '../../db/schema/accounts.ts'
import { alertShares } from '../../db/schema/alerts.ts'
import { hasFactorCondition } from '../sessions/factor-condition.ts'

/** Finds a token and the account that created it. */
export async function findShare(tx: Queryable, tokenHash: string) {
  const [row] = await tx
    .select({
      logIndex: alertShares.logIndex,
      createdAt: alertShares.createdAt,
      accountId: accounts.id,
      role: accounts.role,
      email: accounts.email,
      hasFactor: hasFactorCondition,
      suspendedAt: accounts.suspendedAt,
    })
    .from(alertShares)
    .innerJoin(accounts, eq(accounts.id, alertShares.accountId))
    .where(eq(alertShares.tokenHash, tokenHash))
  return row ?? null
}

/**
 * Counts the tokens that the account has created, including ended ones. Callers must hold the lock
 * on the account, so that tokens of concurrent requests are counted.
 */
export function countSharesSince(tx: Tx, accountId: string, since: Date): Promise<number> {
  const isShare = and(eq(activities.accountId, accountId), eq(activities.kind, 'alert_shared'))
  return tx.$count(activities, and(isShare, gt(activities.at, since)))
}

export async function insertShare(tx: Tx, share: typeof alertShares.$inferInsert): Promise<void> {
  await tx.insert(alertShares).values(share)
}

/** Deletes tokens of the account that were created at or before `until`. */
export async function deleteSharesUntil(tx: Tx, accountId: string, until: Date): Promise<void> {
  await tx.delete(alertShares).where(and(eq(alertShares.accountId, accountId), lte(alertShares.createdAt, until)))
}

export async function deleteShares(tx: Tx, accountId: string): Promise<void> {
  await tx.delete(alertShares).where(eq(alertShares.accountId, accountId))
}

/** @returns the number of deleted tokens */
export async function deleteSharesOf(tx: Tx, accountId: string, logIndex: number): Promise<number> {
  const rows = await tx
    .delete(alertShares)
    .where(and(eq(alertShares.accountId, accountId), eq(alertShares.logIndex, logIndex)))
    .returning({ logIndex: alertShares.logIndex })
  return rows.length
}

/** Returns the account's tokens, oldest first, without the hashes. */
export function listShares(tx: Queryable, accountId: string) {
  return tx
    .select({ logIndex: alertShares.logIndex, createdAt: alertShares.createdAt })
    .from(alertShares)
    .where(eq(alertShares.accountId, accountId))
    .orderBy(alertShares.createdAt)
}
