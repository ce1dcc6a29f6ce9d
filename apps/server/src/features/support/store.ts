import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { supportMessages } from '../../db/schema/support.ts'

/** Serializes message inserts, so that concurrent messages are counted. */
export async function lockMessages(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('support_messages', 0))`)
}

export async function countAnonymousMessages(tx: Queryable, since: Date): Promise<number> {
  return tx.$count(supportMessages, and(isNull(supportMessages.accountId), gt(supportMessages.at, since)))
}

export async function countMessagesOfAccount(tx: Queryable, accountId: string, since: Date): Promise<number> {
  return tx.$count(supportMessages, and(eq(supportMessages.accountId, accountId), gt(supportMessages.at, since)))
}

export async function countMessagesOf(tx: Queryable, email: string, since: Date): Promise<number> {
  return tx.$count(
    supportMessages,
    and(sql`lower(${supportMessages.email}) = lower(${email})`, gt(supportMessages.at, since)),
  )
}

export async function insertMessage(tx: Tx, message: typeof supportMessages.$inferInsert): Promise<void> {
  await tx.insert(supportMessages).values(message)
}

/** Oldest first. */
export async function listMessagesOfAccount(tx: Queryable, accountId: string) {
  return tx.select().from(supportMessages).where(eq(supportMessages.accountId, accountId)).orderBy(supportMessages.id)
}

export async function deleteMessagesOfAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.delete(supportMessages).where(eq(supportMessages.accountId, accountId))
}
