import { and, desc, eq, isNull, lt, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { pendingSignUps } from '../../db/schema/accounts.ts'

export type PendingSignUp = typeof pendingSignUps.$inferSelect

/**
 * Namespace of two-key advisory locks. They do not collide with the one-key locks of leader
 * election.
 */
const ADDRESS_LOCK_NAMESPACE = 3

/**
 * Serializes transactions that assign the address to an account or a pending sign-up. Take this
 * lock before locking any account row: the other order could deadlock.
 */
export async function lockAddress(tx: Queryable, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADDRESS_LOCK_NAMESPACE}::int, hashtext(${email}))`)
}

export async function insertSignUp(tx: Queryable, signUp: PendingSignUp): Promise<void> {
  await tx.insert(pendingSignUps).values(signUp)
}

export async function findSignUp(tx: Queryable, tokenHash: string): Promise<PendingSignUp | undefined> {
  const [signUp] = await tx.select().from(pendingSignUps).where(eq(pendingSignUps.tokenHash, tokenHash))
  return signUp
}

/** Returns sign-ups that have not expired, including void ones, newest first. */
export async function listSignUps(tx: Queryable, email: string, now: Date): Promise<PendingSignUp[]> {
  return (await listStoredSignUps(tx, email)).filter(({ expiresAt }) => expiresAt > now)
}

/** Returns all stored sign-ups, including expired ones that are not deleted yet. */
export async function listStoredSignUps(tx: Queryable, email: string): Promise<PendingSignUp[]> {
  return tx
    .select()
    .from(pendingSignUps)
    .where(eq(pendingSignUps.email, email))
    .orderBy(desc(pendingSignUps.createdAt), pendingSignUps.tokenHash)
}

export async function deleteSignUp(tx: Queryable, tokenHash: string): Promise<void> {
  await tx.delete(pendingSignUps).where(eq(pendingSignUps.tokenHash, tokenHash))
}

/** Voids the sign-ups of the address: their links no longer create an account. */
export async function voidSignUps(tx: Queryable, email: string, at: Date): Promise<void> {
  await tx
    .update(pendingSignUps)
    .set({ voidedAt: at })
    .where(and(eq(pendingSignUps.email, email), isNull(pendingSignUps.voidedAt)))
}

export async function deleteSignUpsExpiredBefore(tx: Queryable, time: Date): Promise<void> {
  await tx.delete(pendingSignUps).where(lt(pendingSignUps.expiresAt, time))
}
