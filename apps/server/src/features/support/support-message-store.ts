import type { SupportMessageState } from '@tocsin/protocol'
import { and, asc, desc, eq, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable, Tx } from '../../db/database.ts'
import { createLikePattern } from '../../db/like-pattern.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { supportMessages, supportReplies } from '../../db/schema/support.ts'

export interface SupportMessageFilter {
  state?: SupportMessageState | undefined
  assigneeId?: string | undefined
  accountId?: string | undefined
  search?: string | undefined
}

const assignees = alias(accounts, 'assignees')

function selectSupportMessages(tx: Queryable, where: SQL | undefined, limit: number) {
  const countReplies = (kind: 'answer' | 'note') =>
    sql<number>`(select count(*) from support_replies r where r.letter_id = support_messages.id and r.kind = ${kind})`.mapWith(
      Number,
    )
  return tx
    .select({
      supportMessage: supportMessages,
      account: { id: accounts.id, name: accounts.name },
      assignee: { id: assignees.id, name: assignees.name },
      answers: countReplies('answer'),
      notes: countReplies('note'),
      repliedAt:
        sql<Date | null>`(select max(r.at) from support_replies r where r.letter_id = support_messages.id)`.mapWith(
          supportReplies.at,
        ),
    })
    .from(supportMessages)
    .leftJoin(accounts, eq(accounts.id, supportMessages.accountId))
    .leftJoin(assignees, eq(assignees.id, supportMessages.assigneeId))
    .where(where)
    .orderBy(desc(supportMessages.id))
    .limit(limit)
}

export type SupportMessageRow = Awaited<ReturnType<typeof selectSupportMessages>>[number]

/** Returns support messages with an id below `before`, newest first. */
export function listSupportMessages(
  tx: Queryable,
  selection: SupportMessageFilter,
  before: number | undefined,
  limit: number,
) {
  const { state, assigneeId, accountId, search } = selection
  const pattern = search ? createLikePattern(search) : undefined
  // Selects the page first. Otherwise a search with many matches would read account and replies of
  // each matching message.
  const page = tx
    .select({ id: supportMessages.id })
    .from(supportMessages)
    .where(
      and(
        state === undefined ? undefined : eq(supportMessages.state, state),
        assigneeId === undefined ? undefined : eq(supportMessages.assigneeId, assigneeId),
        accountId === undefined ? undefined : eq(supportMessages.accountId, accountId),
        pattern === undefined
          ? undefined
          : sql`concat_ws(' ', ${supportMessages.name}, ${supportMessages.email}, ${supportMessages.subject},
              ${supportMessages.message}) ilike ${pattern}`,
        before === undefined ? undefined : lt(supportMessages.id, before),
      ),
    )
    .orderBy(desc(supportMessages.id))
    .limit(limit)
  return selectSupportMessages(tx, inArray(supportMessages.id, page), limit)
}

export async function findSupportMessage(tx: Queryable, id: number): Promise<SupportMessageRow | null> {
  const [row] = await selectSupportMessages(tx, eq(supportMessages.id, id), 1)
  return row ?? null
}

export async function countOpen(tx: Queryable): Promise<{ count: number; oldestAt: Date | null }> {
  const [row] = await tx
    .select({
      count: sql<number>`count(*)`.mapWith(Number),
      oldestAt: sql<Date | null>`min(${supportMessages.at})`.mapWith(supportMessages.at),
    })
    .from(supportMessages)
    .where(eq(supportMessages.state, 'open'))
  return row ?? { count: 0, oldestAt: null }
}

/** Returns the replies in order, with the names of authors whose account still exists. */
export function listReplies(tx: Queryable, supportMessageId: number) {
  return tx
    .select({ reply: supportReplies, authorName: accounts.name })
    .from(supportReplies)
    .leftJoin(accounts, eq(accounts.id, supportReplies.authorId))
    .where(eq(supportReplies.letterId, supportMessageId))
    .orderBy(asc(supportReplies.at), asc(supportReplies.id))
}

/** Locks a support message, so that changes of it do not run concurrently. */
export async function lockSupportMessage(tx: Tx, id: number) {
  const [row] = await tx.select().from(supportMessages).where(eq(supportMessages.id, id)).for('no key update')
  return row ?? null
}

export async function insertReply(tx: Tx, reply: typeof supportReplies.$inferInsert): Promise<string> {
  const [row] = await tx.insert(supportReplies).values(reply).returning({ id: supportReplies.id })
  if (!row) throw new Error('The reply was not stored')
  return row.id
}

export async function updateSupportMessage(
  tx: Tx,
  id: number,
  change: { state?: SupportMessageState; assigneeId?: string | null },
): Promise<void> {
  await tx.update(supportMessages).set(change).where(eq(supportMessages.id, id))
}
