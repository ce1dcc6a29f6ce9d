import { and, asc, eq, isNotNull, lt } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { passkeys, recoveryCodes, totpFactors } from '../../db/schema/factors.ts'

export type TotpFactor = typeof totpFactors.$inferSelect
export type PasskeyRow = typeof passkeys.$inferSelect

export async function findTotp(tx: Queryable, accountId: string): Promise<TotpFactor | undefined> {
  const [row] = await tx.select().from(totpFactors).where(eq(totpFactors.accountId, accountId))
  return row
}

/**
 * Stores an enrolment. Replaces an enrolment that was not finished. Callers must have locked the
 * account.
 */
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
  confirmation: { step: number; at: Date },
): Promise<void> {
  const { step, at } = confirmation
  await tx
    .update(totpFactors)
    .set({ confirmedAt: at, lastStep: step, lastUsedAt: at })
    .where(eq(totpFactors.accountId, accountId))
}

/**
 * Records the time step of a code. Returns false if a code of this or a later step was accepted
 * before.
 */
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

/**
 * Replaces the stored secret `formerSealed`. Does nothing if the stored secret was changed after
 * `formerSealed` was read.
 */
export async function updateSealedTotp(
  tx: Queryable,
  accountId: string,
  formerSealed: string,
  sealedSecret: string,
): Promise<void> {
  await tx
    .update(totpFactors)
    .set({ sealedSecret })
    .where(and(eq(totpFactors.accountId, accountId), eq(totpFactors.sealedSecret, formerSealed)))
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

export async function deleteAllFactors(tx: Queryable, accountId: string): Promise<void> {
  await deleteTotp(tx, accountId)
  await tx.delete(passkeys).where(eq(passkeys.accountId, accountId))
  await deleteRecoveryCodes(tx, accountId)
}

export async function deleteRecoveryCodes(tx: Queryable, accountId: string): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId))
}

/** Deletes the code. Only one of several concurrent calls returns true. */
export async function consumeRecoveryCode(tx: Queryable, id: string): Promise<boolean> {
  const rows = await tx.delete(recoveryCodes).where(eq(recoveryCodes.id, id)).returning({ id: recoveryCodes.id })
  return rows.length > 0
}

/** Returns the passkeys of the account, oldest first. */
export function listPasskeys(tx: Queryable, accountId: string): Promise<PasskeyRow[]> {
  return tx.select().from(passkeys).where(eq(passkeys.accountId, accountId)).orderBy(asc(passkeys.createdAt))
}

export async function findPasskey(tx: Queryable, id: string): Promise<PasskeyRow | undefined> {
  const [row] = await tx.select().from(passkeys).where(eq(passkeys.id, id))
  return row
}

/** Returns false if the credential id already exists. */
export async function insertPasskey(
  tx: Tx,
  passkey: Omit<PasskeyRow, 'lastUsedAt' | 'signsInAlone'>,
): Promise<boolean> {
  const rows = await tx.insert(passkeys).values(passkey).onConflictDoNothing().returning({ id: passkeys.id })
  return rows.length > 0
}

export async function renamePasskey(
  tx: Queryable,
  { accountId, id, name }: { accountId: string; id: string; name: string },
): Promise<boolean> {
  const rows = await tx
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.id, id), eq(passkeys.accountId, accountId)))
    .returning({ id: passkeys.id })
  return rows.length > 0
}

export async function deletePasskey(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const rows = await tx
    .delete(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.accountId, accountId)))
    .returning({ id: passkeys.id })
  return rows.length > 0
}

export async function allowSignInAlone(tx: Tx, id: string): Promise<void> {
  await tx.update(passkeys).set({ signsInAlone: true }).where(eq(passkeys.id, id))
}

export async function endSignInAlone(tx: Tx, accountId: string): Promise<void> {
  await tx.update(passkeys).set({ signsInAlone: false }).where(eq(passkeys.accountId, accountId))
}

/**
 * Stores the signature counter of a passkey assertion. Returns false unless the counter is higher
 * than the stored one, or both are 0: authenticators without a counter always send 0.
 */
export async function recordUse(
  tx: Queryable,
  id: string,
  { signCount, backedUp, at }: { signCount: number; backedUp: boolean; at: Date },
): Promise<boolean> {
  const isHigher = signCount === 0 ? eq(passkeys.signCount, 0) : lt(passkeys.signCount, signCount)
  const rows = await tx
    .update(passkeys)
    .set({ signCount, backedUp, lastUsedAt: at })
    .where(and(eq(passkeys.id, id), isHigher))
    .returning({ id: passkeys.id })
  return rows.length > 0
}
