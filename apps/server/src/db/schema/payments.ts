import type { Address, Hex } from '@tocsin/proof'
import type { OrderFlag, OrderPath, PlanId } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import {
  bigint,
  date,
  index,
  integer,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { timestampColumn } from './columns.ts'
import { coupons } from './coupons.ts'

/**
 * Columns of a transfer as found on the chain. `logIndex` is relative to the transaction, not to
 * the block, so it stays the same when a reorg moves the transaction to another block.
 */
const transferColumns = {
  chainId: integer('chain_id').notNull(),
  txHash: text('tx_hash').$type<Hex>().notNull(),
  logIndex: integer('log_index').notNull(),
  blockNumber: bigint('block_number', { mode: 'number' }).notNull(),
  blockHash: text('block_hash').$type<Hex>().notNull(),
  blockAt: timestampColumn('block_at').notNull(),
  token: text('token').$type<Address>().notNull(),
  payer: text('payer').$type<Address>().notNull(),
  /**
   * The recipient. Null for old transfers, whose recipient was not recorded: they went to the
   * treasury of their order, or to the configured one.
   */
  treasury: text('treasury').$type<Address>(),
  amountWei: numeric('amount_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
}

/**
 * Columns with the resolution of a row: the admin, the time and the reason. The admin's id has no
 * foreign key, because it outlives the account.
 */
const resolutionColumns = {
  resolvedAt: timestampColumn('resolved_at'),
  resolvedBy: uuid('resolved_by'),
  resolutionReason: text('resolution_reason'),
}

/**
 * Orders with the terms at the time of ordering. The paid amount is not stored, because it is the
 * sum of the transfers that reference the order.
 */
export const orders = pgTable(
  'orders',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
    planId: text('plan_id').$type<PlanId>().notNull(),
    priceWei: numeric('price_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
    /** The coupon that reduced the price, and the price without it. */
    couponId: uuid('coupon_id').references(() => coupons.id),
    listPriceWei: numeric('list_price_wei', { precision: 78, scale: 0, mode: 'bigint' }),
    /**
     * When the unpaid order lost its use of the coupon to another purchase. A payment that arrives
     * afterwards is not credited automatically.
     */
    couponReleasedAt: timestampColumn('coupon_released_at'),
    chainId: integer('chain_id').notNull(),
    token: text('token').$type<Address>().notNull(),
    treasury: text('treasury').$type<Address>().notNull(),
    payer: text('payer').$type<Address>().notNull(),
    path: text('path').$type<OrderPath>().notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    expiresAt: timestampColumn('expires_at').notNull(),
    /** A transfer between `expiresAt` and this time is still assigned to the order. */
    watchedUntil: timestampColumn('watched_until').notNull(),
    cancelledAt: timestampColumn('cancelled_at'),
    /**
     * When a newer purchase replaced this order. An order that waits for a token approval is
     * replaced by any newer purchase of the same account or wallet. Another order is replaced if a
     * newer purchase of the same account needs its use of the coupon. From then on nothing is
     * collected for this order.
     */
    closedAt: timestampColumn('closed_at'),
    /** When the subscription was granted. A reorg that removes the payment does not clear it. */
    paidAt: timestampColumn('paid_at'),
    flags: text('flags').array().$type<OrderFlag[]>().notNull().default(sql`'{}'`),
    /** The newest known transaction and the transactions that it replaced. */
    txHash: text('tx_hash').$type<Hex>(),
    replacedHashes: text('replaced_hashes').array().$type<Hex[]>().notNull().default(sql`'{}'`),
    /** Null if there is no transaction, or if it is already recorded as a transfer. */
    txState: text('tx_state').$type<'seen' | 'confirming' | 'failed' | 'reorganised' | 'dropped'>(),
    /** Sender and nonce: another transaction with the same pair replaces it. */
    txSender: text('tx_sender').$type<Address>(),
    txNonce: integer('tx_nonce'),
    /** When a node last returned the transaction, or when it was reported. */
    txSeenAt: timestampColumn('tx_seen_at'),
    /**
     * When the watcher reads the reported transaction next (null means now), and how often it has
     * read it.
     */
    hintDueAt: timestampColumn('hint_due_at'),
    hintReads: integer('hint_reads').notNull().default(0),
    /**
     * Number of transactions that were reported before they were in a block, and the hashed network
     * of the last reporter.
     */
    hintCount: integer('hint_count').notNull().default(0),
    hintNetwork: text('hint_network'),
    blockNumber: bigint('block_number', { mode: 'number' }),
    confirmations: integer('confirmations').notNull().default(0),
    /**
     * How an operator resolved the order's flags. Null again when another transfer for the order
     * arrives.
     */
    ...resolutionColumns,
    resolution: text('resolution').$type<'refund_noted' | 'ignore'>(),
  },
  (table) => [
    index('orders_account').on(table.accountId, table.createdAt, table.id),
    index('orders_created').on(table.createdAt, table.id),
    // For finding the orders that a transfer may pay, and the orders that the watcher follows.
    index('orders_payer').on(table.chainId, table.payer).where(sql`paid_at is null`),
    index('orders_unpaid').on(table.chainId, table.watchedUntil).where(sql`paid_at is null`),
    // A wallet's token approval pays only one order, the newest.
    uniqueIndex('orders_approving')
      .on(table.chainId, table.payer)
      .where(sql`path = 'approve' and paid_at is null and cancelled_at is null and closed_at is null`),
    index('orders_hints').on(table.hintNetwork).where(sql`tx_state = 'seen' and paid_at is null`),
    index('orders_pending')
      .on(table.createdAt, table.id)
      .where(sql`paid_at is null and tx_hash is not null and tx_state in ('seen', 'confirming', 'reorganised')`),
    index('orders_flags').using('gin', table.flags),
    index('orders_coupon').on(table.couponId).where(sql`coupon_id is not null`),
  ],
)

/** Orders that were created with an Idempotency-Key, by account and key. */
export const orderKeys = pgTable(
  'order_keys',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    orderId: uuid('order_id')
      .notNull()
      .references(() => orders.id, { onDelete: 'cascade' }),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.key] })],
)

