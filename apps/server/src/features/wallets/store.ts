import { and, asc, desc, eq, exists, gt, inArray, isNotNull, isNull, lt, lte, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { accounts, sessions } from '../../db/schema/accounts.ts'
import { subscriptions } from '../../db/schema/subscriptions.ts'
import { walletChallenges, walletProofs, walletSignIns, wallets } from '../../db/schema/wallets.ts'

export type Challenge = typeof walletChallenges.$inferSelect
export type SignIn = typeof walletSignIns.$inferSelect
export type Wallet = typeof wallets.$inferSelect

/**
 * Stores the challenge and replaces the previous one of the session for this address. Also deletes
 * expired challenges.
 */
export async function replaceChallenge(tx: Queryable, challenge: Challenge, now: Date): Promise<void> {
  const { sessionIdHash, address } = challenge
  const isFormerChallenge = and(
    eq(walletChallenges.sessionIdHash, sessionIdHash),
    eq(walletChallenges.address, address),
  )
  await tx.delete(walletChallenges).where(or(isFormerChallenge, lt(walletChallenges.expiresAt, now)))
  await tx.insert(walletChallenges).values(challenge)
}

/**
 * Deletes and returns the challenge of the session. Only one of several concurrent calls gets the
 * challenge.
 */
export async function consumeChallenge(
  tx: Queryable,
  nonce: string,
  sessionId: string,
): Promise<Challenge | undefined> {
  const ownHash = tx.select({ idHash: sessions.idHash }).from(sessions).where(eq(sessions.id, sessionId))
  const [challenge] = await tx
    .delete(walletChallenges)
    .where(and(eq(walletChallenges.nonce, nonce), inArray(walletChallenges.sessionIdHash, ownHash)))
    .returning()
  return challenge
}

/**
 * Locks the session against renewal and deletion until the transaction ends. Returns the current
 * hash of its cookie, or undefined if the session has ended.
 */
export async function lockSessionShared(tx: Queryable, id: string): Promise<string | undefined> {
  const [session] = await tx
    .select({ idHash: sessions.idHash })
    .from(sessions)
    .where(eq(sessions.id, id))
    .for('key share')
  return session?.idHash
}

/** Stores a sign-in challenge. Also deletes expired challenges. */
export async function insertSignIn(tx: Queryable, signIn: SignIn, now: Date): Promise<void> {
  await tx.delete(walletSignIns).where(lt(walletSignIns.expiresAt, now))
  await tx.insert(walletSignIns).values(signIn)
}

/**
 * Deletes and returns the sign-in challenge of the browser. Only one of several concurrent calls
 * gets the challenge.
 */
export async function consumeSignIn(tx: Queryable, nonce: string, browserHash: string): Promise<SignIn | undefined> {
  const [signIn] = await tx
    .delete(walletSignIns)
    .where(and(eq(walletSignIns.nonce, nonce), eq(walletSignIns.browserHash, browserHash)))
    .returning()
  return signIn
}

/**
 * Namespace of two-key advisory locks. They do not collide with the one-key locks of leader
 * election.
 */
const WALLET_LOCK_NAMESPACE = 2

/**
 * Serializes transactions that link the wallet or create an account for it. Take this lock before
 * locking any account row: the other order could deadlock.
 */
export async function lockWallet(tx: Queryable, address: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${WALLET_LOCK_NAMESPACE}::int, hashtext(${address}))`)
}

export async function insertWallet(tx: Queryable, wallet: Wallet): Promise<void> {
  await tx.insert(wallets).values(wallet)
}

/** Sets the chain of a wallet that an earlier version linked without recording its chain. */
export async function saveChain(tx: Queryable, wallet: Wallet, chainId: number): Promise<void> {
  await tx.update(wallets).set({ chainId }).where(isThisWallet(wallet))
}

const isThisWallet = ({ address, chainId, accountId }: Omit<Wallet, 'linkedAt'>) =>
  and(eq(wallets.address, address), eq(wallets.chainId, chainId), eq(wallets.accountId, accountId))

/**
 * Unlinks the wallet on one chain and keeps its proofs. Returns false if the wallet is not linked.
 */
export async function deleteWalletOn(tx: Queryable, wallet: Omit<Wallet, 'linkedAt'>): Promise<boolean> {
  const deleted = await tx.delete(wallets).where(isThisWallet(wallet)).returning({ address: wallets.address })
  return deleted.length > 0
}

/**
 * Unlinks the wallet on every chain and deletes its proofs in all sessions of the account. Returns
 * false if the wallet is not linked.
 */
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

/** Returns all wallets linked with this address: wallets linked by key first, then by chain id. */
export function listWalletsAt(tx: Queryable, address: string): Promise<Wallet[]> {
  return tx
    .select()
    .from(wallets)
    .where(eq(wallets.address, address))
    .orderBy(sql`${wallets.chainId} <> 0`, asc(wallets.chainId))
}

/**
 * Stores a proof. Replaces an existing proof of the wallet in the session, because contract wallets
 * are rechecked with the newest signature.
 */
export async function insertProof(
  tx: Queryable,
  {
    sessionIdHash,
    address,
    chainId,
    evidence,
    signedIn,
    at,
  }: {
    sessionIdHash: string
    address: string
    chainId: number
    evidence: { message: string; signature: string } | null
    /** True if this proof starts the session. A later proof of the wallet does not reset it. */
    signedIn: boolean
    at: Date
  },
): Promise<void> {
  const values = {
    chainId,
    message: evidence?.message ?? null,
    signature: evidence?.signature ?? null,
    checkedAt: evidence ? at : null,
  }
  await tx
    .insert(walletProofs)
    .values({ sessionIdHash, address, provedAt: at, signedIn, ...values })
    .onConflictDoUpdate({ target: [walletProofs.sessionIdHash, walletProofs.address], set: values })
}

/** A proof accepted by a contract wallet, which is rechecked. */
export interface ContractProof {
  sessionId: string
  sessionIdHash: string
  accountId: string
  address: string
  chainId: number
  message: string
  signature: string
  signedIn: boolean
}

const selectContractProofs = (tx: Queryable) =>
  tx
    .select({
      sessionId: sessions.id,
      sessionIdHash: walletProofs.sessionIdHash,
      accountId: sessions.accountId,
      address: walletProofs.address,
      chainId: walletProofs.chainId,
      // These columns are not null if `checkedAt` is not null: they are written together.
      message: sql<string>`${walletProofs.message}`,
      signature: sql<string>`${walletProofs.signature}`,
      signedIn: walletProofs.signedIn,
    })
    .from(walletProofs)
    .innerJoin(sessions, eq(sessions.idHash, walletProofs.sessionIdHash))

/** Returns the session's contract proofs of these addresses. */
export async function listContractProofsOf(
  tx: Queryable,
  sessionId: string,
  addresses: readonly string[],
): Promise<ContractProof[]> {
  const isProofOfSession = and(eq(sessions.id, sessionId), inArray(walletProofs.address, [...addresses]))
  return selectContractProofs(tx).where(and(isProofOfSession, isNotNull(walletProofs.checkedAt)))
}

/** Minimum time between two rechecks of a proof. */
const CHECK_AFTER_MS = 300_000

/**
 * Returns the proofs that are due for a recheck. A proof of staff, of an account with a plan or of
 * a session in use is due five minutes after its last check. The proof of an unused session grants
 * nothing until the session is used, so it is checked less and less often: the next check is due
 * when the session has been unused for twice as long as at the last check.
 *
 * Accounts that anyone can create for free must not delay the others, so staff and accounts with a
 * plan come first. Within each of these two groups, the second due proof of an account comes after
 * the first due proofs of all other accounts.
 */
export async function listDueProofs(tx: Queryable, now: Date, limit: number): Promise<ContractProof[]> {
  const isOpen = and(
    eq(subscriptions.accountId, sessions.accountId),
    gt(subscriptions.endsAt, now),
    isNull(subscriptions.cancelledAt),
    isNull(subscriptions.revokedAt),
  )
  const hasPlan = exists(tx.select({ id: subscriptions.id }).from(subscriptions).where(isOpen))
  const isUrgent = sql<boolean>`(${accounts.role} <> 'user' or ${hasPlan})`
  const minPause = sql`${CHECK_AFTER_MS} * interval '1 ms'`
  const recheckPause = sql`case when ${isUrgent} then ${minPause}
    else greatest(${minPause}, ${walletProofs.checkedAt} - ${sessions.lastSeenAt}) end`
  const dueAt = sql`${walletProofs.checkedAt} + ${recheckPause}`
  const rankInAccount = sql`row_number() over (partition by ${sessions.accountId} order by ${walletProofs.checkedAt})`
  return selectContractProofs(tx)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(and(lte(walletProofs.checkedAt, new Date(now.getTime() - CHECK_AFTER_MS)), lte(dueAt, now)))
    .orderBy(desc(isUrgent), asc(rankInAccount), asc(dueAt))
    .limit(limit)
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

/** Returns false if the proof no longer exists or the wallet was proved again in the meantime. */
export async function deleteProof(tx: Queryable, proof: ContractProof): Promise<boolean> {
  const deleted = await tx.delete(walletProofs).where(isThisProof(proof)).returning({ address: walletProofs.address })
  return deleted.length > 0
}

/** Returns true if a session of the account has a proof of the wallet on that chain. */
export async function isProvedAnywhere(
  tx: Queryable,
  { address, chainId, accountId }: Pick<ContractProof, 'address' | 'chainId' | 'accountId'>,
): Promise<boolean> {
  const ownSessions = tx.select({ idHash: sessions.idHash }).from(sessions).where(eq(sessions.accountId, accountId))
  const isProofOfWallet = and(
    eq(walletProofs.address, address),
    eq(walletProofs.chainId, chainId),
    inArray(walletProofs.sessionIdHash, ownSessions),
  )
  return (await tx.$count(walletProofs, isProofOfWallet)) > 0
}
