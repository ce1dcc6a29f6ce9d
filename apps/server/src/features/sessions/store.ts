import { and, arrayContains, desc, eq, inArray, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { prepareSelect } from '../../db/prepared.ts'
import { accountFigures, accounts, activities, sessions } from '../../db/schema/accounts.ts'
import { walletProofs } from '../../db/schema/wallets.ts'
import type { Account } from './account-store.ts'
import { hasFactorCondition } from './factor-condition.ts'

export type Session = typeof sessions.$inferSelect

export async function insertSession(tx: Queryable, session: Omit<Session, 'id' | 'formerHashes'>): Promise<void> {
  await tx.insert(sessions).values(session)
}

/** Identifies a session by its id or by the hash of its cookie. */
export type SessionKey = { idHash: string } | { id: string }

export interface FoundSession {
  session: Session
  account: Account
  provedWallets: string[]
  hasFactor: boolean
}

/** Returns a session with its account and the wallets proved in it. */
export async function findSession(tx: Queryable, by: SessionKey): Promise<FoundSession | undefined> {
  const [row] = await findSessions(tx, [by])
  return row
}

/** Returns the sessions that exist, each once, in no particular order. */
export async function findSessions(tx: Queryable, keys: readonly SessionKey[]): Promise<FoundSession[]> {
  const ids = keys.flatMap((key) => ('id' in key ? [key.id] : []))
  const idHashes = keys.flatMap((key) => ('idHash' in key ? [key.idHash] : []))
  return selectSessions(tx, { ids, idHashes })
}

const selectSessions = prepareSelect<FoundSession[], { ids: string[]; idHashes: string[] }>('find_sessions', (tx) => {
  const provedWallets = sql<string[]>`array(
    select ${walletProofs.address} from ${walletProofs}
    where ${walletProofs.sessionIdHash} = ${sessions.idHash} order by ${walletProofs.provedAt})`
  return tx
    .select({ session: sessions, account: accounts, provedWallets, hasFactor: hasFactorCondition })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(
      or(
        sql`${sessions.id} = any(${sql.placeholder('ids')}::uuid[])`,
        sql`${sessions.idHash} = any(${sql.placeholder('idHashes')}::text[])`,
      ),
    )
})

/**
 * Stores when the sessions were used. A trigger also updates `accountFigures`. Batches and other
 * transactions lock the rows of both tables in different orders, so waiting for a lock could
 * deadlock. Sessions whose rows are locked are skipped: the next request of the session stores its
 * time.
 */
export async function updateSessionsSeen(tx: Queryable, idHashes: string[], lastSeenAt: Date): Promise<void> {
  const unlockedSessions = tx
    .select({ idHash: sessions.idHash })
    .from(sessions)
    .innerJoin(accountFigures, eq(accountFigures.accountId, sessions.accountId))
    .where(and(inArray(sessions.idHash, idHashes), lt(sessions.lastSeenAt, lastSeenAt)))
    .for('no key update', { skipLocked: true })
  await tx.update(sessions).set({ lastSeenAt }).where(inArray(sessions.idHash, unlockedSessions))
}

/**
 * Matches the session of a cookie, even if the session has a newer cookie by now. Use it only to
 * end the session.
 */
const hasOrHadHash = (idHash: string) => or(eq(sessions.idHash, idHash), arrayContains(sessions.formerHashes, [idHash]))

/**
 * Returns the session that a cookie may end. A former cookie may end it too, because the response
 * with the newer cookie may not have arrived.
 */
export async function findSessionToEnd(tx: Queryable, idHash: string) {
  const { id, accountId } = sessions
  const [foundSession] = await tx.select({ id, accountId }).from(sessions).where(hasOrHadHash(idHash))
  return foundSession
}

/** Deletes the session of a cookie. Returns its id, or undefined if there is no such session. */
export async function deleteSession(tx: Queryable, idHash: string): Promise<string | undefined> {
  const [deleted] = await tx.delete(sessions).where(hasOrHadHash(idHash)).returning({ id: sessions.id })
  return deleted?.id
}

/** Deletes all sessions of the account. Returns their ids. */
export async function deleteSessionsOf(tx: Queryable, accountId: string): Promise<string[]> {
  const deleted = await tx.delete(sessions).where(eq(sessions.accountId, accountId)).returning({ id: sessions.id })
  return deleted.map(({ id }) => id)
}

/**
 * Deletes the sessions of the account except the `keptCount` most recently used ones. Sign-ins that
 * wait for their second factor are neither counted nor deleted. Returns the ids of deleted
 * sessions.
 */
export async function deleteSessionsBeyond(tx: Queryable, accountId: string, keptCount: number): Promise<string[]> {
  const excessSessions = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.accountId, accountId), isNull(sessions.awaitsFactorUntil)))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt))
    .offset(keptCount)
  const deleted = await tx.delete(sessions).where(inArray(sessions.id, excessSessions)).returning({ id: sessions.id })
  return deleted.map(({ id }) => id)
}

