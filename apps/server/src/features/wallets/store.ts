import { and, asc, eq, lt, or } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { sessions, walletChallenges, walletProofs, wallets } from '../../db/schema.ts'

export type Challenge = typeof walletChallenges.$inferSelect
export type Wallet = typeof wallets.$inferSelect

/** The session's only open challenge for the address; those that nobody answered in time go. */
export async function replaceChallenge(tx: Queryable, challenge: Challenge, now: Date): Promise<void> {
  const { sessionIdHash, address } = challenge
  const former = and(eq(walletChallenges.sessionIdHash, sessionIdHash), eq(walletChallenges.address, address))
  await tx.delete(walletChallenges).where(or(former, lt(walletChallenges.expiresAt, now)))
  await tx.insert(walletChallenges).values(challenge)
}

/** Takes the session's challenge away: of any number of simultaneous answers one gets it. */
export async function takeChallenge(
  tx: Queryable,
  nonce: string,
  sessionIdHash: string,
): Promise<Challenge | undefined> {
  const [challenge] = await tx
    .delete(walletChallenges)
    .where(and(eq(walletChallenges.nonce, nonce), eq(walletChallenges.sessionIdHash, sessionIdHash)))
    .returning()
  return challenge
}

/** False if the session has ended meanwhile. It cannot end before this transaction does. */
export async function holdSession(tx: Queryable, idHash: string): Promise<boolean> {
  const [session] = await tx
    .select({ idHash: sessions.idHash })
    .from(sessions)
    .where(eq(sessions.idHash, idHash))
    .for('key share')
  return session !== undefined
}

/** False if the wallet is linked already, to whomever. */
export async function insertWallet(tx: Queryable, wallet: Wallet): Promise<boolean> {
  const inserted = await tx.insert(wallets).values(wallet).onConflictDoNothing().returning({ address: wallets.address })
  return inserted.length > 0
}

export async function findWallet(tx: Queryable, address: string): Promise<Wallet | undefined> {
  const [wallet] = await tx.select().from(wallets).where(eq(wallets.address, address))
  return wallet
}

export async function insertProof(tx: Queryable, proof: typeof walletProofs.$inferInsert): Promise<void> {
  await tx.insert(walletProofs).values(proof).onConflictDoNothing()
}

/** In the order in which they were linked. */
export async function listAddresses(tx: Queryable, accountId: string): Promise<string[]> {
  const rows = await tx
    .select({ address: wallets.address })
    .from(wallets)
    .where(eq(wallets.accountId, accountId))
    .orderBy(asc(wallets.linkedAt), asc(wallets.address))
  return rows.map(({ address }) => address)
}
