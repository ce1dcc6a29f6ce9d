import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import {
  applyLimits,
  bulkLimits,
  type ConnectionLimits,
  connectionOptions,
  createConnectionGuard,
  openClient,
} from './connection.ts'
import * as schema from './schema.ts'

export type Database = NodePgDatabase<typeof schema>
export type Tx = Parameters<Parameters<Database['transaction']>[0]>[0]
/** What a store function takes: it runs the same inside a transaction and outside. */
export type Queryable = Database | Tx

export interface OpenDatabase {
  db: Database
  pool: pg.Pool
  close(): Promise<void>
}

/** All instances agree on this number: the instance that holds the advisory lock migrates, the others wait. */
const MIGRATION_LOCK = 7_205_759_403
const MIGRATION_POLL_MS = 250
/** A migration that takes longer than this needs an operator, and so does one whose process is frozen. */
const MIGRATION_WAIT_MS = 10 * 60_000

export const defaultStatementSeconds = 8
const LOCK_MS = 3_000
const MAX_LIFETIME_SECONDS = 900

/** For requests and background jobs. */
export function serverLimits(statementSeconds: number): ConnectionLimits {
  const statementMs = statementSeconds * 1_000
  return { connectMs: 5_000, statementMs, lockMs: LOCK_MS, idleInTransactionMs: 10_000, silenceMs: statementMs + 1_000 }
}

interface DatabaseOptions {
  limits?: ConnectionLimits
  /** Connections at most. */
  max?: number
  /** Hears the SQLSTATE of every error that the server reports. */
  onServerError?(sqlState: string): void
}

/** @param onBrokenConnection hears of connections that break, idle or in use; the pool replaces them by itself. */
export function openDatabase(
  url: string,
  onBrokenConnection: (error: Error) => void,
  { limits = serverLimits(defaultStatementSeconds), max = 16, onServerError }: DatabaseOptions = {},
): OpenDatabase {
  const guard = createConnectionGuard(limits, onServerError)
  const pool = new pg.Pool({
    ...connectionOptions(url, limits),
    max,
    idleTimeoutMillis: 30_000,
    maxLifetimeSeconds: MAX_LIFETIME_SECONDS,
    async onConnect(client) {
      guard(client)
      await applyLimits(client, limits)
    },
  })
  // The pool listens only to idle connections. Without a listener the loss of one in use would end the process.
  pool.on('connect', (client) => client.on('error', (error) => !pool.ending && onBrokenConnection(error)))
  pool.on('error', () => {})
  const db = Object.assign(drizzle(pool, { schema }), { transaction: createTransaction(pool) })
  return { db, pool, close: () => pool.end() }
}

/**
 * Drizzle's own transactions over a pool never give a connection back on which `begin` has failed: a few lost connections would use up the pool.
 */
function createTransaction(pool: pg.Pool): Database['transaction'] {
  return async (work, config) => {
    const client = await pool.connect()
    try {
      // The type names the schema, which only drizzle's relational queries need.
      const db = drizzle(client) as unknown as Database
      return await db.transaction(work, config)
    } finally {
      // The pool closes it if it is broken.
      client.release()
    }
  }
}

/** What changes the tables, in order. */
export const migrationsFolder = fileURLToPath(new URL('../drizzle', baseUrl()))

/** Applies what is missing of `apps/server/drizzle`, or of another folder, one instance at a time. */
export async function migrateDatabase(url: string, folder = migrationsFolder): Promise<void> {
  const client = await openClient(url, bulkLimits)
  try {
    await takeMigrationLock(client)
    await migrate(drizzle(client), { migrationsFolder: folder })
  } finally {
    await client.end()
  }
}

/** Polls: a session that waits for the lock would hang for as long as a lost connection holds it. */
async function takeMigrationLock(client: pg.Client): Promise<void> {
  const waitUntilMs = performance.now() + MIGRATION_WAIT_MS
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [MIGRATION_LOCK])
    if (rows[0]?.held) return
    if (performance.now() > waitUntilMs)
      throw new Error('Another process has been migrating this database for 10 minutes')
    await delay(MIGRATION_POLL_MS)
  }
}

/** From the source this file is two levels under apps/server, from the bundle one. */
function baseUrl(): string {
  return import.meta.url.endsWith('/db/database.ts') ? new URL('..', import.meta.url).href : import.meta.url
}
