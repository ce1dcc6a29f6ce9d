import type { SecurityCategory } from '@tocsin/protocol'
import { and, asc, desc, eq, inArray, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/database.ts'
import { createLikePattern } from '../../db/like-pattern.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { auditEntries } from '../../db/schema/audit.ts'
import { securityEvents, securityOutbox } from '../../db/schema/security.ts'

export interface EventRow {
  event: typeof securityEvents.$inferSelect
  account: { id: string; name: string } | null
  subject: { id: string; name: string } | null
}

export interface Selection {
  category?: SecurityCategory | undefined
  search?: string | undefined
}

interface Page {
  beforeId?: number | undefined
  limit: number
}

const subjects = alias(accounts, 'subjects')

function selectEvents(tx: Queryable) {
  return tx
    .select({
      event: securityEvents,
      account: { id: accounts.id, name: accounts.name },
      subject: { id: subjects.id, name: subjects.name },
    })
    .from(securityEvents)
    .leftJoin(accounts, eq(accounts.securityId, securityEvents.accountRef))
    .leftJoin(subjects, eq(subjects.securityId, securityEvents.subjectRef))
}

/** Maximum number of accounts that a search matches. More would make the search slow. */
const MAX_MATCHING_ACCOUNTS = 100

/** Returns events, newest first. */
export async function listEvents(tx: Queryable, { category, search }: Selection, page: Page): Promise<EventRow[]> {
  return selectEvents(tx)
    .where(
      and(
        category === undefined ? undefined : eq(securityEvents.category, category),
        search ? await buildSearchCondition(tx, search) : undefined,
        page.beforeId === undefined ? undefined : lt(securityEvents.id, page.beforeId),
      ),
    )
    .orderBy(desc(securityEvents.id))
    .limit(page.limit)
}

/**
 * Returns the condition of a search. It matches kind and network by prefix, and accounts by id or
 * by a part of their name or address.
 */
async function buildSearchCondition(tx: Queryable, search: string): Promise<SQL | undefined> {
  const pattern = createLikePattern(search)
  const matchingAccounts = await tx
    .select({ ref: accounts.securityId })
    .from(accounts)
    .where(sql`accounts.search_text like lower(${pattern})`)
    .limit(MAX_MATCHING_ACCOUNTS)
  const refs = matchingAccounts.map(({ ref }) => ref)
  const kind = search.toLowerCase().replaceAll(' ', '_')
  return or(
    sql`starts_with(${securityEvents.kind}, ${kind})`,
    sql`starts_with(${securityEvents.network}, ${search.toLowerCase()})`,
    refs.length > 0 ? inArray(securityEvents.accountRef, refs) : undefined,
    refs.length > 0 ? inArray(securityEvents.subjectRef, refs) : undefined,
  )
}

/**
 * Returns the events of one account, newest first, without those that its owner caused as an admin.
 */
export async function listEventsOf(tx: Queryable, accountId: string, page: Page) {
  const ref = sql`(select ${accounts.securityId} from ${accounts} where ${eq(accounts.id, accountId)})`
  return tx
    .select()
    .from(securityEvents)
    .where(
      and(
        eq(securityEvents.accountRef, ref),
        ne(securityEvents.category, 'admin'),
        page.beforeId === undefined ? undefined : lt(securityEvents.id, page.beforeId),
      ),
    )
    .orderBy(desc(securityEvents.id))
    .limit(page.limit)
}

export type OutboxTarget = 'line' | 'syslog'

/** Returns the oldest events that wait to be sent to the target. */
export async function listOutgoing(tx: Queryable, target: OutboxTarget, limit: number): Promise<EventRow[]> {
  return selectEvents(tx)
    .innerJoin(securityOutbox, eq(securityOutbox.eventId, securityEvents.id))
    .where(eq(securityOutbox.target, target))
    .orderBy(asc(securityOutbox.eventId))
    .limit(limit)
}

export const isOutgoing = (target: OutboxTarget) =>
  sql`select from ${securityOutbox} where ${eq(securityOutbox.target, target)}`

export async function deleteOutgoing(tx: Queryable, target: OutboxTarget, ids: readonly number[]): Promise<void> {
  await tx
    .delete(securityOutbox)
    .where(and(eq(securityOutbox.target, target), inArray(securityOutbox.eventId, [...ids])))
}

/**
 * Drops all but the newest events that wait for the target. Returns the number of dropped events.
 */
export async function dropOutgoing(tx: Queryable, target: OutboxTarget, keptCount: number): Promise<number> {
  const { rowCount } = await tx.execute(sql`
    delete from ${securityOutbox} where target = ${target} and event_id <= (
      select event_id from ${securityOutbox} where target = ${target} order by event_id desc offset ${keptCount} limit 1)`)
  return rowCount ?? 0
}

export function countOutgoing(tx: Queryable, target: OutboxTarget): Promise<number> {
  return tx.$count(securityOutbox, eq(securityOutbox.target, target))
}

/**
 * Deletes audit entries by age. The condition `isOld` is needed, because the database refuses to
 * delete entries of the last 365 days.
 * @returns how many entries were deleted, at most `maxRows`
 */
export async function deleteAuditEntriesBefore(tx: Queryable, before: Date, maxRows: number): Promise<number> {
  const isOld = lt(auditEntries.at, sql`now() - interval '365 days'`)
  const oldEntries = tx
    .select({ id: auditEntries.id })
    .from(auditEntries)
    .where(and(lt(auditEntries.at, before), isOld))
    .limit(maxRows)
  const { rowCount } = await tx.delete(auditEntries).where(inArray(auditEntries.id, oldEntries))
  return rowCount ?? 0
}

/**
 * Deletes events by age. The condition `isOld` is needed, because the database refuses to delete
 * events of the last 90 days.
 * @returns how many events were deleted, at most `maxRows`
 */
export async function deleteEventsBefore(tx: Queryable, before: Date, maxRows: number): Promise<number> {
  const isOld = lt(securityEvents.at, sql`now() - interval '90 days'`)
  const oldEvents = tx
    .select({ id: securityEvents.id })
    .from(securityEvents)
    .where(and(lt(securityEvents.at, before), isOld))
    .limit(maxRows)
  const { rowCount } = await tx.delete(securityEvents).where(inArray(securityEvents.id, oldEvents))
  return rowCount ?? 0
}
