import type { AlertStatement, AlertStatus, Candle, Forecast, OutcomeStatement } from '@tocsin/proof'
import type { Priority } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  text,
  uuid,
} from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { searchWords, timestampColumn } from './columns.ts'
import { logEntries } from './log.ts'

/**
 * All words of an alert, for full-text search. Punctuation separates words, so that BTC is found in
 * BTC/USDT.
 */
const wordsOfAlert = sql`to_tsvector('simple', regexp_replace(asset || ' ' || anomaly_type || ' ' || regime || ' ' || summary, '[^[:alnum:]]+', ' ', 'g'))`

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
    createdAt: timestampColumn('created_at').notNull(),
    broadcastAt: timestampColumn('broadcast_at'),
    /** Stored, because a search would otherwise compute it for each row that it reads. */
    words: searchWords('words').generatedAlwaysAs(wordsOfAlert),
  },
  (table) => [
    index('alerts_created').on(table.createdAt),
    // For excluding drafts (alerts that were not broadcast) from statistics. Drafts are rare.
    index('alerts_unsent').on(table.createdAt).where(sql`${table.broadcastAt} is null`),
    // For the feed's cool-down and statistics.
    index('alerts_feed').on(table.asset, table.anomalyType, table.createdAt).where(sql`${table.origin} = 'feed'`),
    index('alerts_priority').on(table.priority, table.logIndex),
    // With the last three columns, an index-only scan can count the alerts that are visible to a
    // caller.
    index('alerts_of_asset').on(table.asset, table.logIndex, table.priority, table.createdAt, table.broadcastAt),
    index('alerts_of_type').on(table.anomalyType, table.logIndex, table.priority, table.createdAt, table.broadcastAt),
    index('alerts_of_regime').on(table.regime, table.logIndex, table.priority, table.createdAt, table.broadcastAt),
    // For searches by word prefix.
    index('alerts_words_stored').using('gin', table.words),
    // For finding messages by their hash.
    index('alerts_signal_hash').on(table.signalHash).where(sql`${table.signalHash} is not null`),
    index('alerts_target').on(table.targetIndex, table.logIndex).where(sql`${table.targetIndex} is not null`),
  ],
)

/**
 * The exact feed message behind an alert. `alerts.signal_hash` is its SHA-256. If the message is
 * missing, the track record counts the alert as not true. Earlier releases stored only messages
 * with a `series`.
 */
export const alertSignals = pgTable('alert_signals', {
  alertId: text('alert_id')
    .primaryKey()
    .references(() => alerts.id),
  message: text('message').notNull(),
})

/**
 * Tokens of shared links. Each token discloses one alert that is not public yet. Only its hash is
 * stored, so that a stolen dump opens no link.
 */
export const alertShares = pgTable(
  'alert_shares',
  {
    tokenHash: text('token_hash').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .references(() => logEntries.index),
    createdAt: timestampColumn('created_at').notNull(),
  },
  (table) => [index('alert_shares_account').on(table.accountId, table.createdAt)],
)

/** The predictions of alerts, parsed from their messages. */
export const alertPredictions = pgTable(
  'alert_predictions',
  {
    logIndex: bigint('log_index', { mode: 'number' })
      .primaryKey()
      .references(() => logEntries.index),
    forecast: jsonb('forecast').$type<Forecast>().notNull(),
    /** Start of the horizon: the period of candles that decides the prediction. */
    startsAt: timestampColumn('starts_at').notNull(),
  },
  (table) => [index('alert_predictions_starts').on(table.startsAt)],
)

/**
 * Outcome entries of the log, parsed into columns. If several have the same target, the one with
 * the lowest index counts.
 */
export const alertOutcomes = pgTable(
  'alert_outcomes',
  {
    logIndex: bigint('log_index', { mode: 'number' })
      .primaryKey()
      .references(() => logEntries.index),
    /** Log index of the alert. */
    targetIndex: bigint('target_index', { mode: 'number' })
      .notNull()
      .references(() => logEntries.index),
    verdict: text('verdict').$type<OutcomeStatement['verdict']>().notNull(),
    measured: text('measured'),
    createdAt: timestampColumn('created_at').notNull(),
    messageHash: text('message_hash').notNull(),
    /** The exact message. Null after `log adopt`, until the feed sends it again. */
    message: text('message'),
  },
  (table) => [
    index('alert_outcomes_target').on(table.targetIndex, table.logIndex),
    index('alert_outcomes_message').on(table.messageHash),
  ],
)

