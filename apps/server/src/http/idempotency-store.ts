import { and, eq, gte, isNull, lt, sql } from 'drizzle-orm'
import type { Queryable } from '../db/database.ts'
import { idempotentAnswers } from '../db/schema/server.ts'

/** A key of a caller. Two callers can use the same key. */
export interface CallerKey {
  caller: string
  key: string
}

type Row = typeof idempotentAnswers.$inferSelect

export async function findResponse(db: Queryable, { caller, key }: CallerKey, notBefore: Date): Promise<Row | null> {
  const [row] = await db
    .select()
    .from(idempotentAnswers)
    .where(
      and(
        eq(idempotentAnswers.caller, caller),
        eq(idempotentAnswers.key, key),
        gte(idempotentAnswers.createdAt, notBefore),
      ),
    )
  return row ?? null
}

/**
 * Claims a key: inserts its row, or replaces an expired one. Waits for a concurrent transaction
 * that inserts the same key.
 * @returns false if another request holds the key
 */
export async function claimKey(tx: Queryable, row: Row, expiredBefore: Date): Promise<boolean> {
  const { request, answer, runsUntil, createdAt } = row
  const claimedRows = await tx
    .insert(idempotentAnswers)
    .values(row)
    .onConflictDoUpdate({
      target: [idempotentAnswers.caller, idempotentAnswers.key],
      set: { request, answer, runsUntil, createdAt },
      setWhere: sql`${idempotentAnswers.createdAt} < ${expiredBefore}
        or (${idempotentAnswers.answer} is null and ${idempotentAnswers.runsUntil} < ${createdAt})`,
    })
    .returning({ key: idempotentAnswers.key })
  return claimedRows.length > 0
}

/**
 * A claim of a key by one request. `createdAt` is its fencing token: `claimKey` replaces a claim
 * only after its lease or lifetime, so each later claim has a later time.
 */
export type HeldKey = Pick<Row, 'caller' | 'key' | 'createdAt'>

const isHeld = ({ caller, key, createdAt }: HeldKey) =>
  and(eq(idempotentAnswers.caller, caller), eq(idempotentAnswers.key, key), eq(idempotentAnswers.createdAt, createdAt))

/** Stores the response of the claim, unless another request has taken the claim over. */
export async function updateResponse(tx: Queryable, heldKey: HeldKey, response: string): Promise<void> {
  await tx.update(idempotentAnswers).set({ answer: response }).where(isHeld(heldKey))
}

/** Deletes the claim, unless another request has taken the claim over. */
export async function releaseKey(db: Queryable, heldKey: HeldKey): Promise<void> {
  await db.delete(idempotentAnswers).where(and(isHeld(heldKey), isNull(idempotentAnswers.answer)))
}

export async function countKeys(db: Queryable, caller: string): Promise<number> {
  return db.$count(idempotentAnswers, eq(idempotentAnswers.caller, caller))
}

export async function deleteResponsesOf(tx: Queryable, accountId: string): Promise<void> {
  await tx.delete(idempotentAnswers).where(eq(idempotentAnswers.caller, accountId))
}

export async function deleteResponsesBefore(db: Queryable, cutoff: Date): Promise<void> {
  await db.delete(idempotentAnswers).where(lt(idempotentAnswers.createdAt, cutoff))
}
