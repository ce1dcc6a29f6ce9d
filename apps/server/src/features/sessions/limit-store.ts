import { and, eq, inArray, lt } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { credentialLimits } from '../../db/schema/accounts.ts'
import type { LimitState } from './credential-limit.ts'

/** Creates the subject's counter if it does not exist, and locks it until the transaction ends. */
export async function lockLimit(tx: Queryable, subject: string, initial: LimitState): Promise<LimitState> {
  const [row] = await tx
    .insert(credentialLimits)
    .values({ subject, ...initial })
    .onConflictDoUpdate({ target: credentialLimits.subject, set: { subject } })
    .returning()
  if (!row) throw new Error('An upsert returned no row')
  return row
}

export async function updateLimit(tx: Queryable, subject: string, state: LimitState): Promise<void> {
  const { tries, windowEndsAt, blockedUntil } = state
  await tx
    .update(credentialLimits)
    .set({ tries, windowEndsAt, blockedUntil })
    .where(eq(credentialLimits.subject, subject))
}

/**
 * Deletes counters that no longer limit anything. Skips locked ones, because a request locks
 * several counters in another order, so waiting for them could deadlock.
 */
export async function deleteLimitsEndedBefore(tx: Queryable, now: Date): Promise<void> {
  const endedLimits = tx
    .select({ subject: credentialLimits.subject })
    .from(credentialLimits)
    .where(and(lt(credentialLimits.windowEndsAt, now), lt(credentialLimits.blockedUntil, now)))
    .for('update', { skipLocked: true })
  await tx.delete(credentialLimits).where(inArray(credentialLimits.subject, endedLimits))
}
