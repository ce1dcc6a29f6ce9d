import type { Hex } from '@tocsin/proof'
import { maxCounted, type PlanId, type UserFilter, type UserSort } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { and, asc, desc, eq, ilike, inArray, isNotNull, isNull, lte, max, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../db/database.ts'
import { createLikePattern } from '../../db/like-pattern.ts'
import { accountFigures, accounts } from '../../db/schema/accounts.ts'
import { auditEntries } from '../../db/schema/audit.ts'
import { payments } from '../../db/schema/payments.ts'
import { subscriptions } from '../../db/schema/subscriptions.ts'
import { wallets } from '../../db/schema/wallets.ts'
import { isOpenAt, isRunningAt, paidWei } from '../subscriptions/store.ts'

export interface UserSelection {
  search?: string | undefined
  filter: UserFilter
}

export type UserRow = Awaited<ReturnType<typeof selectUsers>>[number]

/** A period that is not over, cancelled or revoked, with the amount paid for it. */
export interface OpenPeriod {
  id: string
  accountId: string
  planId: PlanId
  startsAt: Date
  endsAt: Date
  /** 0 if the period was granted without a payment. */
  amountWei: bigint
  txHash: Hex | null
}

/** Position of an account in the list of users, newest first. */
export interface UserCursor {
  createdAt: Date
  id: string
}

/**
 * Returns a page of users, newest first. `after` is the position of the last item of the previous
 * page. That account may have been deleted since.
 */
export async function listUsers(
  tx: Queryable,
  selection: UserSelection,
  { after, limit }: { after: UserCursor | undefined; limit: number },
  now: Date,
): Promise<UserRow[]> {
  const isAfter =
    after && sql`(${accounts.createdAt}, ${accounts.id}) < (${after.createdAt.toISOString()}, ${after.id})`
  return selectUsers(tx, and(await buildSelectionCondition(tx, selection, now), isAfter), limit)
}

/** Returns a page of users in an order other than newest first. */
export async function listSortedUsers(
  tx: Queryable,
  selection: UserSelection,
  { sort, offset, limit }: { sort: Exclude<UserSort, 'newest'>; offset: number; limit: number },
  now: Date,
): Promise<UserRow[]> {
  const selectedCondition = await buildSelectionCondition(tx, selection, now)
  const find: FindIds = async ({ order, join = sql``, only = sql`true` }, page) => {
    const { rows } = await tx.execute<{ id: string }>(sql`
      select accounts.id from accounts ${join} where ${selectedCondition ?? sql`true`} and ${only}
      order by ${order} limit ${page.limit} offset ${page.offset}`)
    return rows.map(({ id }) => id)
  }
  const page = { offset, limit }
  const ids = sort === 'expires' ? await findByExpiry(find, page, now) : await find(orders[sort], page)
  if (ids.length === 0) return []
  const rows = await selectUsers(tx, inArray(accounts.id, ids), limit)
  return rows.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
}

/**
 * An inner join, because every account has a row in `account_figures`. The database can then read
 * the accounts in the order of an index of that table.
 */
const joinFigures = sql`join ${accountFigures} figures on figures.account_id = accounts.id`

interface Order {
  order: SQL
  join?: SQL
  only?: SQL
}

type FindIds = (order: Order, page: { offset: number; limit: number }) => Promise<string[]>

const orders: Record<Exclude<UserSort, 'newest' | 'expires'>, Order> = {
  oldest: { order: sql`accounts.created_at, accounts.id` },
  name: { order: sql`lower(accounts.name), accounts.id` },
  email: { order: sql`lower(accounts.email) nulls last, accounts.id` },
  seen: { order: sql`figures.seen_at desc nulls last, figures.account_id`, join: joinFigures },
  paid: { order: sql`figures.paid_wei desc nulls last, figures.account_id`, join: joinFigures },
}

/**
 * Returns a page of account ids: accounts with a plan, ordered by the end of the plan, and then all
 * other accounts. Uses two queries: the first reads only the few accounts with a plan, and the
 * second stops at the end of the page. A single query with a search would compare every account
 * with the search text before it could sort the accounts.
 */
async function findByExpiry(find: FindIds, { offset, limit }: { offset: number; limit: number }, now: Date) {
  const openSubscriptions = sql`${subscriptions} where ${isOpenAt(now)}`
  const join = sql`join (select account_id, max(ends_at) as ends_at from ${openSubscriptions} group by 1) plan
    on plan.account_id = accounts.id`
  const withPlan = await find({ order: sql`plan.ends_at, accounts.id`, join }, { offset: 0, limit: offset + limit })
  const page = withPlan.slice(offset)
  if (page.length === limit) return page
  const hasNoPlan = sql`not exists (select from ${openSubscriptions} and account_id = accounts.id)`
  const remainingPage = { offset: Math.max(0, offset - withPlan.length), limit: limit - page.length }
  return [...page, ...(await find({ order: sql`accounts.id`, only: hasNoPlan }, remainingPage))]
}

/** Returns the sum that each account has paid on all chains, in base units. */
export async function sumPaid(tx: Queryable, accountIds: string[]): Promise<Map<string, string>> {
  const rows = await tx.select().from(accountFigures).where(inArray(accountFigures.accountId, accountIds))
  return new Map(rows.map(({ accountId, paidWei }) => [accountId, paidWei.toString()]))
}

export async function findUser(tx: Queryable, id: string): Promise<UserRow | null> {
  const [row] = await selectUsers(tx, eq(accounts.id, id), 1)
  return row ?? null
}

function selectUsers(tx: Queryable, where: SQL | undefined, limit: number) {
  return tx
    .select({
      id: accounts.id,
      name: accounts.name,
      email: accounts.email,
      role: accounts.role,
      emailVerifiedAt: accounts.emailVerifiedAt,
      createdAt: accounts.createdAt,
      suspendedAt: accounts.suspendedAt,
      suspensionReason: accounts.suspensionReason,
      // These subqueries use raw names: in a query of a single table, drizzle omits the name of the
      // table, and an unqualified column in a subquery could refer to another table.
      wallets: sql<string[]>`array(
        select w.address from ${wallets} w where w.account_id = accounts.id group by w.address order by min(w.linked_at))`,
      lastSeenAt: sql<Date | null>`(
        select f.seen_at from ${accountFigures} f where f.account_id = accounts.id)`.mapWith(accounts.createdAt),
    })
    .from(accounts)
    .where(where)
    .orderBy(desc(accounts.createdAt), desc(accounts.id))
    .limit(limit)
}

export async function countUsers(tx: Queryable, selection: UserSelection, now: Date) {
  const isExpired = selection.filter === 'expired' && !selection.search
  const [total, active, matchingCount] = await Promise.all([
    tx.$count(accounts),
    tx.$count(accounts, inArray(accounts.id, selectRunning(tx, now))),
    // Comparing every account with its plans is slow. So count the accounts that never had a plan,
    // and subtract them and the active accounts from the total below.
    isExpired ? tx.$count(accounts, selectSubscribed(false)) : countMatching(tx, selection, now),
  ])
  return { total, active, matching: isExpired ? total - active - matchingCount : matchingCount }
}

/**
 * Counts matching accounts. A search counts up to a limit, because a short part of an address
 * matches most accounts.
 */
async function countMatching(tx: Queryable, selection: UserSelection, now: Date): Promise<number> {
  const selectedCondition = await buildSelectionCondition(tx, selection, now)
  if (!selection.search) return tx.$count(accounts, selectedCondition)
  return tx.$count(tx.select({ one: sql`1` }).from(accounts).where(selectedCondition).limit(maxCounted).as('found'))
}

async function buildSelectionCondition(
  tx: Queryable,
  { search, filter }: UserSelection,
  now: Date,
): Promise<SQL | undefined> {
  return and(search ? await isFound(tx, search) : undefined, isOfKind(tx, filter, now))
}

const MAX_HOLDERS = 1_000

/**
 * Matches accounts by a search text. If few wallets match, lists their accounts, so that PostgreSQL
 * can combine indexes. If many match, checks the wallets of each account, so that PostgreSQL reads
 * accounts in the order of the list until the page is full.
 */
async function isFound(tx: Queryable, search: string): Promise<SQL | undefined> {
  const pattern = createLikePattern(search)
  const isPartOfAddress = /^[\da-fx]+$/i.test(search)
  const holders = isPartOfAddress
    ? await tx
        .select({ id: wallets.accountId })
        .from(wallets)
        .where(ilike(wallets.address, pattern))
        .limit(MAX_HOLDERS + 1)
    : []
  const isHolder =
    holders.length > MAX_HOLDERS
      ? sql`(select bool_or(address ilike ${pattern}) from ${wallets} where account_id = accounts.id)`
      : inArray(
          accounts.id,
          holders.map(({ id }) => id),
        )
  return or(sql`accounts.search_text like lower(${pattern})`, isHolder)
}

function isOfKind(tx: Queryable, filter: UserFilter, now: Date): SQL | undefined {
  // `not exists` is used because PostgreSQL plans `not in` of a large subquery as one scan for each
  // row.
  const isActive = sql`exists (select 1 from ${subscriptions} where account_id = accounts.id and ${isRunningAt(now)})`
  const kinds: Record<UserFilter, SQL | undefined> = {
    all: undefined,
    active: inArray(accounts.id, selectRunning(tx, now)),
    ending: inArray(accounts.id, selectEnding(tx, now, new Date(now.getTime() + DAY_MS))),
    left: inArray(accounts.id, selectEnding(tx, new Date(now.getTime() - 7 * DAY_MS), now)),
    expired: sql`${selectSubscribed(true)} and not ${isActive}`,
    none: selectSubscribed(false),
    admin: ne(accounts.role, 'user'),
    suspended: isNotNull(accounts.suspendedAt),
  }
  return kinds[filter]
}

const selectSubscribed = (subscribed: boolean) =>
  sql`accounts.id in (select account_id from ${accountFigures} where ${subscribed ? sql`` : sql`not `}subscribed)`

/** Selects accounts whose last period ends or ended in (after, until]. */
function selectEnding(tx: Queryable, after: Date, until: Date) {
  return tx
    .select({ id: subscriptions.accountId })
    .from(subscriptions)
    .where(isOpenAt(after))
    .groupBy(subscriptions.accountId)
    .having(lte(max(subscriptions.endsAt), until))
}

/** Selects accounts with a running period. */
function selectRunning(tx: Queryable, now: Date) {
  return tx.select({ id: subscriptions.accountId }).from(subscriptions).where(isRunningAt(now))
}

export async function listOpenPeriods(tx: Queryable, accountIds: string[], now: Date): Promise<OpenPeriod[]> {
  return tx
    .select({
      id: subscriptions.id,
      accountId: subscriptions.accountId,
      planId: subscriptions.planId,
      startsAt: subscriptions.startsAt,
      endsAt: subscriptions.endsAt,
      amountWei: paidWei,
      txHash: payments.txHash,
    })
    .from(subscriptions)
    .leftJoin(payments, eq(payments.id, subscriptions.paymentId))
    .where(and(inArray(subscriptions.accountId, accountIds), isOpenAt(now)))
    .orderBy(asc(subscriptions.startsAt))
}

// ── one account
// ─────────────────────────────────────────────────────────────────────────────────────────────────

const DETAIL_LIMIT = 200

export function listSubscriptions(tx: Queryable, accountId: string) {
  return tx
    .select({ period: subscriptions, amountWei: paidWei, txHash: payments.txHash })
    .from(subscriptions)
    .leftJoin(payments, eq(payments.id, subscriptions.paymentId))
    .where(eq(subscriptions.accountId, accountId))
    .orderBy(desc(subscriptions.startsAt))
    .limit(DETAIL_LIMIT)
}

/** Returns the extensions of an account's periods, with the names of admins who still exist. */
export function listExtensions(tx: Queryable, accountId: string) {
  return tx
    .select({ entry: auditEntries, actorName: accounts.name })
    .from(auditEntries)
    .leftJoin(accounts, eq(accounts.id, auditEntries.actorId))
    .where(and(eq(auditEntries.subject, accountId), eq(auditEntries.action, 'subscription_extended')))
    .orderBy(desc(auditEntries.id))
    .limit(DETAIL_LIMIT)
}

export function listPayments(tx: Queryable, accountId: string) {
  return tx
    .select()
    .from(payments)
    .where(eq(payments.accountId, accountId))
    .orderBy(desc(payments.blockAt))
    .limit(DETAIL_LIMIT)
}

// ── changes
// ─────────────────────────────────────────────────────────────────────────────────────────────────

/** Returns the owners who can sign in, with their verified address. */
export function listOwners(tx: Queryable): Promise<{ id: string; email: string | null }[]> {
  return tx
    .select({
      id: accounts.id,
      email: sql<string | null>`case when ${accounts.emailVerifiedAt} is not null then ${accounts.email} end`,
    })
    .from(accounts)
    .where(and(eq(accounts.role, 'owner'), isNull(accounts.suspendedAt)))
}
