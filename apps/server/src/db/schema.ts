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

/** A moment in UTC, to the millisecond. */
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

// ── accounts ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Whoever changes an account locks its row first, `for no key update`: rows that refer to it can be written meanwhile. Their key lock and a full one
 * of somebody who has written such a row too would wait for each other. The full lock, `for update`, is for those who delete the row or change its
 * address, which are its keys: to take the weaker one first and then more would be such a wait again.
 */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    /** In its one normal form (trimmed, lower case, NFC). */
    email: text('email').unique(),
    name: text('name').notNull(),
    passwordHash: text('password_hash'),
    role: text('role').$type<'user' | 'admin'>().notNull().default('user'),
    emailVerifiedAt: moment('email_verified_at'),
    createdAt: moment('created_at').notNull(),
    /** Shut out by an admin, and why. */
    suspendedAt: moment('suspended_at'),
    suspensionReason: text('suspension_reason'),
  },
  (table) => [index('accounts_created').on(table.createdAt, table.id)],
)

/**
 * `idHash` is SHA-256 of the cookie's value: a stolen dump opens no session. The cookie changes in a session's life, `id` does not, and
 * opens nothing.
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
    /** When the person last proved in this session who they are. */
    authenticatedAt: moment('authenticated_at').notNull().default(sql`'epoch'`),
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
    purpose: text('purpose').$type<'verify-email' | 'reset-password' | 'change-email'>().notNull(),
    email: text('email').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [index('mail_tokens_account').on(table.accountId, table.purpose)],
)

/**
 * Sign-ups whose mailed link has not been opened. They are not accounts: no session, wallet or payment refers to them.
 * An address may have several, and a link installs the name and password of its own row alone.
 */
export const pendingSignUps = pgTable(
  'pending_sign_ups',
  {
    /** SHA-256 of the mailed secret. */
    tokenHash: text('token_hash').primaryKey(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    /** Argon2id with a salt that all sign-ups of the address share, so that a login compares with all of them at once. */
    passwordHash: text('password_hash').notNull(),
    /** SHA-256 of the network that signed up: it may ask for the link again. */
    requesterHash: text('requester_hash').notNull(),
    /** In plain words, for the mail: "Chromium on Linux". */
    device: text('device').notNull(),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    /** Since then the address has an account and the link creates none. Logins still find the row until it expires. */
    voidedAt: moment('voided_at'),
  },
  (table) => [index('pending_sign_ups_email').on(table.email)],
)

/**
 * Whom a provider (OpenID Connect) has named, and whose account that is. The pair of issuer and subject is the identity: an e-mail address may
 * change hands.
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
    /** As the provider said last; for people to tell identities apart. */
    email: text('email'),
    linkedAt: moment('linked_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    uniqueIndex('identities_account').on(table.accountId, table.provider),
  ],
)

/**
 * Browsers that we have sent to a provider and that are not back yet. `stateHash` and `browserHash` are SHA-256 of the state parameter and of the
 * browser's cookie, from which nonce and PKCE verifier are derived: the row alone completes nothing. Deleted by the first return.
 */
export const providerTrips = pgTable('provider_trips', {
  stateHash: text('state_hash').primaryKey(),
  browserHash: text('browser_hash').notNull(),
  provider: text('provider').$type<IdentityProvider>().notNull(),
  purpose: text('purpose').$type<'sign-in' | 'link' | 'confirm'>().notNull(),
  /** The session that links or confirms. */
  sessionId: uuid('session_id').references(() => sessions.id, { onDelete: 'cascade' }),
  returnTo: text('return_to').notNull(),
  expiresAt: moment('expires_at').notNull(),
})

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

/** What an account has chosen, from its first choice on; without a row everything is at its default. */
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

// ── wallets ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * Proved wallets, by where the proof holds: a key signs for its address on every chain, a contract speaks for its address on its own chain alone, and
 * the same address on another chain may be somebody else's. Addresses are checksummed.
 */
export const wallets = pgTable(
  'wallets',
  {
    address: text('address').notNull(),
    /** The contract's chain; 0 for a key, -1 where an earlier version linked it without noting that. */
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
 * Which session proved which wallet. Where a contract has said yes to a signature, both are kept, for the contract may say no later; a key's
 * signature stays one.
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
    /** When the contract was last asked; null for a key's. */
    checkedAt: moment('checked_at'),
  },
  (table) => [
    primaryKey({ columns: [table.sessionIdHash, table.address] }),
    index('wallet_proofs_checked').on(table.checkedAt).where(sql`checked_at is not null`),
  ],
)

/** Sign-in messages that we wrote and nobody has answered yet. Deleted by the first answer, right or wrong. */
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

