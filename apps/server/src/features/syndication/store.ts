import { eq } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { privateFeeds } from '../../db/schema/channels.ts'

export type PrivateFeedRow = typeof privateFeeds.$inferSelect

export async function findPrivateFeed(tx: Queryable, accountId: string): Promise<PrivateFeedRow | undefined> {
  const [row] = await tx.select().from(privateFeeds).where(eq(privateFeeds.accountId, accountId))
  return row
}

export async function findBySecret(tx: Queryable, secretHash: string) {
  const [row] = await tx
    .select({
      accountId: privateFeeds.accountId,
      lastReadAt: privateFeeds.lastReadAt,
      suspendedAt: accounts.suspendedAt,
    })
    .from(privateFeeds)
    .innerJoin(accounts, eq(accounts.id, privateFeeds.accountId))
    .where(eq(privateFeeds.secretHash, secretHash))
  return row
}

/** Stores the private feed. Callers must hold the lock on the account. */
export async function upsertPrivateFeed(
  tx: Tx,
  { accountId, ...values }: Pick<PrivateFeedRow, 'accountId' | 'secretHash' | 'createdAt'>,
): Promise<PrivateFeedRow> {
  const set = { ...values, lastReadAt: null }
  const [row] = await tx
    .insert(privateFeeds)
    .values({ accountId, ...set })
    .onConflictDoUpdate({ target: privateFeeds.accountId, set })
    .returning()
  if (!row) throw new Error('The private feed was not stored')
  return row
}

/** @returns false if the account had no private feed */
export async function deletePrivateFeed(tx: Tx, accountId: string): Promise<boolean> {
  const rows = await tx
    .delete(privateFeeds)
    .where(eq(privateFeeds.accountId, accountId))
    .returning({ accountId: privateFeeds.accountId })
  return rows.length > 0
}

export async function updateLastRead(tx: Queryable, accountId: string, lastReadAt: Date): Promise<void> {
  await tx.update(privateFeeds).set({ lastReadAt }).where(eq(privateFeeds.accountId, accountId))
}
