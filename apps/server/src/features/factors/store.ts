import { and, asc, eq, isNotNull, lt } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { passkeys, recoveryCodes, totpFactors } from '../../db/schema/factors.ts'

export type TotpFactor = typeof totpFactors.$inferSelect
export type PasskeyRow = typeof passkeys.$inferSelect

export async function findTotp(tx: Queryable, accountId: string): Promise<TotpFactor | undefined> {
  const [row] = await tx.select().from(totpFactors).where(eq(totpFactors.accountId, accountId))
  return row
}

/** Replaces an enrolment that was not finished. Callers must have locked the account. */
export async function saveEnrolment(
  tx: Tx,
  enrolment: Pick<TotpFactor, 'accountId' | 'sealedSecret' | 'sessionId' | 'createdAt'>,
): Promise<void> {
  await tx
    .insert(totpFactors)
    .values(enrolment)
    .onConflictDoUpdate({ target: totpFactors.accountId, set: { ...enrolment, lastStep: 0 } })
}

export async function confirmEnrolment(
  tx: Tx,
  accountId: string,
  confirmed: { step: number; at: Date },
): Promise<void> {
  const { step, at } = confirmed
  await tx
    .update(totpFactors)
    .set({ confirmedAt: at, lastStep: step, lastUsedAt: at })
    .where(eq(totpFactors.accountId, accountId))
}

/** Returns false if a code of this or a later time step was accepted before. */
export async function consumeStep(tx: Queryable, accountId: string, step: number, now: Date): Promise<boolean> {
  const rows = await tx
    .update(totpFactors)
    .set({ lastStep: step, lastUsedAt: now })
    .where(
      and(eq(totpFactors.accountId, accountId), isNotNull(totpFactors.confirmedAt), lt(totpFactors.lastStep, step)),
    )
    .returning({ accountId: totpFactors.accountId })
  return rows.length > 0
}

/** Returns false if the account has no authenticator app. */
export async function deleteTotp(tx: Queryable, accountId: string): Promise<boolean> {
  const rows = await tx.delete(totpFactors).where(eq(totpFactors.accountId, accountId)).returning()
  return rows.some(({ confirmedAt }) => confirmedAt !== null)
}

export function listSealedTotp(tx: Queryable) {
  return tx.select({ accountId: totpFactors.accountId, sealed: totpFactors.sealedSecret }).from(totpFactors)
}

export async function updateSealedTotp(tx: Queryable, accountId: string, sealedSecret: string): Promise<void> {
  await tx.update(totpFactors).set({ sealedSecret }).where(eq(totpFactors.accountId, accountId))
}

export function listRecoveryCodes(tx: Queryable, accountId: string) {
  return tx.select().from(recoveryCodes).where(eq(recoveryCodes.accountId, accountId))
}

export async function replaceRecoveryCodes(
  tx: Tx,
  accountId: string,
  codes: readonly { codeHash: string; salt: Uint8Array }[],
  createdAt: Date,
): Promise<void> {
  await deleteRecoveryCodes(tx, accountId)
  await tx.insert(recoveryCodes).values(codes.map((code) => ({ ...code, accountId, createdAt })))
}

export async function deleteRecoveryCodes(tx: Queryable, accountId: string): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId))
}

/** Only one of several concurrent calls returns true. */
export async function consumeRecoveryCode(tx: Queryable, id: string): Promise<boolean> {
  const rows = await tx.delete(recoveryCodes).where(eq(recoveryCodes.id, id)).returning({ id: recoveryCodes.id })
  return rows.length > 0
}

/** Oldest first. */
export function listPasskeys(tx: Queryable, accountId: string): Promise<PasskeyRow[]> {
  return tx.select().from(passkeys).where(eq(passkeys.accountId, accountId)).orderBy(asc(passkeys.createdAt))
}
