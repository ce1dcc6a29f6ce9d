import type { Activity } from '@tocsin/protocol'
import { and, desc, eq, getTableColumns, gt, inArray, isNull, lt, lte, ne, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import {
  accounts,
  activities,
  credentialLimits,
  mailTokens,
  payments,
  sessions,
  walletProofs,
} from '../../db/schema.ts'
import type { LimitState } from './credential-limit.ts'

export type Account = typeof accounts.$inferSelect
export type NewAccount = Omit<typeof accounts.$inferInsert, 'id'>
export type Session = typeof sessions.$inferSelect
export type MailToken = typeof mailTokens.$inferSelect
/** `chainId` is set if the reference is the transaction of a payment. */
export type ActivityRow = typeof activities.$inferSelect & { chainId: number | null }

// ── accounts ────────────────────────────────────────────────────────────────────────────────────

/** Returns undefined if the address is taken. */
export async function insertAccount(tx: Queryable, account: NewAccount): Promise<Account | undefined> {
  const [inserted] = await tx
    .insert(accounts)
    .values(account)
    .onConflictDoNothing({ target: accounts.email })
    .returning()
  return inserted
}

export async function findAccountByEmail(tx: Queryable, email: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.email, email))
  return account
}

/** Locks the account and its mailed tokens against changes until the transaction ends. */
export async function lockAccountByEmail(tx: Queryable, email: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.email, email)).for('no key update')
  return account
}

/**
 * Like lockAccountByEmail, but with the lock that deleting the row needs: upgrading the lock later
 * could deadlock.
 */
export async function lockWholeAccountByEmail(tx: Queryable, email: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.email, email)).for('update')
  return account
}

export async function findAccount(tx: Queryable, id: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, id))
  return account
}

export async function getAccount(tx: Queryable, id: string): Promise<Account> {
  const account = await findAccount(tx, id)
  if (!account) throw new Error(`Account ${id} does not exist`)
  return account
}

export async function updateAccount(tx: Queryable, id: string, change: Partial<NewAccount>): Promise<void> {
  await tx.update(accounts).set(change).where(eq(accounts.id, id))
}

/**
 * Locks the account against changes until the transaction ends. Returns undefined if it does not
 * exist.
 */
export async function lockAccount(tx: Queryable, id: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, id)).for('no key update')
  return account
}

/**
 * Like lockAccount, but with the lock that deleting the row or changing its address needs:
 * upgrading the lock later could deadlock.
 */
export async function lockWholeAccount(tx: Queryable, id: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, id)).for('update')
  return account
}

/** Deletes the account and all rows that cascade from it. Payments are kept without the account. */
export async function deleteAccount(tx: Queryable, id: string): Promise<void> {
  await tx.delete(accounts).where(eq(accounts.id, id))
}

/** Counts admins who are not suspended. */
export async function countAdmins(tx: Queryable): Promise<number> {
  return tx.$count(accounts, and(eq(accounts.role, 'admin'), isNull(accounts.suspendedAt)))
}

export async function hasAdmin(tx: Queryable): Promise<boolean> {
  const [admin] = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.role, 'admin')).limit(1)
  return admin !== undefined
}

/** Distinct from the advisory locks of leader election. */
const ADMINS_LOCK = 7_205_759_402