/**
 * Results of the track record for alerts with a prediction and for alerts whose message is missing.
 * They are derived from other tables and stored so that they need not be computed again. A row is
 * written when the alert is public.
 */
export const recordAlerts = pgTable(
  'record_alerts',
  {
    logIndex: bigint('log_index', { mode: 'number' })
      .primaryKey()
      .references(() => logEntries.index),
    /** The status as of the anchor that the newest computation used. */
    status: text('status').$type<AlertStatus>().notNull(),
    isFirstOfEpisode: boolean('is_first_of_episode').notNull(),
    /**
     * Log index of the outcome that was checked. Null before the check, and while the outcome's
     * message is missing.
     */
    outcomeIndex: bigint('outcome_index', { mode: 'number' }),
    /**
     * Block time, in ms since 1970, of the first anchor that covered the alert when the outcome was
     * checked.
     */
    anchoredMs: bigint('anchored_ms', { mode: 'number' }),
    problem: text('problem'),
    isWitnessed: boolean('is_witnessed').notNull().default(false),
    /** False if the anchors do not prove the time of the outcome. */
    isTimeProven: boolean('is_time_proven').notNull().default(true),
    /**
     * Identifies the block and the candles from which the control rate was computed. The control
     * rate is the share of random minutes of the day at which the same rule came true
     * (docs/log-format.md, 14.4). Null if the alert has no control rate.
     */
    controlsKey: text('controls_key'),
    controlMinutes: integer('control_minutes'),
    controlsCameTrue: integer('controls_came_true'),
  },
  (table) => [index('record_alerts_status').on(table.status, table.logIndex)],
)

/**
 * One-minute candles of a market for each UTC day, as sent by the feed, in ascending time order.
 */
export const marketCandles = pgTable(
  'market_candles',
  {
    venue: text('venue').notNull(),
    market: text('market').notNull(),
    day: date('day').notNull(),
    candles: jsonb('candles').$type<Candle[]>().notNull(),
    /** Stored, because counting the long list of a day takes time. */
    count: integer('count').generatedAlwaysAs(sql`jsonb_array_length(candles)`),
  },
  (table) => [primaryKey({ columns: [table.venue, table.market, table.day] })],
)

/**
 * Alerts in the order in which they were broadcast, and outcomes in the order in which they
 * arrived. `seq` increases in commit order, because rows are inserted under the log head's lock.
 * Each server instance tails the table from the last row that it has sent to its clients.
 */
export const deliveries = pgTable(
  'deliveries',
  {
    seq: bigserial('seq', { mode: 'number' }).primaryKey(),
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .references(() => logEntries.index),
    at: timestampColumn('at').notNull(),
  },
  (table) => [index('deliveries_log_index').on(table.logIndex)],
)

/** The alerts that an account has read. */
export const alertReads = pgTable(
  'alert_reads',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    alertId: text('alert_id')
      .notNull()
      .references(() => alerts.id),
    readAt: timestampColumn('read_at').notNull(),
    /** Time when a page of the account first reported that it has checked the proof. */
    verifiedAt: timestampColumn('verified_at'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.alertId] }),
    // For counting the accounts that have read or verified an alert.
    index('alert_reads_alert').on(table.alertId, table.accountId, table.verifiedAt),
  ],
)

/**
 * Accounts to whose pages or programs a critical alert was written, and the time from its broadcast
 * to the first such write. Other alerts are not recorded, because there are too many. Rows are
 * deleted after 30 days.
 */
export const streamReach = pgTable(
  'stream_reach',
  {
    logIndex: bigint('log_index', { mode: 'number' })
      .notNull()
      .references(() => logEntries.index),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    at: timestampColumn('at').notNull(),
    tookMs: integer('took_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.logIndex, table.accountId] }),
    index('stream_reach_at').on(table.at),
    index('stream_reach_account').on(table.accountId),
  ],
)

/**
 * "Mark all read" of an account: all alerts up to a log index that the account could read at that
 * moment count as read. This is one row instead of one for each alert. Undo deletes the row.
 */
export const alertReadMarks = pgTable(
  'alert_read_marks',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    upToIndex: bigint('up_to_index', { mode: 'number' }).notNull(),
    at: timestampColumn('at').notNull(),
  },
  (table) => [index('alert_read_marks_account').on(table.accountId, table.at)],
)
