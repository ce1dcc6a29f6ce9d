import type { Address } from '@tocsin/proof'
import type { OrderPath } from '@tocsin/protocol'
import { and, asc, eq, getTableColumns, gt, isNull, max, or } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { collections, orders } from '../../db/schema/payments.ts'

export type CollectionRow = typeof collections.$inferSelect
/**
 * A collection with the terms of its order. Its transaction was signed with the key of the order's
 * treasury: no other key collects the order.
 */
export type RunningCollection = CollectionRow & Pick<typeof orders.$inferSelect, 'token' | 'treasury'>
type NewCollection = typeof collections.$inferInsert
type Outcome = NonNullable<CollectionRow['outcome']>

/** Unfinished collections of a chain, in nonce order. */
export function listRunning(tx: Queryable, chainId: number): Promise<RunningCollection[]> {
  return tx
    .select({ ...getTableColumns(collections), token: orders.token, treasury: orders.treasury })
    .from(collections)
    .innerJoin(orders, eq(orders.id, collections.orderId))
    .where(and(eq(collections.chainId, chainId), isNull(collections.endedAt)))
    .orderBy(asc(collections.nonce))
}

/** True if the amount of this order has already been collected. */
export async function isCollected(tx: Queryable, orderId: string): Promise<boolean> {
  return (await tx.$count(collections, and(eq(collections.orderId, orderId), eq(collections.outcome, 'collected')))) > 0
}

interface Buyer {
  accountId: string
  chainId: number
  payer: Address
  treasury: Address
  path: OrderPath
}

/**
 * Returns true if a collecting transaction is in flight for any order of the account, or from the
 * wallet on that chain. The server cannot replace a transaction if its key or its chain was removed
 * from the settings. Such a transaction may never be mined and must not lock the buyer out forever,
 * so it counts only until the watch period of its order ends. If it is mined later, it is credited
 * or listed as late.
 */
export async function isCollecting(
  tx: Queryable,
  { accountId, chainId, payer, treasury, path }: Buyer,
  now: Date,
): Promise<boolean> {
  const isOfBuyer = or(eq(orders.accountId, accountId), and(eq(orders.chainId, chainId), eq(orders.payer, payer)))
  const isReplaceable = path === 'approve' ? and(eq(orders.chainId, chainId), eq(orders.treasury, treasury)) : undefined
  const rows = await tx
    .select({ id: collections.id })
    .from(collections)
    .innerJoin(orders, eq(orders.id, collections.orderId))
    .where(and(isNull(collections.endedAt), isOfBuyer, or(gt(orders.watchedUntil, now), isReplaceable)))
    .limit(1)
  return rows.length > 0
}

/** True if a collecting transaction is in flight for this order. */
export async function isCollectingFor(tx: Queryable, orderId: string): Promise<boolean> {
  return (await tx.$count(collections, and(eq(collections.orderId, orderId), isNull(collections.endedAt)))) > 0
}

/** Returns the highest nonce of the treasury's unfinished collections. */
export async function findHighestNonce(
  tx: Queryable,
  { chainId, treasury }: Pick<Buyer, 'chainId' | 'treasury'>,
): Promise<number | null> {
  const [row] = await tx
    .select({ nonce: max(collections.nonce) })
    .from(collections)
    .innerJoin(orders, eq(orders.id, collections.orderId))
    .where(and(eq(collections.chainId, chainId), isNull(collections.endedAt), eq(orders.treasury, treasury)))
  return row?.nonce ?? null
}

/** @throws if another collection is in flight for the same order */
export async function insertCollection(tx: Queryable, collection: NewCollection): Promise<CollectionRow> {
  const [row] = await tx.insert(collections).values(collection).returning()
  if (!row) throw new Error('The collecting transaction was not stored')
  return row
}

/**
 * Replaces the signed transaction with another one that has the same nonce. The previous one may
 * still be mined.
 */
export async function replaceSigned(
  tx: Queryable,
  { id, txHash: previousHash, earlierHashes }: CollectionRow,
  change: Pick<CollectionRow, 'txHash' | 'signed'> & { signedAt: Date },
): Promise<CollectionRow> {
  const [row] = await tx
    .update(collections)
    .set({ ...change, earlierHashes: [...earlierHashes, previousHash] })
    // Another instance may have raised the fee in the meantime, and its transaction must not be
    // overwritten.
    .where(and(eq(collections.id, id), eq(collections.txHash, previousHash)))
    .returning()
  if (!row) throw new Error('The collecting transaction was not found')
  return row
}

export async function endCollection(tx: Queryable, id: string, outcome: Outcome, now: Date): Promise<void> {
  await tx.update(collections).set({ outcome, endedAt: now }).where(eq(collections.id, id))
}
