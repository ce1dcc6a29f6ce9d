import { and, asc, eq, inArray, lte, or, sql } from 'drizzle-orm'
import { listConfiguredChains } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
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

/**
 * Counts the wallets that can sign in to the account. A contract wallet cannot while no node of its
 * chain is configured, because its signature cannot be checked.
 */
export async function countUsableWallets(
  { config }: Pick<Context, 'config'>,
  tx: Queryable,
  accountId: string,
): Promise<number> {
  const configuredChainIds = listConfiguredChains(config).map(({ chainId }) => chainId)
  // Only contract wallets have a positive chain id.
  const isUsable = or(lte(wallets.chainId, 0), inArray(wallets.chainId, configuredChainIds))
  return tx.$count(wallets, and(eq(wallets.accountId, accountId), isUsable))
}
