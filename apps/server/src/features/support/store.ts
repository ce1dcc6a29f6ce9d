import { and, eq, getTableColumns, gt, isNull, lt, ne, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { supportMessages } from '../../db/schema/support.ts'

/** Locks the inserts of messages, so that a limit also counts concurrent messages. */
export async function lockMessages(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('support_messages', 0))`)
}

export async function countAnonymousMessages(tx: Queryable, since: Date): Promise<number> {
  return tx.$count(supportMessages, and(isNull(supportMessages.accountId), gt(supportMessages.at, since)))
}

export async function countMessagesOfAccount(tx: Queryable, accountId: string, since: Date): Promise<number> {
  return tx.$count(supportMessages, and(eq(supportMessages.accountId, accountId), gt(supportMessages.at, since)))
}

/** @returns the id of the message */
export async function insertMessage(tx: Tx, message: typeof supportMessages.$inferInsert): Promise<number> {
  const [row] = await tx.insert(supportMessages).values(message).returning({ id: supportMessages.id })
  if (!row) throw new Error('The message was not stored')
  return row.id
}

/** Returns the messages that the account has written, oldest first, without state and assignee. */
export async function listMessagesOfAccount(tx: Queryable, accountId: string) {
  const { state: _state, assigneeId: _assigneeId, ...writtenColumns } = getTableColumns(supportMessages)
  return tx
    .select(writtenColumns)
    .from(supportMessages)
    .where(eq(supportMessages.accountId, accountId))
    .orderBy(supportMessages.id)
}

export async function deleteMessagesOfAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.delete(supportMessages).where(eq(supportMessages.accountId, accountId))
}

/**
 * Deletes support messages that need no reply and whose last message is older than `before`, with
 * their replies and notes.
 */
export async function deleteSupportMessagesBefore(tx: Queryable, before: Date): Promise<void> {
  const hasNewer = sql`exists (select from support_replies r
    where r.letter_id = ${supportMessages.id} and r.at >= ${before.toISOString()})`
  await tx
    .delete(supportMessages)
    .where(and(ne(supportMessages.state, 'open'), lt(supportMessages.at, before), sql`not ${hasNewer}`))
}
