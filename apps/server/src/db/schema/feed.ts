import { sql } from 'drizzle-orm'
import { bigserial, boolean, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { timestampColumn } from './columns.ts'

/**
 * Accepted signals of the feed. A signal that arrives during the cool-down of another one with the
 * same asset and anomaly creates no alert. It is counted as a repeat, and stored as long as the
 * feed may send it again.
 */
export const feedSignals = pgTable(
  'feed_signals',
  {
    signalId: text('signal_id').primaryKey(),
    observedAt: timestampColumn('observed_at').notNull(),
    receivedAt: timestampColumn('received_at').notNull(),
    /** True if the signal arrived too late to be broadcast automatically. */
    isLate: boolean('is_late').notNull(),
    /**
     * The signal of which this one is counted as a repeat. Null if this signal created an alert.
     */
    mergedInto: text('merged_into'),
    repeats: integer('repeats').notNull().default(0),
    lastRepeatAt: timestampColumn('last_repeat_at'),
  },
  (table) => [index('feed_signals_merged').on(table.receivedAt).where(sql`${table.mergedInto} is not null`)],
)

/** Rejected messages of the feed, of all types, shown to the operator. */
export const refusedSignals = pgTable('refused_signals', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  at: timestampColumn('at').notNull(),
  raw: text('raw').notNull(),
  reason: text('reason').notNull(),
})

/**
 * Periods that have ended, in which the server had no connection to the feed or got no status of
 * its engine. Current periods are not stored here: a current period without a connection begins at
 * the time in the feed's report, and a current period without a status at the time of the newest
 * status. Rows are deleted after 30 days.
 */
export const feedGaps = pgTable(
  'feed_gaps',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    source: text('source').$type<'feed' | 'engine'>().notNull(),
    fromAt: timestampColumn('from_at').notNull(),
    toAt: timestampColumn('to_at').notNull(),
  },
  (table) => [index('feed_gaps_to').on(table.toAt)],
)
