import { and, asc, desc, eq, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { destinations } from '../../db/schema/channels.ts'
import { announcements, mailSuppressions, messageRecipients, messages } from '../../db/schema/outreach.ts'
import { findHold } from '../channels/decide-destination.ts'
import { type Recipients, selectRecipients } from './segment-sql.ts'

export type MessageRow = typeof messages.$inferSelect
export type RecipientState = typeof messageRecipients.$inferSelect.state

const createCreatorNameSql = (table: 'announcements' | 'messages') =>
  sql<string | null>`(select a.name from accounts a where a.id = ${sql.raw(table)}.created_by)`

/** Condition for the rows after the row with the id `cursor`, with the newest rows first. */
const buildCursorCondition = (table: 'announcements' | 'messages', cursor: string | undefined): SQL | undefined => {
  const name = sql.raw(table)
  return cursor === undefined
    ? undefined
    : sql`(${name}.created_at, ${name}.id) < (select c.created_at, c.id from ${name} c where c.id = ${cursor})`
}

// Announcements

/** Returns the announcements that are shown to any audience at `now`, oldest first. */
export function listShown(tx: Queryable, now: Date) {
  return tx
    .select()
    .from(announcements)
    .where(and(isNull(announcements.endedAt), lte(announcements.startsAt, now), gt(announcements.endsAt, now)))
    .orderBy(asc(announcements.createdAt), asc(announcements.id))
}

export function listAnnouncements(tx: Queryable, cursor: string | undefined, limit: number) {
  return tx
    .select({ announcement: announcements, creatorName: createCreatorNameSql('announcements') })
    .from(announcements)
    .where(buildCursorCondition('announcements', cursor))
    .orderBy(desc(announcements.createdAt), desc(announcements.id))
    .limit(limit)
}

export type ListedAnnouncement = Awaited<ReturnType<typeof listAnnouncements>>[number]

export async function insertAnnouncement(tx: Queryable, row: typeof announcements.$inferInsert) {
  const [inserted] = await tx.insert(announcements).values(row).returning()
  if (!inserted) throw new Error('The announcement was not stored')
  return inserted
}

/** Ends an announcement. Returns null if it does not exist, was ended before or is over. */
export async function endAnnouncement(tx: Queryable, id: string, at: Date) {
  const [row] = await tx
    .update(announcements)
    .set({ endedAt: at })
    .where(and(eq(announcements.id, id), isNull(announcements.endedAt), gt(announcements.endsAt, at)))
    .returning()
  return row ?? null
}

// Messages

export async function countRecipients(tx: Queryable, recipients: Recipients, now: Date): Promise<number> {
  const { rows } = await tx.execute<{ count: number }>(
    sql`select count(*)::int as count from (${selectRecipients(recipients, now)}) r`,
  )
  return rows[0]?.count ?? 0
}

/**
 * Stores the message with a row for each recipient.
 * @returns the number of recipients
 */
export async function insertMessage(tx: Tx, message: Omit<typeof messages.$inferInsert, 'total'>): Promise<MessageRow> {
  const [row] = await tx
    .insert(messages)
    .values({ ...message, total: 0 })
    .returning()
  if (!row) throw new Error('The message was not stored')
  const { rowCount } = await tx.execute(sql`
    insert into message_recipients (message_id, account_id, state)
    select ${row.id}, r.id, 'waiting' from (${selectRecipients(row, row.createdAt)}) r`)
  const total = rowCount ?? 0
  await tx.update(messages).set({ total }).where(eq(messages.id, row.id))
  return { ...row, total }
}

export function listMessages(tx: Queryable, cursor: string | undefined, limit: number) {
  return selectMessages(tx, buildCursorCondition('messages', cursor), limit)
}

export async function findMessage(tx: Queryable, id: string) {
  const [row] = await selectMessages(tx, eq(messages.id, id), 1)
  return row ?? null
}

export type ListedMessage = NonNullable<Awaited<ReturnType<typeof findMessage>>>

function selectMessages(tx: Queryable, where: SQL | undefined, limit: number) {
  const count = (state: 'sent' | 'skipped') =>
    sql<number>`(select count(*) from ${messageRecipients} where message_id = messages.id and state = ${state})`.mapWith(
      Number,
    )
  return tx
    .select({
      message: messages,
      creatorName: createCreatorNameSql('messages'),
      sent: count('sent'),
      skipped: count('skipped'),
    })
    .from(messages)
    .where(where)
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(limit)
}

export function countSuppressed(tx: Queryable): Promise<number> {
  return tx.$count(mailSuppressions)
}

/**
 * Cancels a message. Returns false if it has ended. Batches lock the message, so no email is queued
 * after the cancellation.
 */
export async function cancelMessage(tx: Queryable, id: string, at: Date): Promise<boolean> {
  const rows = await tx
    .update(messages)
    .set({ endedAt: at, isCancelled: true })
    .where(and(eq(messages.id, id), isNull(messages.endedAt)))
    .returning({ id: messages.id })
  return rows.length > 0
}

/** Cancels all messages that are being sent, and returns them. */
export function cancelRunningMessages(tx: Queryable, at: Date): Promise<Pick<MessageRow, 'id' | 'subject'>[]> {
  return tx
    .update(messages)
    .set({ endedAt: at, isCancelled: true })
    .where(isNull(messages.endedAt))
    .returning({ id: messages.id, subject: messages.subject })
}

export const isRunning = sql`select from ${messages} where ${isNull(messages.endedAt)}`

/**
 * Selects the earliest time of a last attempt among the waiting recipients of a message. Null if
 * one of them was not tried yet.
 */
const longestWait = sql`(select r.at from message_recipients r where r.message_id = messages.id
  and r.state = 'waiting' order by r.at nulls first limit 1)`

/**
 * Returns a running message and locks it, so that a cancellation waits for the batch. Prefers the
 * oldest message with a recipient that was not tried yet, so that recipients whose destinations are
 * busy do not delay other messages. If all recipients were tried, returns the message with the
 * recipient that has waited longest since its last attempt.
 */
export async function lockRunning(tx: Tx): Promise<MessageRow | null> {
  const [row] = await tx
    .select()
    .from(messages)
    .where(isNull(messages.endedAt))
    .orderBy(sql`${longestWait} nulls first`, asc(messages.createdAt), asc(messages.id))
    .limit(1)
    .for('update')
  return row ?? null
}

/**
 * Locks and returns recipients that wait for the message, with the columns that decide whether they
 * still get it. Recipients that were tried before come last, so that they do not delay others.
 */
export function lockWaiting(tx: Tx, messageId: string, limit: number) {
  return tx
    .select({
      accountId: messageRecipients.accountId,
      email: sql<string | null>`case when ${accounts.emailVerifiedAt} is not null then ${accounts.email} end`,
      suspendedAt: accounts.suspendedAt,
      triedAt: messageRecipients.at,
    })
    .from(messageRecipients)
    .innerJoin(accounts, eq(accounts.id, messageRecipients.accountId))
    .where(and(eq(messageRecipients.messageId, messageId), eq(messageRecipients.state, 'waiting')))
    .orderBy(sql`${messageRecipients.at} nulls first`, asc(messageRecipients.accountId))
    .limit(limit)
    .for('no key update', { of: messageRecipients })
}

export async function saveStates(
  tx: Tx,
  messageId: string,
  recipientStates: ReadonlyMap<string, RecipientState>,
  at: Date,
): Promise<void> {
  for (const state of ['sent', 'skipped', 'waiting'] as const) {
    const ids = [...recipientStates].filter(([, one]) => one === state).map(([id]) => id)
    if (ids.length === 0) continue
    await tx.execute(sql`update message_recipients set state = ${state}, at = ${at.toISOString()}::timestamptz
      where message_id = ${messageId} and account_id = any(${sql.param(ids)}::uuid[])`)
  }
}

export async function endMessage(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.update(messages).set({ endedAt: at }).where(eq(messages.id, id))
}

export type HealthyDestination = Pick<
  typeof destinations.$inferSelect,
  'id' | 'accountId' | 'createdAt' | 'notice' | 'mutedUntil' | 'quietHours'
>

/**
 * Locks the healthy destinations of the accounts. Returns them oldest first. Locks all of them
 * together in the order of their ids, as `lockDestinations` does, to avoid deadlocks.
 */
export async function lockHealthyDestinations(tx: Tx, accountIds: string[]): Promise<HealthyDestination[]> {
  const { id, accountId, createdAt, notice, mutedUntil, quietHours } = destinations
  const rows = await tx
    .select({ id, accountId, createdAt, notice, mutedUntil, quietHours })
    .from(destinations)
    .where(and(inArray(accountId, accountIds), eq(destinations.state, 'on'), isNull(destinations.failingSince)))
    .orderBy(asc(id))
    .for('no key update')
  return rows.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
}

/**
 * Stores the text as the notice of one of the account's healthy destinations that has no other
 * unsent notice. Prefers a destination that is not muted and not in quiet hours, because muted
 * notices are sent later.
 * @param healthyDestinations locked and oldest first
 * @returns `busy` if every healthy destination has another unsent notice, `none` if the account has
 *   no healthy destination
 */
export async function addDestinationNotice(
  tx: Tx,
  healthyDestinations: HealthyDestination[],
  text: string,
  now: Date,
): Promise<'sent' | 'busy' | 'none'> {
  const withoutNotice = healthyDestinations.filter((one) => one.notice === null)
  const chosenDestination = withoutNotice.find((one) => findHold(one, null, now) === null) ?? withoutNotice[0]
  if (!chosenDestination) return healthyDestinations.length > 0 ? 'busy' : 'none'
  await tx.update(destinations).set({ notice: text }).where(eq(destinations.id, chosenDestination.id))
  return 'sent'
}
