import type { Address, AlertStatement, Hex } from '@tocsin/proof'
import type {
  AuditAction,
  IdentityProvider,
  OrderFlag,
  OrderPath,
  PlanId,
  Preferences,
  Priority,
  SupportCategory,
} from '@tocsin/protocol'
import { type Column, type SQL, sql } from 'drizzle-orm'
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

/** A UTC timestamp with millisecond precision. */
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

// ── accounts ─────────────────────────────────────────────────────────────────────────────────────

/**
 * A transaction that changes an account must first lock its row `for no key update`, which still
 * allows other transactions to insert rows that reference it. Locking `for update` instead can
 * deadlock with them: each insert holds a key lock on the account. Use `for update` only to delete
 * the account or to change its email address (a key), and take it at once: upgrading from the
 * weaker lock can deadlock too.
 *
 * Lock order: advisory locks (admins, email address, identity, wallet), then the account, then the
 * rows that belong to it (sessions, wallets, identities, mailed tokens).
 */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** Normalized: trimmed, lower case, NFC. */
    email: text('email').unique(),
    name: text('name').notNull(),
    passwordHash: text('password_hash'),
    role: text('role').$type<'user' | 'admin'>().notNull().default('user'),
    emailVerifiedAt: moment('email_verified_at'),
    createdAt: moment('created_at').notNull(),
    /** Set while an admin has suspended the account. */
    suspendedAt: moment('suspended_at'),
    suspensionReason: text('suspension_reason'),
  },
  (table) => [index('accounts_created').on(table.createdAt, table.id)],
)

/**
 * `idHash` is SHA-256 of the cookie value, so that a stolen dump contains no usable session. The
 * cookie value rotates during a session. `id` is constant and cannot be used to authenticate.
 */