/** Messages to sign in with that we wrote for a browser without a session. Deleted by the first answer, right or wrong. */
export const walletSignIns = pgTable('wallet_sign_ins', {
  nonce: text('nonce').primaryKey(),
  /** SHA-256 of the browser's cookie. */
  browserHash: text('browser_hash').notNull(),
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

/** When an admin settled something, which one, and why. The admin's id alone: it outlives the account, as in the audit trail. */
const resolutionColumns = {
  resolvedAt: moment('resolved_at'),
  resolvedBy: uuid('resolved_by'),
  resolutionReason: text('resolution_reason'),
}

/**
 * What somebody has set out to buy, on the terms of that moment. What is paid for it is not stored here: it is the sum of the transfers that name
 * the order.
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
    /** Until then a payment that comes too late is still taken for it. */
    watchedUntil: moment('watched_until').notNull(),
    cancelledAt: moment('cancelled_at'),
    /** When a newer order took the wallet's place: nothing is collected for this one from then on. */
    closedAt: moment('closed_at'),
    /** When it was granted. Stays when a reorganisation takes the payment away for a while. */
    paidAt: moment('paid_at'),
    flags: text('flags').array().$type<OrderFlag[]>().notNull().default(sql`'{}'`),
    /** The newest transaction that is known of it, and those that it took the place of. */
    txHash: text('tx_hash').$type<Hex>(),
    replacedHashes: text('replaced_hashes').array().$type<Hex[]>().notNull().default(sql`'{}'`),
    /** Null when there is none, or when it is on record as a transfer. */
    txState: text('tx_state').$type<'seen' | 'confirming' | 'failed' | 'reorganised' | 'dropped'>(),
    /** Who sent it and which of the sender's it is: another one with the same number takes its place. */
    txSender: text('tx_sender').$type<Address>(),
    txNonce: integer('tx_nonce'),
    /** When a node last knew it, or it was reported. */
    txSeenAt: moment('tx_seen_at'),
    /** When the watcher reads the reported transaction next, and how often it has; null means now. */
    hintDueAt: moment('hint_due_at'),
    hintReads: integer('hint_reads').notNull().default(0),
    /** How many transactions were reported that the chain did not know as payments, and the hashed network of the last reporter. */
    hintCount: integer('hint_count').notNull().default(0),
    hintNetwork: text('hint_network'),
    blockNumber: bigint('block_number', { mode: 'number' }),
    confirmations: integer('confirmations').notNull().default(0),
    /** When an operator noted what was done about what was unusual, and what; null again when another transfer comes for it. */
    ...resolutionColumns,
    resolution: text('resolution').$type<'refund_noted' | 'ignore'>(),
  },
  (table) => [
    index('orders_account').on(table.accountId, table.createdAt, table.id),
    index('orders_created').on(table.createdAt, table.id),
    // What a transfer may be meant for, and what the watcher follows.
    index('orders_payer').on(table.chainId, table.payer).where(sql`paid_at is null`),
    index('orders_unpaid').on(table.chainId, table.watchedUntil).where(sql`paid_at is null`),
    // A wallet's approval serves one order: the newest that it was asked for.
    uniqueIndex('orders_approving')
      .on(table.chainId, table.payer)
      .where(sql`path = 'approve' and paid_at is null and cancelled_at is null and closed_at is null`),
    index('orders_hints').on(table.hintNetwork).where(sql`tx_state = 'seen' and paid_at is null`),
    index('orders_flags').using('gin', table.flags),
  ],
)

/**
 * Answers of creating calls that carried an Idempotency-Key, written in the transaction of what they created. Rows expire
 * after 24 hours. `caller` is an account id, or the network of an anonymous caller. There is no foreign key, because its
 * lock on the account would be taken before the effect's own lock, which can deadlock.
 */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    caller: text('caller').notNull(),
    key: text('key').notNull(),
    /** HMAC-SHA-256 of method, path and body with a key from APP_SECRET, in hex: bodies hold passwords. */
    request: text('request').notNull(),
    /** JSON. Null while the first call runs, which only calls see that are not one transaction. */
    answer: text('answer'),
    /** Until when a first call without an answer counts as running. */
    runsUntil: moment('runs_until'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.caller, table.key] }),
    index('idempotent_answers_created').on(table.createdAt),
  ],
)

