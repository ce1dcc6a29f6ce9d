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
import { moment, searchWords } from './columns.ts'
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
    createdAt: moment('created_at').notNull(),
    broadcastAt: moment('broadcast_at'),
    /** Stored, because a search that reads many rows would compute it for each of them. */
    words: searchWords('words').generatedAlwaysAs(wordsOfAlert),
  },
  (table) => [
    index('alerts_created').on(table.createdAt),
    // Statistics exclude drafts (alerts that were not broadcast), of which there are few.
    index('alerts_unsent').on(table.createdAt).where(sql`${table.broadcastAt} is null`),
    // The feed's cool-down and its statistics.
    index('alerts_feed').on(table.asset, table.anomalyType, table.createdAt).where(sql`${table.origin} = 'feed'`),
    index('alerts_priority').on(table.priority, table.logIndex),
    // The last three columns let lists count what a reader may read without the rows.
    index('alerts_of_asset').on(table.asset, table.logIndex, table.priority, table.createdAt, table.broadcastAt),
    index('alerts_of_type').on(table.anomalyType, table.logIndex, table.priority, table.createdAt, table.broadcastAt),
    index('alerts_of_regime').on(table.regime, table.logIndex, table.priority, table.createdAt, table.broadcastAt),
    // Searches, by word prefix.
    index('alerts_words_stored').using('gin', table.words),
    // Messages are looked up by their hash.
    index('alerts_signal_hash').on(table.signalHash).where(sql`${table.signalHash} is not null`),
    index('alerts_target').on(table.targetIndex, table.logIndex).where(sql`${table.targetIndex} is not null`),
  ],
)

/**
 * The exact feed message behind an alert. `alerts.signal_hash` is its SHA-256. The track record
 * counts an alert whose message is missing as not true. Messages without a series were not kept by
 * earlier releases.
 */
export const alertSignals = pgTable('alert_signals', {
  alertId: text('alert_id')
    .primaryKey()
    .references(() => alerts.id),
  message: text('message').notNull(),
})

/**
 * Tokens of shared links. Each discloses one alert that is not public yet. Only the hash is stored,
 * so that a stolen dump opens no link.
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
    createdAt: moment('created_at').notNull(),
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
    /** Start of the horizon. */
    startsAt: moment('starts_at').notNull(),
  },
  (table) => [index('alert_predictions_starts').on(table.startsAt)],
)

/**
 * Outcome entries of the log, parsed into columns. Of several with one target, the one with the
 * lowest index counts.
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
    createdAt: moment('created_at').notNull(),
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
 * What the track record has found out about alerts with a prediction, and about alerts whose
 * message is missing. Derived from other tables, so that a computation need not do it again. Rows
 * are written when an alert is public.
 */
export const recordAlerts = pgTable(
  'record_alerts',
  {
    logIndex: bigint('log_index', { mode: 'number' })
      .primaryKey()
      .references(() => logEntries.index),
    /** As of the anchor of the newest computation. */
    status: text('status').$type<AlertStatus>().notNull(),
    isFirstOfEpisode: boolean('is_first_of_episode').notNull(),
    /** The outcome that was judged. Null before it is, and while its message is missing. */
    outcomeIndex: bigint('outcome_index', { mode: 'number' }),
    /** Block time in milliseconds of the first anchor over the alert, which the judgement used. */
    anchoredMs: bigint('anchored_ms', { mode: 'number' }),
    problem: text('problem'),
    isWitnessed: boolean('is_witnessed').notNull().default(false),
    /** False if the anchors do not prove the time of the outcome. */
    isTimeProven: boolean('is_time_proven').notNull().default(true),
    /** Names the block and the candles that gave the control rate. Null without them. */
    controlsKey: text('controls_key'),
    controlMinutes: integer('control_minutes'),
    controlsCameTrue: integer('controls_came_true'),
  },
  (table) => [index('record_alerts_status').on(table.status, table.logIndex)],
)

/** One-minute candles of a market for each UTC day, as the feed has sent them. By rising time. */
export const marketCandles = pgTable(
  'market_candles',
  {
    venue: text('venue').notNull(),
    market: text('market').notNull(),
    day: date('day').notNull(),
    candles: jsonb('candles').$type<Candle[]>().notNull(),
    /** Stored, because the list of a day is long. */
    count: integer('count').generatedAlwaysAs(sql`jsonb_array_length(candles)`),
  },
  (table) => [primaryKey({ columns: [table.venue, table.market, table.day] })],
)

/**
 * The order in which alerts were broadcast, and in which their outcomes arrived. `seq` increases in
 * commit order, because rows are inserted under the log head's lock. Each server instance tails the
 * table from the last row that it has fanned out.
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
    /** When a page of the account first reported that it has checked the proof. */
    verifiedAt: moment('verified_at'),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.alertId] }),
    // The reach of an alert.
    index('alert_reads_alert').on(table.alertId, table.accountId, table.verifiedAt),
  ],
)

/**
 * Accounts to whose pages and programs a critical alert was written, and how long after its
 * broadcast. Other alerts are too many. Rows are deleted after 30 days.
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
    at: moment('at').notNull(),
    tookMs: integer('took_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.logIndex, table.accountId] }),
    index('stream_reach_at').on(table.at),
    index('stream_reach_account').on(table.accountId),
  ],
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
