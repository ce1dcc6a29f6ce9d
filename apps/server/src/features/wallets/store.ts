import { and, asc, eq, inArray, isNotNull, lt, lte, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { sessions, walletChallenges, walletProofs, walletSignIns, wallets } from '../../db/schema.ts'

export type Challenge = typeof walletChallenges.$inferSelect
export type SignIn = typeof walletSignIns.$inferSelect
export type Wallet = typeof wallets.$inferSelect

/** The session's only open challenge for the address; those that nobody answered in time go. */
export async function replaceChallenge(tx: Queryable, challenge: Challenge, now: Date): Promise<void> {
  const { sessionIdHash, address } = challenge
  const former = and(eq(walletChallenges.sessionIdHash, sessionIdHash), eq(walletChallenges.address, address))
  await tx.delete(walletChallenges).where(or(former, lt(walletChallenges.expiresAt, now)))
  await tx.insert(walletChallenges).values(challenge)
}

/** Takes the session's challenge away: of any number of simultaneous answers one gets it. */
export async function takeChallenge(tx: Queryable, nonce: string, sessionId: string): Promise<Challenge | undefined> {
  const ownHash = tx.select({ idHash: sessions.idHash }).from(sessions).where(eq(sessions.id, sessionId))
  const [challenge] = await tx
    .delete(walletChallenges)
    .where(and(eq(walletChallenges.nonce, nonce), inArray(walletChallenges.sessionIdHash, ownHash)))
    .returning()
  return challenge
}

/** The hash that the session has now, or undefined if it has ended meanwhile. Neither changes before this transaction ends. */
export async function holdSession(tx: Queryable, id: string): Promise<string | undefined> {
  const [session] = await tx
    .select({ idHash: sessions.idHash })
    .from(sessions)
    .where(eq(sessions.id, id))
    .for('key share')
  return session?.idHash
}

/** Nobody else changes or ends the session, nor its proofs, until this transaction ends. */
export async function lockSession(tx: Queryable, id: string): Promise<void> {
  await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, id)).for('update')
}

/** A browser's message to sign in with; those that nobody answered in time go. */
export async function insertSignIn(tx: Queryable, signIn: SignIn, now: Date): Promise<void> {
  await tx.delete(walletSignIns).where(lt(walletSignIns.expiresAt, now))
  await tx.insert(walletSignIns).values(signIn)
}

/** Takes the browser's message away: of any number of simultaneous answers one gets it. */
export async function takeSignIn(tx: Queryable, nonce: string, browserHash: string): Promise<SignIn | undefined> {
  const [signIn] = await tx
    .delete(walletSignIns)
    .where(and(eq(walletSignIns.nonce, nonce), eq(walletSignIns.browserHash, browserHash)))
    .returning()
  return signIn
}

/** Advisory locks of two numbers are apart from those of one, which leaders hold. */
const WALLET_LOCKS = 2

