import {
  bigint,
  date,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'
import { timestampColumn } from './columns.ts'

/**
 * Responses to requests with an Idempotency-Key (see `Safeguard` in `http/route.ts`). Rows expire
 * after 24 hours. `caller` is an account id, or the network of an anonymous caller. It is not a
 * foreign key, because inserting a row would lock the account. If the handler then takes a stronger
 * lock on the account, two requests can deadlock.
 */
export const idempotentAnswers = pgTable(
  'idempotent_answers',
  {
    caller: text('caller').notNull(),
    key: text('key').notNull(),
    /**
     * HMAC-SHA-256 of method, path and body in hex, with a key derived from APP_SECRET because
     * bodies can contain passwords.
     */
    request: text('request').notNull(),
    /**
     * The response as JSON. Null while the first call is running. Other transactions can see the
     * null only with the safeguard `lease`: with the others, one transaction inserts the row and
     * stores the response.
     */
    answer: text('answer'),
    /** Time until which a call without a stored response is considered running. */
    runsUntil: timestampColumn('runs_until'),
    createdAt: timestampColumn('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.caller, table.key] }),
    index('idempotent_answers_created').on(table.createdAt),
  ],
)

/**
 * Operator settings and other small durable values (deployed contracts, feed configuration), by
 * name.
 */
export const settings = pgTable('settings', {
  name: text('name').primaryKey(),
  value: jsonb('value').notNull(),
  updatedAt: timestampColumn('updated_at').notNull(),
})

/** Anonymous counts of a UTC day, such as visits of the front page. */
export const dailyCounts = pgTable(
  'daily_counts',
  {
    day: date('day').notNull(),
    name: text('name').$type<'landing_visits' | 'sign_ups'>().notNull(),
    count: integer('count').notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.name] })],
)

/**
 * Running server instances, with the number of live sockets of each. A row that is not refreshed
 * belongs to a dead instance.
 */
export const instances = pgTable('instances', {
  id: uuid('id').primaryKey(),
  listening: integer('listening').notNull(),
  seenAt: timestampColumn('seen_at').notNull(),
})

/** Reports that each instance writes about itself once a minute. Rows are deleted after a day. */
export const instanceSamples = pgTable(
  'instance_samples',
  {
    /** Host name and port, which stay the same after a restart. */
    name: text('name').notNull(),
    at: timestampColumn('at').notNull(),
    version: text('version').notNull(),
    startedAt: timestampColumn('started_at').notNull(),
    state: text('state').$type<'ready' | 'degraded' | 'unavailable' | 'stopped'>().notNull(),
    /** Reasons of the failing checks of /readyz, by check. */
    failing: jsonb('failing').$type<Record<string, string>>().notNull(),
    /** Background jobs that the instance runs. */
    jobs: text('jobs').array().notNull(),
    connected: integer('connected').notNull(),
    /** 99th percentile of the event loop's delay since the last report, in milliseconds. */
    loopDelayMs: doublePrecision('loop_delay_ms').notNull(),
    /** In seconds. Null if the value could not be read. */
    anchorLag: doublePrecision('anchor_lag'),
    paymentLag: doublePrecision('payment_lag'),
    queueAge: doublePrecision('queue_age'),
    /** Seconds since the newest signal, and since the newest status of the engine. */
    feedAge: doublePrecision('feed_age'),
    engineAge: doublePrecision('engine_age'),
  },
  (table) => [primaryKey({ columns: [table.name, table.at] }), index('instance_samples_at').on(table.at)],
)

/**
 * Leases of the background jobs that only one instance may run at a time. The holder runs the job
 * and renews `expiresAt`, which is compared only with the database's clock. `token` is the fencing
 * token, which increases with every change of holder. It is deliberately part of a unique key: the
 * holder's transactions lock the row `for key share`, which conflicts with a change of the token (a
 * takeover) but not with a renewal.
 */
export const leases = pgTable(
  'leases',
  {
    job: text('job').primaryKey(),
    holder: uuid('holder').notNull(),
    token: bigint('token', { mode: 'number' }).notNull(),
    expiresAt: timestampColumn('expires_at').notNull(),
  },
  (table) => [uniqueIndex('leases_token').on(table.job, table.token)],
)

/** A single row that instances rewrite to check whether the database still accepts writes. */
export const writeProbes = pgTable('write_probes', { at: timestampColumn('at').notNull() })