/**
 * Transactions that collect approved payments (`transferFrom`), signed with the treasury key. The
 * signed bytes are stored before they are sent, so that after a crash only the same transaction can
 * be sent again.
 */
export const collections = pgTable(
  'collections',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    orderId: uuid('order_id')
      .notNull()
      .references(() => orders.id, { onDelete: 'cascade' }),
    chainId: integer('chain_id').notNull(),
    amountWei: numeric('amount_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
    nonce: integer('nonce').notNull(),
    txHash: text('tx_hash').$type<Hex>().notNull(),
    signed: text('signed').$type<Hex>().notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    /**
     * Time when the transaction was last signed. Null only in rows of an earlier version, whose
     * transactions were signed at `createdAt`.
     */
    signedAt: timestampColumn('signed_at'),
    /**
     * Hashes of the transactions with the same nonce that were signed before, any of which may be
     * mined instead.
     */
    earlierHashes: text('earlier_hashes').array().$type<Hex[]>().notNull().default(sql`'{}'`),
    /**
     * Time when the server found that this transaction, or another one with its nonce, is
     * confirmed.
     */
    endedAt: timestampColumn('ended_at'),
    outcome: text('outcome').$type<'collected' | 'failed' | 'overtaken'>(),
  },
  (table) => [
    uniqueIndex('collections_running').on(table.orderId).where(sql`ended_at is null`),
    index('collections_unended').on(table.chainId).where(sql`ended_at is null`),
  ],
)

