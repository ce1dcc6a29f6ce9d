import {
  activityGroups,
  activity as activitySchema,
  type endpoints,
  type Permission,
  type TimelineEvent,
} from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { and, desc, eq, isNull, ne, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../db/database.ts'
import { accounts, activities } from '../../db/schema/accounts.ts'
import { alertReads } from '../../db/schema/alerts.ts'
import { auditEntries } from '../../db/schema/audit.ts'
import { supportMessages } from '../../db/schema/support.ts'
import { createPage } from '../../http/cursor.ts'
import { type Handler, requireActor } from '../../http/route.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { findAccount } from '../sessions/account-store.ts'

/**
 * The position of an event in the timeline, which is ordered by time, then by source, then by id.
 */
interface TimelinePosition {
  at: Date
  source: number
  id: number
}

type Row = TimelinePosition & { event: TimelineEvent }

interface Page {
  accountId: string
  before: TimelinePosition | undefined
  limit: number
}

/**
 * A table that the timeline reads: the permission that is needed, and a query for its newest
 * events.
 */
interface Source {
  permission: Permission
  list(tx: Queryable, page: Page, source: number, permissions: readonly Permission[]): Promise<Row[]>
}

const sources: readonly Source[] = [
  { permission: 'users.read', list: listActivities },
  { permission: 'audit.read', list: listStaffActions },
  { permission: 'letters.read', list: listLetters },
  { permission: 'users.read', list: listReadDays },
]

/**
 * Lists what an account did and what happened to it, newest first: its activity, actions of staff,
 * support messages and the number of alerts that it read on each day. Staff see only what their
 * role may read.
 */
export const listUserTimeline: Handler<(typeof endpoints)['listUserTimeline']> = async (ctx, input) => {
  const { id: accountId } = input.params
  const { cursor, limit } = input.query
  const account = isUuid(accountId) ? await findAccount(ctx.db, accountId) : undefined
  if (!account) throw new Refusal('not_found', 'User not found.')
  const { permissions } = requireActor(input)
  const page = { accountId, before: parseTimelinePosition(cursor), limit: limit + 1 }
  const lists = await Promise.all(
    sources.map(({ permission, list }, sourceIndex) =>
      permissions.includes(permission) ? list(ctx.db, page, sourceIndex, permissions) : [],
    ),
  )
  const rows = lists.flat().sort(comparePositions)
  const { items, nextCursor } = createPage(rows, limit, formatTimelinePosition)
  return { items: items.map(({ event }) => event), nextCursor }
}

function comparePositions(a: TimelinePosition, b: TimelinePosition): number {
  return b.at.getTime() - a.at.getTime() || b.source - a.source || b.id - a.id
}

const formatTimelinePosition = ({ at, source, id }: TimelinePosition) => `${at.getTime()}.${source}.${id}`

/** An invalid cursor means the first page. */
function parseTimelinePosition(cursor: string | undefined): TimelinePosition | undefined {
  const [, at, source, id] = /^(\d{1,14})\.(\d)\.(\d{1,15})$/.exec(cursor ?? '') ?? []
  return at === undefined ? undefined : { at: new Date(Number(at)), source: Number(source), id: Number(id) }
}

/** Matches the rows of a source that come after the position. */
function createCursorCondition(
  before: TimelinePosition | undefined,
  source: number,
  at: PgColumn | SQL,
  id: PgColumn | SQL,
): SQL | undefined {
  if (!before) return undefined
  const time = before.at.toISOString()
  if (source !== before.source) return source < before.source ? sql`${at} <= ${time}` : sql`${at} < ${time}`
  return sql`(${at}, ${id}) < (${time}, ${before.id})`
}

async function listActivities(
  tx: Queryable,
  { accountId, before, limit }: Page,
  source: number,
  permissions: readonly Permission[],
): Promise<Row[]> {
  const { id, at } = activities
  // The details of activity with alerts have log indexes, even of drafts, so they need the
  // permission to read alerts.
  const hiddenKinds = [
    ...(permissions.includes('payments.read') ? [] : activityGroups.payments),
    ...(permissions.includes('alerts.read') ? [] : activityGroups.alerts),
  ]
  const isShownKind = hiddenKinds.length === 0 ? undefined : notInArray(activities.kind, hiddenKinds)
  const rows = await tx
    .select()
    .from(activities)
    .where(and(eq(activities.accountId, accountId), isShownKind, createCursorCondition(before, source, at, id)))
    .orderBy(desc(at), desc(id))
    .limit(limit)
  return rows.map((row) => ({
    ...row,
    source,
    event: {
      type: 'activity',
      id: `a${row.id}`,
      at: row.at.toISOString(),
      kind: activitySchema.shape.kind.parse(row.kind),
      detail: row.detail,
    },
  }))
}

/** Lists actions of others on the account. The account's own changes are part of its activity. */
async function listStaffActions(tx: Queryable, page: Page, source: number): Promise<Row[]> {
  const { id, at, actorId, subject } = auditEntries
  const isByOthers = or(isNull(actorId), ne(actorId, page.accountId))
  const rows = await tx
    .select({ entry: auditEntries, actorName: accounts.name })
    .from(auditEntries)
    .leftJoin(accounts, eq(accounts.id, actorId))
    .where(and(eq(subject, page.accountId), isByOthers, createCursorCondition(page.before, source, at, id)))
    .orderBy(desc(at), desc(id))
    .limit(page.limit)
  return rows.map(({ entry, actorName }) => ({
    at: entry.at,
    source,
    id: entry.id,
    event: {
      type: 'staff',
      id: `s${entry.id}`,
      at: entry.at.toISOString(),
      action: entry.action,
      actor: entry.actorId === null ? null : { id: entry.actorId, name: actorName },
      reason: entry.reason,
      detail: entry.detail,
    },
  }))
}

async function listLetters(tx: Queryable, page: Page, source: number): Promise<Row[]> {
  const { id, at, subject, state } = supportMessages
  const rows = await tx
    .select({ id, at, subject, state })
    .from(supportMessages)
    .where(and(eq(supportMessages.accountId, page.accountId), createCursorCondition(page.before, source, at, id)))
    .orderBy(desc(at), desc(id))
    .limit(page.limit)
  return rows.map((row) => ({
    ...row,
    source,
    event: {
      type: 'letter',
      id: `l${row.id}`,
      at: row.at.toISOString(),
      letterId: row.id,
      subject: row.subject,
      state: row.state,
    },
  }))
}

/**
 * Lists one event for each day (UTC) on which the account read alerts, at the time when it last
 * read one.
 */
async function listReadDays(tx: Queryable, page: Page, source: number): Promise<Row[]> {
  const { accountId, readAt } = alertReads
  const day = sql<number>`floor(extract(epoch from ${readAt}) / ${DAY_MS / 1000})`.mapWith(Number)
  const lastReadAt = sql<Date>`max(${readAt})`.mapWith(readAt)
  const rows = await tx
    .select({ id: day, at: lastReadAt, count: sql<number>`count(*)`.mapWith(Number) })
    .from(alertReads)
    .where(eq(accountId, page.accountId))
    .groupBy(sql`1`)
    .having(createCursorCondition(page.before, source, sql`max(${readAt})`, sql`max(${day})`))
    .orderBy(desc(lastReadAt))
    .limit(page.limit)
  return rows.map(({ id, at, count }) => ({
    at,
    source,
    id,
    event: { type: 'read', id: `r${id}`, at: at.toISOString(), count },
  }))
}
