import type {
  ChannelTest,
  DeliveryEvent,
  DeliveryRules,
  DestinationKind,
  DigestTimes,
  OptionalEvent,
  QuietHours,
} from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { timestampColumn } from './columns.ts'
import { logEntries } from './log.ts'

/** Destinations to which the alerts of an account are sent, in addition to its pages. */
export const destinations = pgTable(
  'destinations',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<DestinationKind>().notNull(),
    name: text('name').notNull(),
    /**
     * Shown to the owner: the host of the URL, the email address, or the name of the Telegram chat.
     * The whole URL is stored only in `sealed`, encrypted, because it may contain a token.
     */
    host: text('host').notNull(),
    /** URL and keys, encrypted with APP_SECRET. */
    sealed: text('sealed').notNull(),
    /** Public key of a webhook. Null for other kinds. */
    publicKey: text('public_key'),
    state: text('state').$type<'unconfirmed' | 'on' | 'paused' | 'failing' | 'gone'>().notNull(),
    /** Events that the destination gets in addition to new alerts. */
    events: text('events').array().$type<OptionalEvent[]>().notNull().default([]),
    createdAt: timestampColumn('created_at').notNull(),
    /** Time of the first failure after the last success. */
    failingSince: timestampColumn('failing_since'),
    /**
     * Nothing is sent before this time, because the endpoint has requested a pause or the next
     * probe is not due.
     */
    notBefore: timestampColumn('not_before'),
    /** Nothing is sent before this time, because the owner has muted the destination. */
    mutedUntil: timestampColumn('muted_until'),
    /** SHA-256 of the code that confirms the destination, while a code is valid. */
    codeHash: text('code_hash'),
    codeUntil: timestampColumn('code_until'),
    codeTries: integer('code_tries').notNull().default(0),
    /** Rules that select the alerts of the destination. Absent fields do not restrict them. */
    rules: jsonb('rules').$type<Partial<DeliveryRules>>().notNull().default({}),
    quietHours: jsonb('quiet_hours').$type<QuietHours>(),
    /** Null if each alert is sent immediately. */
    digest: jsonb('digest').$type<DigestTimes>(),
    /** Position in the escalation of critical alerts, from 0. */
    escalationStep: integer('escalation_step'),
    /** Unsent texts to the owner, about another destination or from staff. See `notices.ts`. */
    notice: text('notice'),
    /**
     * Time of the last alert that the delivery ledger lists as skipped because the account had no
     * plan.
     */
    noPlanAt: timestampColumn('no_plan_at'),
  },
  (table) => [index('destinations_account').on(table.accountId, table.createdAt)],
)

/**
 * The last test or confirmation of each destination. A new one replaces it, but not while it runs.
 * The sender of deliveries also sends the tests, because it knows how many requests to the
 * destination are running.
 */
export const channelTests = pgTable('channel_tests', {
  destinationId: uuid('destination_id')
    .primaryKey()
    .references(() => destinations.id, { onDelete: 'cascade' }),
  id: uuid('id').notNull().defaultRandom(),
  kind: text('kind').$type<'test' | 'confirmation'>().notNull(),
  createdAt: timestampColumn('created_at').notNull(),
  /** Null while the test runs. */
  result: jsonb('result').$type<Omit<ChannelTest, 'message' | 'link'>>(),
})

/**
 * The delivery of each alert to each destination, with its state. The leader of the job `channels`
 * writes the rows. It reads `deliveries` with its own cursor. The rows with the state `waiting` are
 * also the send queue.
 */
export const channelDeliveries = pgTable(
  'channel_deliveries',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    destinationId: uuid('destination_id')
      .notNull()
      .references(() => destinations.id, { onDelete: 'cascade' }),
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .references(() => logEntries.index),
    event: text('event').$type<DeliveryEvent>().notNull().default('alert'),
    /** `seq` of the row in `deliveries`. */
    seq: bigint('seq', { mode: 'number' }).notNull(),
    /** Index of the alert's priority in `priorities`. */
    rank: integer('rank').notNull(),
    state: text('state').$type<'waiting' | 'held' | 'delivered' | 'skipped' | 'dead'>().notNull(),
    reason: text('reason').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /**
     * Time when the delivery is due. In the state `held` (collected for a digest), time when the
     * digest is due.
     */
    nextAt: timestampColumn('next_at').notNull(),
    /**
     * Id of the row that is sent as the digest with this alert. Null if the alert is not in a
     * digest that has been started.
     */
    digestId: bigint('digest_id', { mode: 'number' }),
    /**
     * True if the row repeats a critical alert that was not acknowledged at an earlier destination.
     */
    isEscalation: boolean('is_escalation').notNull().default(false),
    /** True if the owner has requested the delivery again. The maximum age does not apply to it. */
    isRedelivery: boolean('is_redelivery').notNull().default(false),
    /**
     * True if a request may have been sent and its response is not recorded. The next attempt then
     * has the same id, so that the receiver can ignore a repetition.
     */
    mayHaveArrived: boolean('may_have_arrived').notNull().default(false),
    deliveredAt: timestampColumn('delivered_at'),
    tookMs: integer('took_ms'),
  },
  (table) => [
    uniqueIndex('channel_deliveries_once').on(table.destinationId, table.logIndex, table.event),
    index('channel_deliveries_due').on(table.nextAt).where(sql`${table.state} = 'waiting'`),
    // For reading the send queue of each destination in sending order.
    index('channel_deliveries_queue')
      .on(table.destinationId, table.rank.desc(), table.createdAt, table.id)
      .where(sql`${table.state} = 'waiting'`),
    index('channel_deliveries_held').on(table.nextAt).where(sql`${table.state} = 'held'`),
    index('channel_deliveries_digest').on(table.digestId).where(sql`${table.digestId} is not null`),
    index('channel_deliveries_created').on(table.createdAt),
    index('channel_deliveries_log_index').on(table.logIndex),
  ],
)

export const channelAttempts = pgTable(
  'channel_attempts',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    deliveryId: bigint('delivery_id', { mode: 'number' })
      .notNull()
      .references(() => channelDeliveries.id, { onDelete: 'cascade' }),
    at: timestampColumn('at').notNull(),
    /** Null if there was no response. */
    status: integer('status'),
    tookMs: integer('took_ms').notNull(),
    /** The first 500 characters of the response, or the reason why no response came. */
    response: text('response').notNull(),
  },
  (table) => [index('channel_attempts_delivery').on(table.deliveryId)],
)

/** A single row: the cursor up to which the delivery ledger has been filled. */
export const channelCursor = pgTable('channel_cursor', {
  id: integer('id').primaryKey(),
  /** `seq` of the last row of `deliveries` that was read. */
  seq: bigint('seq', { mode: 'number' }).notNull(),
  /** The tree size of the last anchor; null before the first one. */
  anchoredSize: bigint('anchored_size', { mode: 'number' }),
})

/**
 * The private feed of an account. `secretHash` is SHA-256 of the secret in its address. A new
 * address replaces the row, and revoking it deletes the row.
 */
export const privateFeeds = pgTable('private_feeds', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id, { onDelete: 'cascade' }),
  secretHash: text('secret_hash').notNull().unique(),
  createdAt: timestampColumn('created_at').notNull(),
  lastReadAt: timestampColumn('last_read_at'),
})

/** Alerts that an account has acknowledged, on any of its devices. */
export const alertAcknowledgements = pgTable(
  'alert_acknowledgements',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .references(() => logEntries.index),
    at: timestampColumn('at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.logIndex] })],
)
