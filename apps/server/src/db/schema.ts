import type { Address, Hex } from '@tocsin/proof'
import type { PlanId, Priority } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  real,
  text,
  timestamp,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (value) => Buffer.from(value),
  fromDriver: (value) => new Uint8Array(value),
})

/** A moment in UTC, to the millisecond. */
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

// ── accounts ────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const accounts = pgTable('accounts', {
  id: uuid('id').primaryKey().defaultRandom(),
  /** In its one normal form (trimmed, lower case, NFC). */
  email: text('email').unique(),
  name: text('name').notNull(),
  passwordHash: text('password_hash'),
  role: text('role').$type<'user' | 'admin'>().notNull().default('user'),
  emailVerifiedAt: moment('email_verified_at'),
  createdAt: moment('created_at').notNull(),
})

/** `idHash` is SHA-256 of the cookie's value: a stolen dump opens no session. */
export const sessions = pgTable(
  'sessions',
  {
    idHash: text('id_hash').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    remembered: boolean('remembered').notNull(),
    userAgent: text('user_agent').notNull(),
    createdAt: moment('created_at').notNull(),
    lastSeenAt: moment('last_seen_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('sessions_account').on(table.accountId)],
)

/** Mailed secrets, hashed, single use, bound to one purpose and address. */
export const mailTokens = pgTable(
  'mail_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    purpose: text('purpose').$type<'verify-email' | 'reset-password'>().notNull(),
    email: text('email').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [index('mail_tokens_account').on(table.accountId, table.purpose)],
)

/** How often something guessable or costly was tried in the running window, by subject (a purpose and a hash: no address is readable). */
export const credentialLimits = pgTable('credential_limits', {
  subject: text('subject').primaryKey(),
  tries: integer('tries').notNull(),
  windowEndsAt: moment('window_ends_at').notNull(),
  /** Until then nothing is evaluated. */
  blockedUntil: moment('blocked_until').notNull(),
})

/** What happened to an account, for its history. Append-only. */
export const activities = pgTable(
  'activities',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    kind: text('kind').notNull(),
    detail: text('detail').notNull(),
    reference: text('reference'),
    at: moment('at').notNull(),
  },
  (table) => [index('activities_account').on(table.accountId, table.id)],
)

// ── wallets ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** One row per proved wallet; the primary key is what keeps a wallet with one account. Addresses are checksummed. */
export const wallets = pgTable(
  'wallets',
  {
    address: text('address').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    linkedAt: moment('linked_at').notNull(),
  },
  (table) => [index('wallets_account').on(table.accountId)],
)

/** Which session proved which wallet. */
export const walletProofs = pgTable(
  'wallet_proofs',
  {
    sessionIdHash: text('session_id_hash')
      .notNull()
      .references(() => sessions.idHash, { onDelete: 'cascade' }),
    address: text('address')
      .notNull()
      .references(() => wallets.address, { onDelete: 'cascade' }),
    provedAt: moment('proved_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.sessionIdHash, table.address] })],
)

/** Sign-in messages that we wrote and nobody has answered yet. Deleted by the first answer, right or wrong. */
export const walletChallenges = pgTable('wallet_challenges', {
  nonce: text('nonce').primaryKey(),
  sessionIdHash: text('session_id_hash')
    .notNull()
    .references(() => sessions.idHash, { onDelete: 'cascade' }),
  address: text('address').notNull(),
  message: text('message').notNull(),
  expiresAt: moment('expires_at').notNull(),
})

// ── payments and subscriptions ──────────────────────────────────────────────────────────────────────────────────────────

/**
 * What the chain shows of one transfer. `logIndex` counts the logs of its own transaction: unlike the index in the block it stays the same
 * when a reorganisation moves the transaction to another block.
 */
const transferColumns = {
  chainId: integer('chain_id').notNull(),
  txHash: text('tx_hash').$type<Hex>().notNull(),
  logIndex: integer('log_index').notNull(),
  blockNumber: bigint('block_number', { mode: 'number' }).notNull(),
  blockHash: text('block_hash').$type<Hex>().notNull(),
  blockAt: moment('block_at').notNull(),
  token: text('token').$type<Address>().notNull(),
  payer: text('payer').$type<Address>().notNull(),
  amountWei: numeric('amount_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
}

/** Transfers to the treasury that were matched to a plan. The unique key is what makes each transfer count once. */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    ...transferColumns,
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
    planId: text('plan_id').$type<PlanId>().notNull(),
    createdAt: moment('created_at').notNull(),
    /** When its block was found to have left the chain; null again when the transaction is in another one. */
    revertedAt: moment('reverted_at'),
  },
  (table) => [
    uniqueIndex('payments_transfer').on(table.chainId, table.txHash, table.logIndex),
    index('payments_block').on(table.chainId, table.blockNumber),
  ],
)

/** Transfers to the treasury that no plan was given for: an admin sees them until they are resolved. */
export const unmatchedTransfers = pgTable(
  'unmatched_transfers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    ...transferColumns,
    reason: text('reason').$type<'unknown_wallet' | 'other_amount' | 'too_old'>().notNull(),
    seenAt: moment('seen_at').notNull(),
    /** When it became a payment after all, or an admin settled it. */
    resolvedAt: moment('resolved_at'),
  },
  (table) => [uniqueIndex('unmatched_transfers_transfer').on(table.chainId, table.txHash, table.logIndex)],
)

/** Paid periods. A period is active while startsAt <= now < endsAt and it is neither cancelled nor revoked. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    paymentId: uuid('payment_id')
      .notNull()
      .unique()
      .references(() => payments.id),
    planId: text('plan_id').$type<PlanId>().notNull(),
    startsAt: moment('starts_at').notNull(),
    endsAt: moment('ends_at').notNull(),
    cancelledAt: moment('cancelled_at'),
    /** When its payment was found to have left the chain; null again when the payment is back. */
    revokedAt: moment('revoked_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('subscriptions_account').on(table.accountId, table.endsAt)],
)

// ── the transparency log ────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * One row. `size` and `frontier` (roots of the complete subtrees, largest first) are the whole state that an append needs. Moved only under this
 * row's lock, and only by compare-and-swap on `size`.
 */
export const logHead = pgTable(
  'log_head',
  {
    id: integer('id').primaryKey().default(1),
    size: bigint('size', { mode: 'number' }).notNull(),
    frontier: bytes('frontier').notNull(),
    root: bytes('root').notNull(),
  },
  (table) => [check('log_head_single', sql`${table.id} = 1`)],
)

/** Every entry ever logged. `bytes` are the exact canonical bytes that were signed and hashed. Never updated, never deleted. */
export const logEntries = pgTable('log_entries', {
  index: bigint('index', { mode: 'number' }).primaryKey(),
  leafHash: bytes('leaf_hash').notNull(),
  bytes: bytes('bytes').notNull(),
  signature: text('signature').notNull(),
  /** When it was logged, which for past events of a demo is not when they happened. */
  appendedAt: moment('appended_at').notNull(),
})

/** Hashes of complete subtrees: node (level, index) covers the 2^level leaves from index * 2^level on. */
export const logNodes = pgTable(
  'log_nodes',
  {
    level: integer('level').notNull(),
    index: bigint('index', { mode: 'number' }).notNull(),
    hash: bytes('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.index] })],
)

/** Anchored heads: a mirror of what the anchor chain holds. A row whose block the chain has lost is deleted again. */
export const anchors = pgTable('anchors', {
  size: bigint('size', { mode: 'number' }).primaryKey(),
  root: bytes('root').notNull(),
  txHash: text('tx_hash').notNull(),
  blockNumber: bigint('block_number', { mode: 'number' }).notNull(),
  blockHash: text('block_hash').notNull(),
  blockAt: moment('block_at').notNull(),
})

// ── alerts ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** The entry's content in columns, to be searched by; `log_entries.bytes` stays the truth. */
export const alerts = pgTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .unique()
      .references(() => logEntries.index),
    asset: text('asset').notNull(),
    priority: text('priority').$type<Priority>().notNull(),
    anomalyType: text('anomaly_type').notNull(),
    confidence: real('confidence').notNull(),
    regime: text('regime').notNull(),
    summary: text('summary').notNull(),
    origin: text('origin').$type<'admin' | 'feed' | 'demo'>().notNull(),
    /** The feed's own id of the signal: the same id twice makes one alert. */
    signalId: text('signal_id').unique(),
    signalHash: text('signal_hash'),
    signer: text('signer').notNull(),
    createdAt: moment('created_at').notNull(),
    broadcastAt: moment('broadcast_at'),
  },
  (table) => [index('alerts_created').on(table.createdAt)],
)

/**
 * The order in which alerts were sent out. `seq` rises in commit order, because rows are inserted under the log head's lock; every
 * server instance reads on from the last one that it has fanned out.
 */
export const deliveries = pgTable(
  'deliveries',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .references(() => logEntries.index),
    at: moment('at').notNull(),
  },
  (table) => [index('deliveries_log_index').on(table.logIndex)],
)

/** Which alerts an account has read. */
export const alertReads = pgTable(
  'alert_reads',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    alertId: text('alert_id')
      .notNull()
      .references(() => alerts.id),
    readAt: moment('read_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.alertId] })],
)

/** Signals of the feed that were refused, for the operator to see. */
export const refusedSignals = pgTable('refused_signals', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  at: moment('at').notNull(),
  raw: text('raw').notNull(),
  reason: text('reason').notNull(),
})

/** Operator settings and small durable facts (deployed contracts, feed configuration), by name. */
export const settings = pgTable('settings', {
  name: text('name').primaryKey(),
  value: jsonb('value').notNull(),
  updatedAt: moment('updated_at').notNull(),
})
