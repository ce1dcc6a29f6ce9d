import type { Address } from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { and, desc, eq, isNull, type SQL, sql } from 'drizzle-orm'
import type { Queryable, Tx } from '../../db/database.ts'
import { coupons, planGrants } from '../../db/schema/coupons.ts'
import { orders } from '../../db/schema/payments.ts'
import { toTimestamp } from '../../db/to-timestamp.ts'

export type CouponRow = typeof coupons.$inferSelect

export async function findCouponByCode(tx: Queryable, code: string): Promise<CouponRow | null> {
  const [row] = await tx.select().from(coupons).where(eq(coupons.code, code))
  return row ?? null
}

/** Locks the coupon until the transaction ends, which serializes its uses. */
export async function lockCoupon(tx: Tx, id: string): Promise<CouponRow | null> {
  const [row] = await tx.select().from(coupons).where(eq(coupons.id, id)).for('no key update')
  return row ?? null
}

/**
 * An order keeps its use of a coupon for this time after the order expires, because its payment may
 * be in a block that was not read yet.
 */
const RESERVATION_GRACE_MS = HOUR_MS

/** Matches orders `o` that are unpaid and whose transaction, if any, is not pending. */
const isUnpaid = sql`(o.paid_at is null
  and (o.tx_state is null or o.tx_state not in ('seen', 'confirming', 'reorganised')))`

/** Matches orders `o` that are not being collected and have no partial payment. */
const hasNoPayment = sql`(not exists (select 1 from collections c where c.order_id = o.id and c.ended_at is null)
  and not exists (select 1 from unmatched_transfers u
    where u.order_id = o.id and u.reason = 'partial' and u.reverted_at is null and u.resolved_at is null))`

/**
 * Matches orders `o` whose use of the coupon can be released: unpaid orders that were cancelled or
 * have expired, without a pending transaction, a running collection or a partial payment. After the
 * watch period of an order, only a pending transaction prevents the release.
 */
function isReleasable(now: Date): SQL {
  const expiredBefore = new Date(now.getTime() - RESERVATION_GRACE_MS)
  return sql`(${isUnpaid}
    and (o.cancelled_at is not null or o.expires_at < ${toTimestamp(expiredBefore)})
    and (o.watched_until < ${toTimestamp(now)} or ${hasNoPayment}))`
}

/**
 * Releases the uses of orders that were cancelled or have expired. Orders that are being credited
 * at the same time keep their use. Callers must hold the coupon's lock.
 */
export async function releaseUses(tx: Tx, couponId: string, now: Date): Promise<void> {
  await tx.execute(sql`
    update orders set coupon_released_at = ${toTimestamp(now)} where id in (
      select o.id from orders o
      where o.coupon_id = ${couponId} and o.coupon_released_at is null and ${isReleasable(now)}
      for update skip locked)`)
}

/**
 * Cancels the account's unpaid orders with the coupon, unless a payment for them is known. Callers
 * must hold the locks of the account and of the coupon.
 */
export async function cancelUnpaidOrders(tx: Tx, couponId: string, accountId: string, now: Date): Promise<void> {
  const at = toTimestamp(now)
  await tx.execute(sql`
    update orders o set closed_at = ${at}, cancelled_at = ${at}
    where o.coupon_id = ${couponId} and o.account_id = ${accountId} and o.coupon_released_at is null
      and o.cancelled_at is null and ${isUnpaid} and ${hasNoPayment}`)
}

export interface UseCounts {
  total: number
  /** Number of uses by the account, and by the wallet if one is given. */
  own: number
}

interface User {
  accountId: string
  payer: Address | null
}

/** Counts the uses by orders, paid or not, and by granted plans. */
export function countUses(tx: Queryable, couponId: string, user: User): Promise<UseCounts> {
  return selectUses(tx, couponId, user, sql`true`)
}