export const sessions = pgTable(
  'sessions',
  {
    idHash: text('id_hash').primaryKey(),
    id: uuid('id').notNull().defaultRandom().unique(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    remembered: boolean('remembered').notNull(),
    userAgent: text('user_agent').notNull(),
    createdAt: moment('created_at').notNull(),
    /** When the user last authenticated or re-authenticated in this session. */
    authenticatedAt: moment('authenticated_at').notNull().default(sql`'epoch'`),
    lastSeenAt: moment('last_seen_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('sessions_account').on(table.accountId)],
)

/** Hashes of mailed single-use tokens. Each is bound to one purpose and one email address. */
export const mailTokens = pgTable(
  'mail_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    purpose: text('purpose').$type<'verify-email' | 'reset-password' | 'change-email'>().notNull(),
    email: text('email').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [index('mail_tokens_account').on(table.accountId, table.purpose)],
)

/**
 * Sign-ups whose verification link has not been opened. They are not accounts: no session, wallet
 * or payment references them. An email address may have several. A link applies the name and
 * password of its own row only.
 */
export const pendingSignUps = pgTable(
  'pending_sign_ups',
  {
    /** SHA-256 of the mailed secret. */
    tokenHash: text('token_hash').primaryKey(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    /**
     * Argon2id. All sign-ups of one address share a salt, so that a login needs only one hash to
     * check them all.
     */
    passwordHash: text('password_hash').notNull(),
    /** SHA-256 of the network of the sign-up request, which may request the link again. */
    requesterHash: text('requester_hash').notNull(),
    /** Shown in the mail, for example "Chromium on Linux". */
    device: text('device').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /**
     * Set when the address got an account by other means: from then on the link creates no account.
     * Logins still check the row until it expires.
     */
    voidedAt: moment('voided_at'),
  },
  (table) => [index('pending_sign_ups_email').on(table.email)],
)

/**
 * OpenID Connect identities and the accounts they are linked to. An identity is the pair of issuer
 * and subject, not the email address, which can pass to another person.
 */
export const identities = pgTable(
  'identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    provider: text('provider').$type<IdentityProvider>().notNull(),
    /** As last reported by the provider. For display only. */
    email: text('email'),
    linkedAt: moment('linked_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    uniqueIndex('identities_account').on(table.accountId, table.provider),
  ],
)

/**
 * Pending OpenID Connect authorization requests. `stateHash` and `browserHash` are SHA-256 of the
 * state parameter and of the browser's cookie. Nonce and PKCE verifier derive from that cookie, so
 * the row alone cannot complete a request. The first callback deletes the row.
 */
export const providerTrips = pgTable('provider_trips', {
  stateHash: text('state_hash').primaryKey(),
  browserHash: text('browser_hash').notNull(),
  provider: text('provider').$type<IdentityProvider>().notNull(),
  purpose: text('purpose').$type<'sign-in' | 'link' | 'confirm'>().notNull(),
  /** The session that requested `link` or `confirm`. */
  sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
  returnTo: text('return_to').notNull(),
  expiresAt: moment('expires_at').notNull(),
})

/**
 * Rate limits: attempts in the current window, by subject. A subject is a purpose and a hash, so
 * that the table contains no readable address.
 */
export const credentialLimits = pgTable('credential_limits', {
  subject: text('subject').primaryKey(),
  tries: integer('tries').notNull(),
  windowEndsAt: moment('window_ends_at').notNull(),
  /** Until then, attempts are rejected without evaluation. */
  blockedUntil: moment('blocked_until').notNull(),
})

/** The activity history of an account. Append-only. */
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

/** Preferences of an account. An account without a row uses the defaults. */
export const preferences = pgTable('preferences', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  realTimeAlerts: boolean('real_time_alerts').notNull(),
  autoVerify: boolean('auto_verify').notNull(),
  highPriorityOnly: boolean('high_priority_only').notNull(),
  browserNotifications: boolean('browser_notifications').notNull(),
  sound: boolean('sound').notNull(),
  soundFrom: text('sound_from').$type<Priority>().notNull(),
  /** Percent. */
  soundVolume: integer('sound_volume').notNull(),
  shortcuts: boolean('shortcuts').notNull(),
  density: text('density').$type<Preferences['density']>().notNull(),
  timeZone: text('time_zone').notNull(),
  hourCycle: text('hour_cycle').$type<Preferences['hourCycle']>().notNull(),
  updatedAt: moment('updated_at').notNull(),
})

// ── wallets ──────────────────────────────────────────────────────────────────────────────────────

/**
 * Wallets with proven ownership, and the chain on which the proof is valid. A key proves its
 * address on every chain. A contract wallet proves its address only on its own chain: the same
 * address on another chain may have another owner. Addresses are checksummed.
 */
export const wallets = pgTable(
  'wallets',
  {
    address: text('address').notNull(),
    /** Chain of a contract wallet, 0 for a key, -1 if unknown (linked by an older release). */
    chainId: integer('chain_id').notNull().default(-1),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    linkedAt: moment('linked_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.address, table.chainId] }),
    uniqueIndex('wallets_every_chain').on(table.address).where(sql`chain_id <= 0`),
    index('wallets_account').on(table.accountId),
  ],
)

/**
 * Which session proved which wallet. For a contract wallet, message and signature are kept for
 * rechecks, because the contract can reject the signature later. A key's signature stays valid.
 */
export const walletProofs = pgTable(
  'wallet_proofs',
  {
    sessionIdHash: text('session_id_hash')
      .notNull()
      .references(() => sessions.idHash, { onDelete: 'cascade', onUpdate: 'cascade' }),
    address: text('address').notNull(),
    /** As in `wallets`. */
    chainId: integer('chain_id').notNull().default(-1),
    provedAt: moment('proved_at').notNull(),
    message: text('message'),
    signature: text('signature'),
    /** When the contract was last checked. Null for a key. */
    checkedAt: moment('checked_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionIdHash, table.address] }),
    index('wallet_proofs_checked').on(table.checkedAt).where(sql`checked_at is not null`),
  ],
)

/**
 * Open wallet challenges of a session. The first response deletes the row, even if the signature is
 * invalid.
 */
export const walletChallenges = pgTable('wallet_challenges', {
  nonce: text('nonce').primaryKey(),
  sessionIdHash: text('session_id_hash')
    .notNull()
    .references(() => sessions.idHash, { onDelete: 'cascade', onUpdate: 'cascade' }),
  purpose: text('purpose').$type<'link' | 'confirm'>().notNull().default('link'),
  address: text('address').notNull(),
  message: text('message').notNull(),
  expiresAt: moment('expires_at').notNull(),
})

/**
 * Open wallet challenges for signing in, of browsers without a session. The first response deletes
 * the row, even if the signature is invalid.
 */
export const walletSignIns = pgTable('wallet_sign_ins', {
  nonce: text('nonce').primaryKey(),
  /** SHA-256 of the browser's cookie. */
  browserHash: text('browser_hash').notNull(),
  address: text('address').notNull(),
  message: text('message').notNull(),
  expiresAt: moment('expires_at').notNull(),
})

// ── payments and subscriptions ───────────────────────────────────────────────────────────────────

/**
 * One transfer as found on chain. `logIndex` is relative to the transaction, not to the block: it
 * stays the same when a reorg moves the transaction to another block.
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

/**
 * Who resolved a row, when, and why. The admin's id has no foreign key, because it outlives the
 * account.
 */
const resolutionColumns = {
  resolvedAt: moment('resolved_at'),
  resolvedBy: uuid('resolved_by'),
  resolutionReason: text('resolution_reason'),
}

/**
 * Orders, with the terms at the time of ordering. The paid amount is not stored: it is the sum of
 * the transfers that reference the order.
 */
export const orders = pgTable(
  'orders',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
    planId: text('plan_id').$type<PlanId>().notNull(),
    priceWei: numeric('price_wei', { precision: 78, scale: 0, mode: 'bigint' }).notNull(),
    chainId: integer('chain_id').notNull(),
    token: text('token').$type<Address>().notNull(),
    treasury: text('treasury').$type<Address>().notNull(),
    payer: text('payer').$type<Address>().notNull(),
    path: text('path').$type<OrderPath>().notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Until then, a transfer that arrives after `expiresAt` is still assigned to the order. */
    watchedUntil: moment('watched_until').notNull(),
    cancelledAt: moment('cancelled_at'),
    /**
     * When a newer order of the same wallet replaced it. From then on nothing is collected for this
     * order.
     */
    closedAt: moment('closed_at'),
    /** When the subscription was granted. A reorg that removes the payment does not clear it. */
    paidAt: moment('paid_at'),
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
    txSeenAt: moment('tx_seen_at'),
    /**
     * When the watcher reads the reported transaction next (null means now), and how often it has
     * read it.
     */
    hintDueAt: moment('hint_due_at'),
    hintReads: integer('hint_reads').notNull().default(0),
    /**
     * Number of reported transactions that were not payments, and the hashed network of the last
     * reporter.
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
    // Candidate orders for a transfer, and orders that the watcher follows.
    index('orders_payer').on(table.chainId, table.payer).where(sql`paid_at is null`),
    index('orders_unpaid').on(table.chainId, table.watchedUntil).where(sql`paid_at is null`),
    // A wallet's token approval pays one order only: the newest.
    uniqueIndex('orders_approving')
      .on(table.chainId, table.payer)
      .where(sql`path = 'approve' and paid_at is null and cancelled_at is null and closed_at is null`),
    index('orders_hints').on(table.hintNetwork).where(sql`tx_state = 'seen' and paid_at is null`),
    index('orders_flags').using('gin', table.flags),
  ],
)

/**
 * Responses to requests with an Idempotency-Key, stored in the same transaction as their effect.
 * Rows expire after 24 hours. `caller` is an account id, or the network of an anonymous caller.
 * There is no foreign key: it would lock the account before the effect takes its own lock, which
 * can deadlock.
 */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    caller: text('caller').notNull(),
    key: text('key').notNull(),
    /**
     * HMAC-SHA-256 of method, path and body with a key from APP_SECRET, in hex: bodies hold
     * passwords.
     */
    request: text('request').notNull(),
    /**
     * JSON. Null while the first call runs. Visible as null only for calls that use several
     * transactions.
     */
    answer: text('answer'),
    /** Until then, a call without a stored response is considered running. */
    runsUntil: moment('runs_until'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.caller, table.key] }),
    index('idempotent_answers_created').on(table.createdAt),
  ],
)

/** The order that was created for an account's Idempotency-Key. */
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
 * Transactions of the treasury key that collect approved payments (`transferFrom`). The signed
 * bytes are stored before they are sent, so that after a crash only the same transaction can be
 * sent again.
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
    createdAt: moment('created_at').notNull(),
    /**
     * When it was last signed with a higher fee. Null if it was signed only once, at `createdAt`.
     */
    signedAt: moment('signed_at'),
    /** The same transaction with lower fees. One of them may be mined instead. */
    earlierHashes: text('earlier_hashes').array().$type<Hex[]>().notNull().default(sql`'{}'`),
    /** When it, or another transaction with its nonce, was confirmed. */
    endedAt: moment('ended_at'),
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
    /** The order that it pays, fully or in part. */
    orderId: uuid('order_id').references(() => orders.id),
    /**
     * The plan's price when the payment was matched. Null if there is an order, which has the
     * price.
     */
    priceWei: numeric('price_wei', { precision: 78, scale: 0, mode: 'bigint' }),
    createdAt: moment('created_at').notNull(),
    /** When a reorg removed its block. Null again when the transaction is in another block. */
    revertedAt: moment('reverted_at'),
    /**
     * How an operator resolved an overpayment. If there is an order, this is stored with the order.
     */
    ...resolutionColumns,
    resolution: text('resolution').$type<'refund_noted' | 'ignore'>(),
  },
  (table) => [
    uniqueIndex('payments_transfer').on(table.chainId, table.txHash, table.logIndex),
    index('payments_block').on(table.chainId, table.blockNumber),
    index('payments_account').on(table.accountId),
    index('payments_order').on(table.orderId),
    index('payments_overpaid').on(table.createdAt, table.id).where(sql`order_id is null and amount_wei > price_wei`),
  ],
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
    /** The order that it pays in part (`partial`), or whose deadline it missed (`late`). */
    orderId: uuid('order_id').references(() => orders.id),
    seenAt: moment('seen_at').notNull(),
    /** When a reorg removed its block. Null again when the transaction is in another block. */
    revertedAt: moment('reverted_at'),
    /** When it was later matched to a plan automatically, or resolved by an admin. */
    ...resolutionColumns,
    /** The admin's decision. Null if it was matched automatically. */
    resolution: text('resolution').$type<'credit' | 'refund_noted' | 'ignore'>(),
  },
  (table) => [
    uniqueIndex('unmatched_transfers_transfer').on(table.chainId, table.txHash, table.logIndex),
    index('unmatched_transfers_block').on(table.blockAt, table.id),
    index('unmatched_transfers_order').on(table.orderId),
  ],
)