/** Serializes transactions that add or remove an admin. */
export async function lockAdmins(tx: Queryable): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADMINS_LOCK})`)
}

// ── sessions ────────────────────────────────────────────────────────────────────────────────────

export async function insertSession(tx: Queryable, session: Omit<Session, 'id'>): Promise<void> {
  await tx.insert(sessions).values(session)
}

/** Identifies a session by its id or by the hash of its cookie. */
export type SessionKey = { idHash: string } | { id: string }

export interface FoundSession {
  session: Session
  account: Account
  provedWallets: string[]
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
  const provedWallets = sql<string[]>`array(
    select ${walletProofs.address} from ${walletProofs}
    where ${walletProofs.sessionIdHash} = ${sessions.idHash} order by ${walletProofs.provedAt})`
  return tx
    .select({ session: sessions, account: accounts, provedWallets })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.accountId))
    .where(
      or(
        ids.length > 0 ? inArray(sessions.id, ids) : undefined,
        idHashes.length > 0 ? inArray(sessions.idHash, idHashes) : undefined,
      ) ?? sql`false`,
    )
}

export async function updateSessionsSeen(tx: Queryable, idHashes: string[], lastSeenAt: Date): Promise<void> {
  await tx
    .update(sessions)
    .set({ lastSeenAt })
    .where(and(inArray(sessions.idHash, idHashes), lt(sessions.lastSeenAt, lastSeenAt)))
}

/** Returns the deleted session, or undefined if there was none. */
export async function deleteSession(
  tx: Queryable,
  idHash: string,
): Promise<Pick<Session, 'id' | 'accountId'> | undefined> {
  const [deleted] = await tx
    .delete(sessions)
    .where(eq(sessions.idHash, idHash))
    .returning({ id: sessions.id, accountId: sessions.accountId })
  return deleted
}

/** Returns the ids of the deleted sessions. */
export async function deleteSessionsOf(tx: Queryable, accountId: string): Promise<string[]> {
  const deleted = await tx.delete(sessions).where(eq(sessions.accountId, accountId)).returning({ id: sessions.id })
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

export async function listSessionsOf(tx: Queryable, accountId: string): Promise<Session[]> {
  return tx.select().from(sessions).where(eq(sessions.accountId, accountId)).orderBy(desc(sessions.lastSeenAt))
}

export async function deleteExpiredSessions(tx: Queryable, now: Date): Promise<string[]> {
  const deleted = await tx.delete(sessions).where(lte(sessions.expiresAt, now)).returning({ id: sessions.id })
  return deleted.map(({ id }) => id)
}

// ── mailed tokens ───────────────────────────────────────────────────────────────────────────────

export async function insertMailToken(tx: Queryable, token: Omit<MailToken, 'usedAt'>): Promise<void> {
  await tx.insert(mailTokens).values(token)
}

export async function findMailToken(
  tx: Queryable,
  tokenHash: string,
  purpose: MailToken['purpose'],
): Promise<MailToken | undefined> {
  const [token] = await tx
    .select()
    .from(mailTokens)
    .where(and(eq(mailTokens.tokenHash, tokenHash), eq(mailTokens.purpose, purpose)))
  return token
}

/** Consumes the token if it is valid. Only one of several concurrent calls gets it. */
export async function consumeMailToken(
  tx: Queryable,
  tokenHash: string,
  purpose: MailToken['purpose'],
  now: Date,
): Promise<MailToken | undefined> {
  const [token] = await tx
    .update(mailTokens)
    .set({ usedAt: now })
    .where(
      and(
        eq(mailTokens.tokenHash, tokenHash),
        eq(mailTokens.purpose, purpose),
        isNull(mailTokens.usedAt),
        gt(mailTokens.expiresAt, now),
      ),
    )
    .returning()
  return token
}

/** Invalidates all unused mailed links of the account, or those of one purpose. */
export async function endMailTokens(
  tx: Queryable,
  accountId: string,
  now: Date,
  purpose?: MailToken['purpose'],
): Promise<void> {
  const isOfPurpose = purpose && eq(mailTokens.purpose, purpose)
  await tx
    .update(mailTokens)
    .set({ usedAt: now })
    .where(and(eq(mailTokens.accountId, accountId), isNull(mailTokens.usedAt), isOfPurpose))
}

/** Returns the address of a pending email change whose link is still valid, or null. */
export async function findPendingEmail(tx: Queryable, accountId: string, now: Date): Promise<string | null> {
  const [token] = await tx
    .select({ email: mailTokens.email })
    .from(mailTokens)
    .where(
      and(
        eq(mailTokens.accountId, accountId),
        eq(mailTokens.purpose, 'change-email'),
        isNull(mailTokens.usedAt),
        gt(mailTokens.expiresAt, now),
      ),
    )
  return token?.email ?? null
}

export async function deleteMailTokensExpiredBefore(tx: Queryable, time: Date): Promise<void> {
  await tx.delete(mailTokens).where(lt(mailTokens.expiresAt, time))
}

// ── rate limits ─────────────────────────────────────────────────────────────────────────────────

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

export async function deleteLimitsEndedBefore(tx: Queryable, now: Date): Promise<void> {
  await tx
    .delete(credentialLimits)
    .where(and(lt(credentialLimits.windowEndsAt, now), lt(credentialLimits.blockedUntil, now)))
}

// ── activity ────────────────────────────────────────────────────────────────────────────────────

export async function hasSignedIn(tx: Queryable, accountId: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: activities.id })
    .from(activities)
    .where(and(eq(activities.accountId, accountId), eq(activities.kind, 'signed_in')))
    .limit(1)
  return row !== undefined
}

interface ActivityPage {
  kinds?: readonly Activity['kind'][] | undefined
  beforeId?: number | undefined
  limit: number
}

/** Newest first. */
export async function listActivities(
  tx: Queryable,
  accountId: string,
  { kinds, beforeId, limit }: ActivityPage,
): Promise<ActivityRow[]> {
  const chainId = tx
    .select({ chainId: payments.chainId })
    .from(payments)
    .where(and(eq(payments.accountId, activities.accountId), eq(payments.txHash, activities.reference)))
    .limit(1)
  return tx
    .select({ ...getTableColumns(activities), chainId: sql<number | null>`(${chainId})` })
    .from(activities)
    .where(
      and(
        eq(activities.accountId, accountId),
        kinds && inArray(activities.kind, [...kinds]),
        beforeId === undefined ? undefined : lt(activities.id, beforeId),
      ),
    )
    .orderBy(desc(activities.id))
    .limit(limit)
}
