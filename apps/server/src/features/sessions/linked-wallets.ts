import { asc, eq, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { wallets } from '../../db/schema/wallets.ts'

type LinkedWallet = Omit<typeof wallets.$inferSelect, 'chainId'>

/** Returns the linked addresses, each once, in the order of linking. */
export async function listAddresses(tx: Queryable, accountId: string): Promise<string[]> {
  return (await listWalletsOf(tx, accountId)).map(({ address }) => address)
}

/** Returns the linked wallets. Each address is listed once, oldest first. */
export async function listWalletsOf(tx: Queryable, accountId: string): Promise<LinkedWallet[]> {
  return tx
    .select({
      address: wallets.address,
      accountId: wallets.accountId,
      linkedAt: sql`min(${wallets.linkedAt})`.mapWith(wallets.linkedAt),
    })
    .from(wallets)
    .where(eq(wallets.accountId, accountId))
    .groupBy(wallets.address, wallets.accountId)
    .orderBy(sql`min(${wallets.linkedAt})`, asc(wallets.address))
}