/**
 * Paid periods. A period is active while startsAt <= now < endsAt and it is neither cancelled nor
 * revoked.
 */
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
    /** When a reorg removed its payment. Null again when the payment is back on the chain. */
    revokedAt: moment('revoked_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    index('subscriptions_account').on(table.accountId, table.endsAt),
    // Periods whose receipt is due, and periods that end soon: both are queried every few seconds.
    index('subscriptions_created').on(table.createdAt).where(sql`revoked_at is null`),
    index('subscriptions_ends').on(table.endsAt).where(sql`cancelled_at is null and revoked_at is null`),
  ],
)

/** Signed receipts of paid periods. A period that is moved gets an additional receipt. */
export const receipts = pgTable(
  'receipts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    subscriptionId: uuid('subscription_id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    startsAt: moment('starts_at').notNull(),
    endsAt: moment('ends_at').notNull(),
    /** The canonical bytes that were signed, as text. */
    bytes: text('bytes').notNull(),
    signature: text('signature').notNull(),
    issuedAt: moment('issued_at').notNull(),
  },
  (table) => [uniqueIndex('receipts_period').on(table.subscriptionId, table.startsAt, table.endsAt)],
)

/**
 * Mails sent about a period. `endsAt` is part of the key, so that a period whose end moves gets
 * another mail.
 */
