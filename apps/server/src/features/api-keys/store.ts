import { and, desc, eq, getTableColumns } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { apiKeys } from '../../db/schema/api-keys.ts'

export type ApiKeyRow = typeof apiKeys.$inferSelect

export async function findByHash(tx: Queryable, keyHash: string) {
  const [row] = await tx
    .select({ ...getTableColumns(apiKeys), suspendedAt: accounts.suspendedAt })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.keyHash, keyHash))
  return row
}

export async function findById(tx: Queryable, id: string) {
  const [row] = await tx
    .select({ accountId: apiKeys.accountId, expiresAt: apiKeys.expiresAt, suspendedAt: accounts.suspendedAt })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.id, id))
  return row
}

/** Returns the keys of the account, newest first. */
export function listApiKeys(tx: Queryable, accountId: string): Promise<ApiKeyRow[]> {
  return tx.select().from(apiKeys).where(eq(apiKeys.accountId, accountId)).orderBy(desc(apiKeys.createdAt))
}

export async function insertApiKey(tx: Tx, row: typeof apiKeys.$inferInsert): Promise<ApiKeyRow> {
  const [insertedKey] = await tx.insert(apiKeys).values(row).returning()
  if (!insertedKey) throw new Error('The API key was not inserted')
  return insertedKey
}

export async function updateLastUsed(tx: Queryable, id: string, lastUsedAt: Date): Promise<void> {
  await tx.update(apiKeys).set({ lastUsedAt }).where(eq(apiKeys.id, id))
}

/** Returns undefined if the account has no such key. */
export async function deleteApiKey(tx: Tx, accountId: string, id: string): Promise<ApiKeyRow | undefined> {
  const [deletedKey] = await tx
    .delete(apiKeys)
    .where(and(eq(apiKeys.id, id), eq(apiKeys.accountId, accountId)))
    .returning()
  return deletedKey
}

export function deleteApiKeysOf(tx: Tx, accountId: string): Promise<ApiKeyRow[]> {
  return tx.delete(apiKeys).where(eq(apiKeys.accountId, accountId)).returning()
}
