import type { PlanId } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import { check, index, integer, numeric, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { timestampColumn } from './columns.ts'

/**
 * Coupons. They never change, except that they can be ended. The uses of a coupon are the orders
 * and granted plans that reference it. Lock order: account, paying wallet, coupon, orders of the
 * coupon.
 */
export const coupons = pgTable(
  'coupons',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** The code in capital letters. */
    code: text('code').notNull().unique(),
    /** Exactly one of `percent` and `amountWei` is set. */
    percent: integer('percent'),
    amountWei: numeric('amount_wei', { precision: 78, scale: 0, mode: 'bigint' }),
    planIds: text('plan_ids').array().$type<PlanId[]>().notNull(),
    maxUses: integer('max_uses').notNull(),
    maxUsesPerAccount: integer('max_uses_per_account').notNull(),
    expiresAt: timestampColumn('expires_at').notNull(),
    note: text('note').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    /** Has no foreign key, because the id outlives the account. */
    createdBy: uuid('created_by'),
    endedAt: timestampColumn('ended_at'),
  },
  (table) => [
    index('coupons_created').on(table.createdAt, table.id),
    check('coupons_discount', sql`num_nonnulls(${table.percent}, ${table.amountWei}) = 1`),
    check('coupons_percent', sql`${table.percent} between 1 and 100`),
    check('coupons_amount', sql`${table.amountWei} > 0`),
    check('coupons_uses', sql`${table.maxUses} > 0 and ${table.maxUsesPerAccount} > 0`),
  ],
)

/** Plans without a payment, granted by a coupon that covers the whole price or by an admin. */
export const planGrants = pgTable(
  'plan_grants',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
    planId: text('plan_id').$type<PlanId>().notNull(),
    /** Price of the plan when it was granted. */
    listPriceWei: numeric('list_price_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
    couponId: uuid('coupon_id').references(() => coupons.id),
    createdAt: timestampColumn('created_at').notNull(),
  },
  (table) => [
    index('plan_grants_account').on(table.accountId),
    index('plan_grants_coupon').on(table.couponId).where(sql`coupon_id is not null`),
  ],
)