export const subscriptionMails = pgTable(
  'subscription_mails',
  {
    subscriptionId: uuid('subscription_id')
      .notNull()
      .references(() => subscriptions.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<'receipt' | 'ending'>().notNull(),
    endsAt: moment('ends_at').notNull(),
    at: moment('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.subscriptionId, table.kind, table.endsAt] })],
)

// ── the transparency log ─────────────────────────────────────────────────────────────────────────

/**
 * A single row. `size` and `frontier` (roots of the complete subtrees, largest first) are the
 * complete state that an append needs. Updated only while holding this row's lock, by
 * compare-and-swap on `size`.
 */
export const logHead = pgTable(
  'log_head',
  {
    id: integer('id').primaryKey().default(1),
    size: bigint('size', { mode: 'number' }).notNull(),
    frontier: bytes('frontier').notNull(),
    root: bytes('root').notNull(),
    /**
     * Address of the current key in the newest key list, which must sign the next entry. Null
     * before the first list.
     */
    signer: text('signer').$type<Address>(),
    /**
     * Index of the first entry of version 2. Null before there is one. A trigger on log_entries
     * sets it and rejects later alerts, corrections and retractions of version 1, which an instance
     * of the previous release may still write during an upgrade.
     */
    saltedFrom: bigint('salted_from', { mode: 'number' }),
  },
  (table) => [check('log_head_single', sql`${table.id} = 1`)],
)

/**
 * Every entry ever logged. `bytes` are the exact canonical bytes that were signed and hashed. Never
 * updated, never deleted.
 */
export const logEntries = pgTable('log_entries', {
  index: bigint('index', { mode: 'number' }).primaryKey(),
  leafHash: bytes('leaf_hash').notNull(),
  bytes: bytes('bytes').notNull(),
  signature: text('signature').notNull(),
  /**
   * When it was logged. For the demo's generated history this is later than the time of the event.
   */
  appendedAt: moment('appended_at').notNull(),
})

/**
 * Entries that are key lists. Each lists all keys that ever signed, so the newest one is
 * sufficient.
 */
export const logKeyLists = pgTable('log_key_lists', {
  index: bigint('index', { mode: 'number' })
    .primaryKey()
    .references(() => logEntries.index),
})

/**
 * Hashes of complete subtrees: node (level, index) covers the 2^level leaves that start at index *
 * 2^level.
 */
export const logNodes = pgTable(
  'log_nodes',
  {
    level: integer('level').notNull(),
    index: bigint('index', { mode: 'number' }).notNull(),
    hash: bytes('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.index] })],
)

/**
 * Anchored heads, a copy of the anchors on chain. A row is deleted when a reorg removes its block.
 */
export const anchors = pgTable('anchors', {
  size: bigint('size', { mode: 'number' }).primaryKey(),
  root: bytes('root').notNull(),
  txHash: text('tx_hash').notNull(),
  blockNumber: bigint('block_number', { mode: 'number' }).notNull(),
  blockHash: text('block_hash').notNull(),
  blockAt: moment('block_at').notNull(),
})

// ── alerts ───────────────────────────────────────────────────────────────────────────────────────

/**
 * All words of an alert, for full-text search. Punctuation separates words, so that BTC is found in
 * BTC/USDT.
 */
export function alertWords(of: { asset: Column; anomalyType: Column; regime: Column; summary: Column }): SQL {
  return sql`to_tsvector('simple', regexp_replace(${of.asset} || ' ' || ${of.anomalyType} || ' ' || ${of.regime} || ' ' || ${of.summary}, '[^[:alnum:]]+', ' ', 'g'))`
}

/** Log entries parsed into columns, for queries. `log_entries.bytes` is authoritative. */
export const alerts = pgTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .unique()
      .references(() => logEntries.index),
    kind: text('kind').$type<AlertStatement['kind']>().notNull().default('alert'),
    /** The entry that a correction or retraction refers to. */
    targetIndex: bigint('target_index', { mode: 'number' }).references(() => logEntries.index),
    asset: text('asset').notNull(),
    priority: text('priority').$type<Priority>().notNull(),
    anomalyType: text('anomaly_type').notNull(),
    confidence: real('confidence').notNull(),
    regime: text('regime').notNull(),
    summary: text('summary').notNull(),
    origin: text('origin').$type<'admin' | 'feed' | 'demo'>().notNull(),
    /**
     * The feed's id of the signal. Unique, so that a repeated signal creates only one alert. The
     * log does not contain these ids, so alerts that `log adopt` restores have `signalHash` here.
     */
    signalId: text('signal_id').unique(),
    signalHash: text('signal_hash'),
    signer: text('signer').notNull(),
    createdAt: moment('created_at').notNull(),
    broadcastAt: moment('broadcast_at'),
  },
  (table) => [
    index('alerts_created').on(table.createdAt),
    // Statistics exclude drafts (alerts that were not broadcast), of which there are few.
    index('alerts_unsent').on(table.createdAt).where(sql`${table.broadcastAt} is null`),
    // The feed's cool-down and its statistics.
    index('alerts_feed').on(table.asset, table.anomalyType, table.createdAt).where(sql`${table.origin} = 'feed'`),
    index('alerts_priority').on(table.priority, table.logIndex),
    index('alerts_asset').on(table.asset, table.logIndex),
    index('alerts_type').on(table.anomalyType, table.logIndex),
    // The admin search, by word prefix.
    index('alerts_words').using('gin', alertWords(table)),
    index('alerts_target').on(table.targetIndex, table.logIndex).where(sql`${table.targetIndex} is not null`),
  ],
)

/**
 * The exact feed message behind an alert, if it contains a series to chart. `alerts.signal_hash` is
 * its SHA-256.
 */
export const alertSignals = pgTable('alert_signals', {
  alertId: text('alert_id')
    .primaryKey()
    .references(() => alerts.id),
  message: text('message').notNull(),
})

/**
 * The order in which alerts were broadcast. `seq` increases in commit order, because rows are
 * inserted under the log head's lock. Each server instance tails the table from the last row that
 * it has fanned out.
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

/**
 * "Mark all read" of an account: all alerts up to a log index that it could read at that moment
 * count as read. One row instead of one per alert. Undo deletes the row.
 */
export const alertReadMarks = pgTable(
  'alert_read_marks',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    upToIndex: bigint('up_to_index', { mode: 'number' }).notNull(),
    at: moment('at').notNull(),
  },
  (table) => [index('alert_read_marks_account').on(table.accountId, table.at)],
)

/**
 * Accepted signals of the feed. A signal that arrives during the cool-down of another one with the
 * same asset and anomaly creates no alert: it is counted as a repeat, and kept while the feed may
 * still resend it.
 */
export const feedSignals = pgTable(
  'feed_signals',
  {
    signalId: text('signal_id').primaryKey(),
    observedAt: moment('observed_at').notNull(),
    receivedAt: moment('received_at').notNull(),
    /** True if it arrived too late to be broadcast automatically. */
    isLate: boolean('is_late').notNull(),
    /** The signal whose alert counts it as a repeat. Null if it created an alert itself. */
    mergedInto: text('merged_into'),
    repeats: integer('repeats').notNull().default(0),
    lastRepeatAt: moment('last_repeat_at'),
  },
  (table) => [index('feed_signals_merged').on(table.receivedAt).where(sql`${table.mergedInto} is not null`)],
)

/** Rejected signals of the feed, shown to the operator. */
export const refusedSignals = pgTable('refused_signals', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  at: moment('at').notNull(),
  raw: text('raw').notNull(),
  reason: text('reason').notNull(),
})

/** Messages from the support form. Stored even if mailing them fails. */
export const supportMessages = pgTable('support_messages', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  /** The signed-in account, if any. */
  accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
  name: text('name').notNull(),
  email: text('email').notNull(),
  subject: text('subject').notNull(),
  category: text('category').$type<SupportCategory>(),
  message: text('message').notNull(),
  at: moment('at').notNull(),
})