/** One at a time links the wallet, or makes an account for it, until its transaction ends. */
export async function lockWallet(tx: Queryable, address: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${WALLET_LOCKS}::int, hashtext(${address}))`)
}

export async function insertWallet(tx: Queryable, wallet: Wallet): Promise<void> {
  await tx.insert(wallets).values(wallet)
}

/** Notes where a wallet of unknown origin was proved. */
export async function saveChain(tx: Queryable, wallet: Wallet, chainId: number): Promise<void> {
  await tx.update(wallets).set({ chainId }).where(isThisWallet(wallet))
}

const isThisWallet = ({ address, chainId, accountId }: Omit<Wallet, 'linkedAt'>) =>
  and(eq(wallets.address, address), eq(wallets.chainId, chainId), eq(wallets.accountId, accountId))

/** On one chain, the proofs left as they are. False if the account has no such wallet. */
export async function deleteWalletOn(tx: Queryable, wallet: Omit<Wallet, 'linkedAt'>): Promise<boolean> {
  const deleted = await tx.delete(wallets).where(isThisWallet(wallet)).returning({ address: wallets.address })
  return deleted.length > 0
}

/** On every chain, with its proofs in all sessions of the account. False if the account has no such wallet. */
export async function deleteWallet(
  tx: Queryable,
  { address, accountId }: Pick<Wallet, 'address' | 'accountId'>,
): Promise<boolean> {
  const ownSessions = tx.select({ idHash: sessions.idHash }).from(sessions).where(eq(sessions.accountId, accountId))
  await tx
    .delete(walletProofs)
    .where(and(eq(walletProofs.address, address), inArray(walletProofs.sessionIdHash, ownSessions)))
  const deleted = await tx
    .delete(wallets)
    .where(and(eq(wallets.address, address), eq(wallets.accountId, accountId)))
    .returning({ address: wallets.address })
  return deleted.length > 0
}

/** All that are linked under this address, a key's first, then in the order of their chains. */
export function listWalletsAt(tx: Queryable, address: string): Promise<Wallet[]> {
  return tx
    .select()
    .from(wallets)
    .where(eq(wallets.address, address))
    .orderBy(sql`${wallets.chainId} <> 0`, asc(wallets.chainId))
}

/** What is shown again takes the place of what was shown before: the newest signature is the one to ask the wallet's contract about. */
export async function insertProof(
  tx: Queryable,
  {
    sessionIdHash,
    address,
    chainId,
    evidence,
    at,
  }: {
    sessionIdHash: string
    address: string
    chainId: number
    evidence: { message: string; signature: string } | null
    at: Date
  },
): Promise<void> {
  const shown = {
    chainId,
    message: evidence?.message ?? null,
    signature: evidence?.signature ?? null,
    checkedAt: evidence ? at : null,
  }
  await tx
    .insert(walletProofs)
    .values({ sessionIdHash, address, provedAt: at, ...shown })
    .onConflictDoUpdate({ target: [walletProofs.sessionIdHash, walletProofs.address], set: shown })
}

/** A proof that rests on what a contract has said. */
export interface ContractProof {
  sessionId: string
  sessionIdHash: string
  accountId: string
  address: string
  chainId: number
  message: string
  signature: string
}

const contractProofs = (tx: Queryable) =>
  tx
    .select({
      sessionId: sessions.id,
      sessionIdHash: walletProofs.sessionIdHash,
      accountId: sessions.accountId,
      address: walletProofs.address,
      chainId: walletProofs.chainId,
      // Not null where `checkedAt` is not: they are written together.
      message: sql<string>`${walletProofs.message}`,
      signature: sql<string>`${walletProofs.signature}`,
    })
    .from(walletProofs)
    .innerJoin(sessions, eq(sessions.idHash, walletProofs.sessionIdHash))

export async function listContractProofsOf(tx: Queryable, sessionId: string): Promise<ContractProof[]> {
  return contractProofs(tx).where(and(eq(sessions.id, sessionId), isNotNull(walletProofs.checkedAt)))
}

/** Those that were not checked since, the longest waiting first. */
export async function listContractProofsCheckedBefore(tx: Queryable, checkedBefore: Date): Promise<ContractProof[]> {
  return contractProofs(tx).where(lte(walletProofs.checkedAt, checkedBefore)).orderBy(asc(walletProofs.checkedAt))
}

const isThisProof = ({ sessionIdHash, address, signature }: ContractProof) =>
  and(
    eq(walletProofs.sessionIdHash, sessionIdHash),
    eq(walletProofs.address, address),
    eq(walletProofs.signature, signature),
  )

export async function updateProofChecked(tx: Queryable, proof: ContractProof, checkedAt: Date): Promise<void> {
  await tx.update(walletProofs).set({ checkedAt }).where(isThisProof(proof))
}

/** False if it has ended already, or the wallet was proved anew meanwhile. */
export async function deleteProof(tx: Queryable, proof: ContractProof): Promise<boolean> {
  const deleted = await tx.delete(walletProofs).where(isThisProof(proof)).returning({ address: walletProofs.address })
  return deleted.length > 0
}

/** Whether a session of the account holds a proof of the wallet on that chain. */
export async function isProvedAnywhere(
  tx: Queryable,
  { address, chainId, accountId }: Pick<ContractProof, 'address' | 'chainId' | 'accountId'>,
): Promise<boolean> {
  const ownSessions = tx.select({ idHash: sessions.idHash }).from(sessions).where(eq(sessions.accountId, accountId))
  const isOf = and(
    eq(walletProofs.address, address),
    eq(walletProofs.chainId, chainId),
    inArray(walletProofs.sessionIdHash, ownSessions),
  )
  return (await tx.$count(walletProofs, isOf)) > 0
}

/** Each address once, in the order in which they were linked. */
export async function listAddresses(tx: Queryable, accountId: string): Promise<string[]> {
  return (await listWalletsOf(tx, accountId)).map(({ address }) => address)
}

/** Each address once, oldest first. */
export async function listWalletsOf(tx: Queryable, accountId: string): Promise<Omit<Wallet, 'chainId'>[]> {
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
