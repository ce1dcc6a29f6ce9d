import { and, asc, eq, isNull, max, or } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { collections } from '../../db/schema.ts'

export type CollectionRow = typeof collections.$inferSelect
type NewCollection = typeof collections.$inferInsert
type Outcome = NonNullable<CollectionRow['outcome']>

/** Those of a chain that are not settled for good, in the order in which they have to be mined. */
export function listRunning(tx: Queryable, chainId: number): Promise<CollectionRow[]> {
  return tx
    .select()
    .from(collections)
    .where(and(eq(collections.chainId, chainId), isNull(collections.endedAt)))
    .orderBy(asc(collections.nonce))
}

/** Whether one is under way, or has ever brought the amount: then there is nothing to collect. */
export async function isCollected(tx: Queryable, orderId: string): Promise<boolean> {
  const counts = or(isNull(collections.endedAt), eq(collections.outcome, 'collected'))
  return (await tx.$count(collections, and(eq(collections.orderId, orderId), counts))) > 0
}

export async function findHighestNonce(tx: Queryable, chainId: number): Promise<number | null> {
  const isRunning = and(eq(collections.chainId, chainId), isNull(collections.endedAt))
  const [row] = await tx
    .select({ nonce: max(collections.nonce) })
    .from(collections)
    .where(isRunning)
  return row?.nonce ?? null
}

/** @throws where another one is under way for the same order */
export async function insertCollection(tx: Queryable, collection: NewCollection): Promise<CollectionRow> {
  const [row] = await tx.insert(collections).values(collection).returning()
  if (!row) throw new Error('The collecting transaction was not stored')
  return row
}

/** The same with a higher fee. What was signed before may still be the one that is mined. */
export async function replaceSigned(
  tx: Queryable,
  { id, txHash: before, earlierHashes }: CollectionRow,
  change: Pick<CollectionRow, 'txHash' | 'signed'> & { signedAt: Date },
): Promise<CollectionRow> {
  const [row] = await tx
    .update(collections)
    .set({ ...change, earlierHashes: [...earlierHashes, before] })
    .where(eq(collections.id, id))
    .returning()
  if (!row) throw new Error('The collecting transaction is not on record')
  return row
}

export async function endCollection(tx: Queryable, id: string, outcome: Outcome, now: Date): Promise<void> {
  await tx.update(collections).set({ outcome, endedAt: now }).where(eq(collections.id, id))
}