/**
 * Operator settings and other small durable values (deployed contracts, feed configuration), by
 * name.
 */
export const settings = pgTable('settings', {
  name: text('name').primaryKey(),
  value: jsonb('value').notNull(),
  updatedAt: moment('updated_at').notNull(),
})

/**
 * Running server instances, with the number of live sockets of each. A row that is not refreshed
 * belongs to a dead instance.
 */
export const instances = pgTable('instances', {
  id: uuid('id').primaryKey(),
  listening: integer('listening').notNull(),
  seenAt: moment('seen_at').notNull(),
})

/**
 * The instance that runs each background job that only one instance may run at a time. The holder
 * renews `expiresAt`, which is compared with the database's clock only. `token` (the fencing token)
 * increases with every change of holder. It is part of a unique key on purpose: the holder's
 * transactions lock the row `for key share`, which conflicts with a change of the token (a
 * takeover) but not with a renewal.
 */
export const leases = pgTable(
  'leases',
  {
    job: text('job').primaryKey(),
    holder: uuid('holder').notNull(),
    token: bigint('token', { mode: 'number' }).notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [uniqueIndex('leases_token').on(table.job, table.token)],
)

/** A single row, which instances rewrite to check whether the database still accepts writes. */
export const writeProbes = pgTable('write_probes', { at: moment('at').notNull() })

/**
 * Audit log of admin actions. Append-only: a trigger rejects updates and deletes. Contains account
 * ids only, so that it outlives deleted accounts without personal data.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: moment('at').notNull(),
    /** Null for the operator's command line. */
    actorId: uuid('actor_id'),
    action: text('action').$type<AuditAction>().notNull(),
    subject: text('subject'),
    reason: text('reason'),
    detail: jsonb('detail').$type<Record<string, string | number | boolean | null>>().notNull(),
    requestId: text('request_id').notNull(),
  },
  (table) => [
    index('audit_entries_actor').on(table.actorId, table.id),
    index('audit_entries_action').on(table.action, table.id),
    index('audit_entries_subject').on(table.subject, table.id),
  ],
)