/** Which order an account's Idempotency-Key was answered with. */
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
 * Transactions of the treasury's key that collect what a wallet has approved. The signed bytes are kept before they are sent, so that a crash can
 * only lead to the same transaction being sent again.
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
    /** When it was signed with the fee that it has now; null where that is when it was made. */
    signedAt: moment('signed_at'),
    /** The same transaction with lower fees: one of them may be mined instead. */
    earlierHashes: text('earlier_hashes').array().$type<Hex[]>().notNull().default(sql`'{}'`),
    /** When the chain had it for good, or another transaction in its place. */
    endedAt: moment('ended_at'),
    outcome: text('outcome').$type<'collected' | 'failed' | 'overtaken'>(),
  },
  (table) => [
    uniqueIndex('collections_running').on(table.orderId).where(sql`ended_at is null`),
    index('collections_unended').on(table.chainId).where(sql`ended_at is null`),
  ],
)

/** Transfers to the treasury that were matched to a plan. The unique key is what makes each transfer count once. */
export const payments = pgTable(
  'payments',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    ...transferColumns,
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
    planId: text('plan_id').$type<PlanId>().notNull(),
    /** The order that it pays, alone or with others. */
    orderId: uuid('order_id').references(() => orders.id),
    /** What its plan cost when it was counted; null where an order says that. */
    priceWei: numeric('price_wei', { precision: 78, scale: 0, mode: 'bigint' }),
    createdAt: moment('created_at').notNull(),
    /** When its block was found to have left the chain; null again when the transaction is in another one. */
    revertedAt: moment('reverted_at'),
    /** What an operator noted about its excess; with an order that is noted there. */
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

/** Transfers to the treasury that no plan was given for: an admin sees them until they are resolved. */
export const unmatchedTransfers = pgTable(
  'unmatched_transfers',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    ...transferColumns,
    reason: text('reason').$type<'unknown_wallet' | 'other_amount' | 'too_old' | 'partial' | 'late'>().notNull(),
    /** The order that it is a part of (`partial`), or came too late for (`late`). */
    orderId: uuid('order_id').references(() => orders.id),
    seenAt: moment('seen_at').notNull(),
    /** When its block was found to have left the chain; null again when the transaction is in another one. */
    revertedAt: moment('reverted_at'),
    /** When it became a payment after all, or an admin settled it. */
    ...resolutionColumns,
    /** What an admin did; null where it became a payment by itself. */
    resolution: text('resolution').$type<'credit' | 'refund_noted' | 'ignore'>(),
  },
  (table) => [
    uniqueIndex('unmatched_transfers_transfer').on(table.chainId, table.txHash, table.logIndex),
    index('unmatched_transfers_block').on(table.blockAt, table.id),
    index('unmatched_transfers_order').on(table.orderId),
  ],
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
  (table) => [
    index('subscriptions_account').on(table.accountId, table.endsAt),
    // Whose receipt is due, and whose end is near: both are asked every few seconds.
    index('subscriptions_created').on(table.createdAt).where(sql`revoked_at is null`),
    index('subscriptions_ends').on(table.endsAt).where(sql`cancelled_at is null and revoked_at is null`),
  ],
)

/** Signed receipts of paid periods, each as it was at the time: whoever moves a period makes another. */
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

/** Which mails went out about a period. The end is part of the key of `ending`: one that was moved is news again. */
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
    /** The key that the newest key list names: no other may sign the next entry. Null before the first list. */
    signer: text('signer').$type<Address>(),
    /**
     * Index of the first entry of version 2, null before there is one. A trigger on log_entries sets it, and refuses alerts,
     * corrections and retractions of version 1 above it: during an upgrade an instance of the former release may still write them.
     */
    saltedFrom: bigint('salted_from', { mode: 'number' }),
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