/** Deletes all sessions of the account except one. Returns the ids of the deleted sessions. */
export async function deleteOtherSessions(tx: Queryable, accountId: string, keptId: string): Promise<string[]> {
  const deleted = await tx
    .delete(sessions)
    .where(and(eq(sessions.accountId, accountId), ne(sessions.id, keptId)))
    .returning({ id: sessions.id })
  return deleted.map(({ id }) => id)
}

/** Returns false if the account has no such session. */
export async function deleteSessionOf(tx: Queryable, accountId: string, id: string): Promise<boolean> {
  const deleted = await tx
    .delete(sessions)
    .where(and(eq(sessions.accountId, accountId), eq(sessions.id, id)))
    .returning({ id: sessions.id })
  return deleted.length > 0
}

/**
 * Returns the sessions of the account, most recently used first. Sign-ins that wait for their
 * second factor are left out.
 */
export async function listSessionsOf(tx: Queryable, accountId: string): Promise<Session[]> {
  return tx
    .select()
    .from(sessions)
    .where(and(eq(sessions.accountId, accountId), isNull(sessions.awaitsFactorUntil)))
    .orderBy(desc(sessions.lastSeenAt))
}

export async function deleteExpiredSessions(tx: Queryable, now: Date): Promise<string[]> {
  const deleted = await tx.delete(sessions).where(lte(sessions.expiresAt, now)).returning({ id: sessions.id })
  return deleted.map(({ id }) => id)
}

/** Locks the session row until the transaction ends. */
export async function lockSession(tx: Queryable, id: string) {
  const [session] = await tx.select().from(sessions).where(eq(sessions.id, id)).for('update')
  return session
}

/** True if the session may enrol the first second factor of a member of staff. */
export async function mayEnrol(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.$count(sessions, and(eq(sessions.id, id), eq(sessions.mayEnrol, true)))) > 0
}

/** Maximum number of former cookie hashes of a session. A browser cannot miss as many renewals. */
const MAX_FORMER_HASHES = 50

/** Returns the current and the former cookie hashes of a session that gets a new cookie. */
export function renewedHashes(session: Pick<Session, 'idHash' | 'formerHashes'>, idHash: string) {
  return { idHash, formerHashes: [session.idHash, ...session.formerHashes].slice(0, MAX_FORMER_HASHES) }
}

export async function updateSession(
  tx: Queryable,
  id: string,
  change: Partial<Omit<Session, 'id' | 'accountId'>>,
): Promise<void> {
  await tx.update(sessions).set(change).where(eq(sessions.id, id))
}

export async function hasSignedIn(tx: Queryable, accountId: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: activities.id })
    .from(activities)
    .where(and(eq(activities.accountId, accountId), eq(activities.kind, 'signed_in')))
    .limit(1)
  return row !== undefined
}