/**
 * Transfers to the treasury that were matched to a plan. The unique index ensures that each
 * transfer counts once.
 */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    ...transferColumns,
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
    planId: text('plan_id').$type<PlanId>().notNull(),
    /** The order that the transfer pays, fully or in part. */
    orderId: uuid('order_id').references(() => orders.id),
    /**
     * The plan's price when the payment was matched. Null if there is an order, because then the
     * price is stored with the order.
     */
    priceWei: numeric('price_wei', { precision: 78, scale: 0, mode: 'bigint' }),
    createdAt: timestampColumn('created_at').notNull(),
    /** Time when a reorg removed the block. Null again when the transaction is in another block. */
    revertedAt: timestampColumn('reverted_at'),
    /**
     * The operator's resolution of an overpayment. If the payment has an order, the resolution is
     * stored with the order instead.
     */
    ...resolutionColumns,
    resolution: text('resolution').$type<'refund_noted' | 'ignore'>(),
  },
  (table) => [
    uniqueIndex('payments_transfer').on(table.chainId, table.txHash, table.logIndex),
    index('payments_block').on(table.chainId, table.blockNumber),
    index('payments_account').on(table.accountId),
    index('payments_paid').on(table.accountId, table.amountWei).where(sql`reverted_at is null`),
    index('payments_at').on(table.blockAt, table.id),
    // From this index and the next ones, business figures are computed without reading the table:
    // the first payment of each account, and all sums.
    index('payments_first')
      .on(table.accountId, table.blockAt)
      .where(sql`reverted_at is null and account_id is not null`),
    index('payments_revenue').on(table.blockAt, table.amountWei, table.accountId).where(sql`reverted_at is null`),
    index('payments_reverted').on(table.blockAt, table.id).where(sql`reverted_at is not null`),
    index('payments_order').on(table.orderId),
    index('payments_without_order').on(table.createdAt, table.id).where(sql`order_id is null`),
    index('payments_overpaid').on(table.createdAt, table.id).where(sql`order_id is null and amount_wei > price_wei`),
  ],
)

/**
 * Sums of the payments that were not reverted, by UTC day. A trigger on the payments adds a row for
 * each change, so that concurrent transactions do not wait for each other, and `mergePaymentDays`
 * merges them. Readers must sum up the rows of a day.
 */
export const paymentDays = pgTable(
  'payment_days',
  {
    day: date('day').notNull(),
    chainId: integer('chain_id').notNull(),
    planId: text('plan_id').$type<PlanId>().notNull(),
    count: integer('count').notNull(),
    sumWei: numeric('sum_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
    /**
     * Token and treasury are empty if they were not recorded. Readers then use the configured ones.
     */
    token: text('token').notNull().default(''),
    treasury: text('treasury').notNull().default(''),
  },
  (table) => [index('payment_days_day').on(table.day, table.chainId, table.planId)],
)

/**
 * Transfers to the treasury that were not matched to a plan. Admins see them until they are
 * resolved.
 */
export const unmatchedTransfers = pgTable(
  'unmatched_transfers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    ...transferColumns,
    reason: text('reason').$type<'unknown_wallet' | 'other_amount' | 'too_old' | 'partial' | 'late'>().notNull(),
    /**
     * The order that the transfer pays in part (`partial`), or whose deadline it missed (`late`).
     */
    orderId: uuid('order_id').references(() => orders.id),
    seenAt: timestampColumn('seen_at').notNull(),
    /** Time when a reorg removed the block. Null again when the transaction is in another block. */
    revertedAt: timestampColumn('reverted_at'),
    /** Set when the transfer was later matched to a plan automatically, or resolved by an admin. */
    ...resolutionColumns,
    /** The admin's decision. Null if the transfer was matched automatically. */
    resolution: text('resolution').$type<'credit' | 'refund_noted' | 'ignore'>(),
  },
  (table) => [
    uniqueIndex('unmatched_transfers_transfer').on(table.chainId, table.txHash, table.logIndex),
    index('unmatched_transfers_block').on(table.blockAt, table.id),
    index('unmatched_transfers_order').on(table.orderId),
  ],
)

/**
 * Transfers out of the treasury that operators have recorded as refunds, as read from the chain.
 * `paymentId` is the id of a payment or of an unmatched transfer.
 */
export const refunds = pgTable(
  'refunds',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    paymentId: uuid('payment_id').notNull(),
    chainId: integer('chain_id').notNull(),
    txHash: text('tx_hash').$type<Hex>().notNull(),
    /** Index among the logs of the transaction. */
    logIndex: integer('log_index').notNull(),
    amountWei: numeric('amount_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
    blockAt: timestampColumn('block_at').notNull(),
    recordedAt: timestampColumn('recorded_at').notNull(),
    /** Without a foreign key, because the id outlives the account. */
    recordedBy: uuid('recorded_by'),
  },
  (table) => [
    uniqueIndex('refunds_transfer').on(table.chainId, table.txHash, table.logIndex),
    index('refunds_payment').on(table.paymentId),
  ],
)
