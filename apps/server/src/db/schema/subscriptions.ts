import type { PlanId } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { timestampColumn } from './columns.ts'
import { planGrants } from './coupons.ts'
import { payments } from './payments.ts'

/**
 * Paid and granted periods. A period is active while startsAt <= now < endsAt and it is neither
 * cancelled nor revoked.
 */
export const subscriptions = pgTable(
  'subscriptions',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    /** Exactly one of `paymentId` and `grantId` is set. */
    paymentId: uuid('payment_id')
      .unique()
      .references(() => payments.id),
    grantId: uuid('grant_id')
      .unique()
      .references(() => planGrants.id),
    planId: text('plan_id').$type<PlanId>().notNull(),
    startsAt: timestampColumn('starts_at').notNull(),
    endsAt: timestampColumn('ends_at').notNull(),
    cancelledAt: timestampColumn('cancelled_at'),
    /** Time when a reorg removed the payment. Null again when the payment is back on the chain. */
    revokedAt: timestampColumn('revoked_at'),
    createdAt: timestampColumn('created_at').notNull(),
  },
  (table) => [
    check('subscriptions_origin', sql`num_nonnulls(${table.paymentId}, ${table.grantId}) = 1`),
    index('subscriptions_account').on(table.accountId, table.endsAt),
    // For periods whose receipt is due and for periods that end soon. Both are queried every few
    // seconds.
    index('subscriptions_created').on(table.createdAt).where(sql`revoked_at is null`),
    index('subscriptions_ends')
      .on(table.endsAt, table.startsAt, table.accountId)
      .where(sql`cancelled_at is null and revoked_at is null`),
    // For finding the accounts that had a plan at a time. `greatest` is needed, because a range
    // must not end before it starts.
    index('subscriptions_span')
      .using('gist', sql`tstzrange(${table.startsAt}, greatest(${table.startsAt}, ${table.endsAt}))`)
      .where(sql`revoked_at is null`),
  ],
)

/**
 * Signed receipts of paid periods. A period that is moved gets an additional receipt. A receipt is
 * replaced if a reorg has changed the payments of its period.
 */
export const receipts = pgTable(
  'receipts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    subscriptionId: uuid('subscription_id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    startsAt: timestampColumn('starts_at').notNull(),
    endsAt: timestampColumn('ends_at').notNull(),
    /** The canonical bytes that were signed, as text. */
    bytes: text('bytes').notNull(),
    signature: text('signature').notNull(),
    issuedAt: timestampColumn('issued_at').notNull(),
  },
  (table) => [uniqueIndex('receipts_period').on(table.subscriptionId, table.startsAt, table.endsAt)],
)

/**
 * Emails sent about a period. `endsAt` is part of the key, so that a period whose end has moved
 * gets another email.
 */
export const subscriptionMails = pgTable(
  'subscription_mails',
  {
    subscriptionId: uuid('subscription_id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<'receipt' | 'ending'>().notNull(),
    endsAt: timestampColumn('ends_at').notNull(),
    at: timestampColumn('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.subscriptionId, table.kind, table.endsAt] })],
)