/** Which entries are key lists. Each states all keys that ever signed, so the newest one says it all. */
export const logKeyLists = pgTable('log_key_lists', {
  index: bigint('index', { mode: 'number' })
    .primaryKey()
    .references(() => logEntries.index),
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

/** All words of an alert. Signs are taken for spaces, so that BTC is found in BTC/USDT. */
export function alertWords(of: { asset: Column; anomalyType: Column; regime: Column; summary: Column }): SQL {
  return sql`to_tsvector('simple', regexp_replace(${of.asset} || ' ' || ${of.anomalyType} || ' ' || ${of.regime} || ' ' || ${of.summary}, '[^[:alnum:]]+', ' ', 'g'))`
}

/** The entry's content in columns, to be searched by; `log_entries.bytes` stays the truth. */
export const alerts = pgTable(
  'alerts',
  {
    id: text('id').primaryKey(),
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .unique()
      .references(() => logEntries.index),
    kind: text('kind').$type<AlertStatement['kind']>().notNull().default('alert'),
    /** The entry that a correction or retraction points at. */
    targetIndex: bigint('target_index', { mode: 'number' }).references(() => logEntries.index),
    asset: text('asset').notNull(),
    priority: text('priority').$type<Priority>().notNull(),
    anomalyType: text('anomaly_type').notNull(),
    confidence: real('confidence').notNull(),
    regime: text('regime').notNull(),
    summary: text('summary').notNull(),
    origin: text('origin').$type<'admin' | 'feed' | 'demo'>().notNull(),
    /**
     * The feed's own id of the signal: the same id twice makes one alert. Ids are not in the log, so alerts that `log adopt`
     * restores have `signalHash` here.
     */
    signalId: text('signal_id').unique(),
    signalHash: text('signal_hash'),
    signer: text('signer').notNull(),
    createdAt: moment('created_at').notNull(),
    broadcastAt: moment('broadcast_at'),
  },
  (table) => [
    index('alerts_created').on(table.createdAt),
    // Figures leave out drafts, which are few.
    index('alerts_unsent').on(table.createdAt).where(sql`${table.broadcastAt} is null`),
    // The cool-down of the feed, and its counts.
    index('alerts_feed').on(table.asset, table.anomalyType, table.createdAt).where(sql`${table.origin} = 'feed'`),
    index('alerts_priority').on(table.priority, table.logIndex),
    index('alerts_asset').on(table.asset, table.logIndex),
    index('alerts_type').on(table.anomalyType, table.logIndex),
    // The admin's search, by the beginnings of words.
    index('alerts_words').using('gin', alertWords(table)),
    index('alerts_target').on(table.targetIndex, table.logIndex).where(sql`${table.targetIndex} is not null`),
  ],
)

/** The feed's message that an alert came from, exactly as it was sent, where it has a series to be drawn: `alerts.signal_hash` is its SHA-256. */
export const alertSignals = pgTable('alert_signals', {
  alertId: text('alert_id')
    .primaryKey()
    .references(() => alerts.id),
  message: text('message').notNull(),
})

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

/**
 * "Mark all read" of an account: what it could read at that moment, up to a log index, counts as read. One row instead of one for each alert; taking it back
 * is deleting it.
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
 * Signals of the feed that were taken in. One that came in the cool-down of another of the same asset and anomaly made no alert: it is counted
 * there, and kept for as long as the feed could send it again.
 */
export const feedSignals = pgTable(
  'feed_signals',
  {
    signalId: text('signal_id').primaryKey(),
    observedAt: moment('observed_at').notNull(),
    receivedAt: moment('received_at').notNull(),
    /** Came so late that it was not sent out by itself. */
    isLate: boolean('is_late').notNull(),
    /** The signal whose alert it was counted under; null for one that made an alert. */
    mergedInto: text('merged_into'),
    repeats: integer('repeats').notNull().default(0),
    lastRepeatAt: moment('last_repeat_at'),
  },
  (table) => [index('feed_signals_merged').on(table.receivedAt).where(sql`${table.mergedInto} is not null`)],
)

/** Signals of the feed that were refused, for the operator to see. */
export const refusedSignals = pgTable('refused_signals', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  at: moment('at').notNull(),
  raw: text('raw').notNull(),
  reason: text('reason').notNull(),
})

/** What people wrote to the operator. Kept also when mailing it fails. */
export const supportMessages = pgTable('support_messages', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  /** Who was signed in, if anyone. */
  accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
  name: text('name').notNull(),
  email: text('email').notNull(),
  subject: text('subject').notNull(),
  category: text('category').$type<SupportCategory>(),
  message: text('message').notNull(),
  at: moment('at').notNull(),
})

/** Operator settings and small durable facts (deployed contracts, feed configuration), by name. */
export const settings = pgTable('settings', {
  name: text('name').primaryKey(),
  value: jsonb('value').notNull(),
  updatedAt: moment('updated_at').notNull(),
})

/** Server instances that are up, with the live sockets that hear alerts there. A row that nobody refreshes is of one that is gone. */
export const instances = pgTable('instances', {
  id: uuid('id').primaryKey(),
  listening: integer('listening').notNull(),
  seenAt: moment('seen_at').notNull(),
})

/**
 * Which instance runs each background job that only one instance may run. The holder renews `expiresAt`, which is compared with the database's clock
 * only. `token` rises with every change of holder. It is part of a unique key on purpose: a holder's transaction takes a `for key share` lock on its
 * row, which conflicts with a change of the token (another instance takes over) but not with a renewal.
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

/** Holds one row, which instances replace to find out whether the database still accepts writes. */
export const writeProbes = pgTable('write_probes', { at: moment('at').notNull() })

/** What admins have done. Append-only: a trigger refuses every change. Ids alone, so that it outlives accounts without keeping who they were. */
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
