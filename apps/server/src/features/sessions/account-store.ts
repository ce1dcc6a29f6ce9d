import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { accounts, identities } from '../../db/schema/accounts.ts'

export type Account = typeof accounts.$inferSelect
export type NewAccount = Omit<typeof accounts.$inferInsert, 'id'>

/** Returns undefined if the address is taken. */
export async function insertAccount(tx: Queryable, account: NewAccount): Promise<Account | undefined> {
  const [insertedAccount] = await tx
    .insert(accounts)
    .values(account)
    .onConflictDoNothing({ target: accounts.email })
    .returning()
  return insertedAccount
}

export async function findAccountByEmail(tx: Queryable, email: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.email, email))
  return account
}

/**
 * Like `lockAccount`, by email address. Callers take this lock before they consume emailed tokens
 * of the account.
 */
export async function lockAccountByEmail(tx: Queryable, email: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.email, email)).for('no key update')
  return account
}

/**
 * Like lockAccountByEmail, but takes the stronger lock that deleting the row needs. Upgrading the
 * lock later could deadlock.
 */
export async function lockAccountByEmailForUpdate(tx: Queryable, email: string): Promise<Account | undefined> {
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

/** Returns the addresses of the account's linked providers, as the providers last reported them. */
export async function listLinkedEmails(tx: Queryable, accountId: string): Promise<string[]> {
  const linkedIdentities = await tx
    .select({ email: identities.email })
    .from(identities)
    .where(eq(identities.accountId, accountId))
  return linkedIdentities.map(({ email }) => email).filter((email) => email !== null)
}

export async function updateAccount(tx: Queryable, id: string, change: Partial<NewAccount>): Promise<void> {
  await tx.update(accounts).set(change).where(eq(accounts.id, id))
}

/**
 * Locks the account against changes until the transaction ends. Returns undefined if the account
 * does not exist.
 */
export async function lockAccount(tx: Queryable, id: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, id)).for('no key update')
  return account
}

/**
 * Like lockAccount, but takes the stronger lock that deleting the row or changing its address
 * needs. Upgrading the lock later could deadlock.
 */
export async function lockAccountForUpdate(tx: Queryable, id: string): Promise<Account | undefined> {
  const [account] = await tx.select().from(accounts).where(eq(accounts.id, id)).for('update')
  return account
}

/**
 * Locks the given accounts that no other transaction has locked, without waiting. Returns their
 * ids.
 */
export async function tryLockAccounts(tx: Queryable, accountIds: readonly string[]): Promise<Set<string>> {
  if (accountIds.length === 0) return new Set()
  const rows = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(inArray(accounts.id, [...accountIds]))
    .for('no key update', { skipLocked: true })
  return new Set(rows.map(({ id }) => id))
}

/** Deletes the account and all rows that cascade from it. Payments are kept without the account. */
export async function deleteAccount(tx: Queryable, id: string): Promise<void> {
  await tx.delete(accounts).where(eq(accounts.id, id))
}

/** Counts owners who are not suspended. */
export async function countOwners(tx: Queryable): Promise<number> {
  return tx.$count(accounts, and(eq(accounts.role, 'owner'), isNull(accounts.suspendedAt)))
}

export async function hasOwner(tx: Queryable): Promise<boolean> {
  const [owner] = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.role, 'owner')).limit(1)
  return owner !== undefined
}

/** Finds the owner with this address, or otherwise the oldest owner. */
export async function findFirstOwner(tx: Queryable, email: string | null): Promise<Account | undefined> {
  const owners = await tx
    .select()
    .from(accounts)
    .where(eq(accounts.role, 'owner'))
    .orderBy(accounts.createdAt, accounts.id)
  return owners.find((owner) => owner.email === email) ?? owners[0]
}

/** Key of the advisory lock. It differs from the keys of leader election. */
const ADMINS_LOCK = 7_205_759_402

/** Serializes transactions that change roles, or suspend or delete staff. */
export async function lockAdmins(tx: Queryable): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADMINS_LOCK})`)
}