/** Like `countUses`, without the uses that a new order of the account would release. */
export function countLastingUses(tx: Queryable, couponId: string, accountId: string, now: Date): Promise<UseCounts> {
  const isOwn = sql`(o.account_id is not distinct from ${accountId} and ${isUnpaid} and ${hasNoPayment})`
  return selectUses(tx, couponId, { accountId, payer: null }, sql`not ${isReleasable(now)} and not ${isOwn}`)
}

async function selectUses(
  tx: Queryable,
  couponId: string,
  { accountId, payer }: User,
  isCountedUse: SQL,
): Promise<UseCounts> {
  const { rows } = await tx.execute<{ total: number; own: number }>(sql`
    with uses as (
      select account_id, payer from orders o
      where coupon_id = ${couponId} and coupon_released_at is null and ${isCountedUse}
      union all
      select account_id, null from plan_grants where coupon_id = ${couponId})
    select count(*)::int as total,
      (count(*) filter (where account_id = ${accountId} or payer = ${payer}))::int as own from uses`)
  return rows[0] ?? { total: 0, own: 0 }
}

/** Returns null if the code exists already. */
export async function insertCoupon(tx: Queryable, coupon: typeof coupons.$inferInsert): Promise<CouponRow | null> {
  const [row] = await tx.insert(coupons).values(coupon).onConflictDoNothing().returning()
  return row ?? null
}

/** Ends a coupon. Returns null if it does not exist or has already ended. */
export async function endCoupon(tx: Queryable, id: string, at: Date): Promise<CouponRow | null> {
  const [row] = await tx
    .update(coupons)
    .set({ endedAt: at })
    .where(and(eq(coupons.id, id), isNull(coupons.endedAt)))
    .returning()
  return row ?? null
}

export async function insertGrant(tx: Queryable, grant: typeof planGrants.$inferInsert): Promise<string> {
  const [row] = await tx.insert(planGrants).values(grant).returning({ id: planGrants.id })
  if (!row) throw new Error('The grant was not stored')
  return row.id
}

/** Returns coupons, newest first, starting after the coupon with the id `cursor`. */
export function listCoupons(tx: Queryable, cursor: string | undefined, limit: number, now: Date) {
  return selectCoupons(
    tx,
    now,
    cursor === undefined
      ? undefined
      : sql`(${coupons.createdAt}, ${coupons.id}) < (select c.created_at, c.id from coupons c where c.id = ${cursor})`,
    limit,
  )
}

export async function findListedCoupon(tx: Queryable, id: string, now: Date) {
  const [row] = await selectCoupons(tx, now, eq(coupons.id, id), 1)
  return row ?? null
}

export type ListedCoupon = NonNullable<Awaited<ReturnType<typeof findListedCoupon>>>

function selectCoupons(tx: Queryable, now: Date, where: SQL | undefined, limit: number) {
  const ofCoupon = sql`coupon_id = coupons.id`
  const count = (text: SQL) => sql<number>`(${text})`.mapWith(Number)
  return tx
    .select({
      coupon: coupons,
      creatorName: sql<string | null>`(select a.name from accounts a where a.id = coupons.created_by)`,
      used: count(sql`select (select count(*) from ${orders} where ${ofCoupon} and paid_at is not null)
        + (select count(*) from ${planGrants} where ${ofCoupon})`),
      // The use of an ended order is released only when another purchase needs it.
      reserved: count(
        sql`select count(*) from ${orders} o where ${ofCoupon} and o.paid_at is null and o.coupon_released_at is null
          and not ${isReleasable(now)}`,
      ),
      discountWei: sql<string>`(select (select coalesce(sum(list_price_wei - price_wei), 0) from ${orders}
          where ${ofCoupon} and paid_at is not null)
        + (select coalesce(sum(list_price_wei), 0) from ${planGrants} where ${ofCoupon}))::text`,
    })
    .from(coupons)
    .where(where)
    .orderBy(desc(coupons.createdAt), desc(coupons.id))
    .limit(limit)
}
