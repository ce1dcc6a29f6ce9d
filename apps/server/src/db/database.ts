import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { drizzle, type NodePgDatabase, NodePgSession, NodePgTransaction } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import { PgDialect } from 'drizzle-orm/pg-core'
import pg from 'pg'
import {
  applyLimits,
  bulkLimits,
  type ConnectionLimits,
  connectionOptions,
  createConnectionGuard,
  openClient,
} from './connection.ts'

export type Tx = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0]
export interface Database extends NodePgDatabase {
  /**
   * Runs a transaction without separate round trips for `begin` and `commit`: `begin` is sent with
   * the first statements of `work`, and `work` may send `commit` before earlier statements are
   * answered.
   */
  pipeline<T>(work: (tx: Tx, control: PipelineControl) => Promise<T>): Promise<T>
}
/** The begin and the commit of a pipelined transaction. */
export interface PipelineControl {
  /**
   * Resolves when the transaction has begun. Await this before the first statement that writes,
   * because without a transaction each statement would commit on its own.
   */
  begun: Promise<void>
  /**
   * Sends the commit. Rejects if an earlier statement failed, because the transaction is then
   * rolled back. Without this call, the commit is sent when `work` has ended.
   */
  commit(): Promise<void>
}
/** Accepted by store functions, which work both inside and outside a transaction. */
export type Queryable = Database | Tx

export interface OpenDatabase {
  db: Database
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * Key of the advisory lock that allows only one instance to migrate, and only while no backup is
 * made. Must be the same in every release.
 */
const MIGRATION_LOCK = 7_205_759_403
const MIGRATION_POLL_MS = 250
/**
 * Longest wait for the migration lock; then the start fails. A migration that holds the lock for
 * longer is stuck, and an operator must intervene. If a backup holds the lock for longer, the
 * server can start when the backup has ended.
 */
const MIGRATION_WAIT_MS = 10 * MINUTE_MS

export const defaultStatementSeconds = 8
const LOCK_MS = 3_000
/**
 * Time after which an idle connection is closed. Much longer than a minute, so that jobs that run
 * every minute reuse connections, even if several jobs run at the same time.
 */
const IDLE_MS = 5 * MINUTE_MS
const MAX_LIFETIME_SECONDS = 900

/** Limits for requests and background jobs. */
export function getServerLimits(statementSeconds: number): ConnectionLimits {
  const statementMs = statementSeconds * 1_000
  return { connectMs: 5_000, statementMs, lockMs: LOCK_MS, idleInTransactionMs: 10_000, silenceMs: statementMs + 1_000 }
}

interface DatabaseOptions {
  limits?: ConnectionLimits
  /** Maximum number of connections. */
  max?: number
  /** Called with the SQLSTATE of every error that the server reports. */
  onServerError?(sqlState: string): void
  /**
   * Runs on each new connection. If set, connections stay open until they break, so that the state
   * of their session is kept.
   */
  onSession?(client: pg.ClientBase): Promise<void>
}

/**
 * @param onBrokenConnection called when an idle or active connection breaks; the pool replaces it
 */
export function openDatabase(
  url: string,
  onBrokenConnection: (error: Error) => void,
  { limits = getServerLimits(defaultStatementSeconds), max = 16, onServerError, onSession }: DatabaseOptions = {},
): OpenDatabase {
  const guard = createConnectionGuard(limits, onServerError)
  const pool = new pg.Pool({
    ...connectionOptions(url, limits),
    max,
    // Send statements without waiting for the answers to earlier ones.
    pipeline: true,
    idleTimeoutMillis: onSession ? 0 : IDLE_MS,
    maxLifetimeSeconds: onSession ? 0 : MAX_LIFETIME_SECONDS,
    async onConnect(client) {
      guard(client)
      await applyLimits(client, limits)
      await onSession?.(client)
    },
  })
  // The pool handles errors of idle connections only. Without this listener, an error of an active
  // connection would terminate the process.
  pool.on('connect', (client) => client.on('error', (error) => !pool.ending && onBrokenConnection(error)))
  pool.on('error', () => {})
  const db = Object.assign(drizzle(pool), { transaction: createTransaction(pool), pipeline: createPipeline(pool) })
  return { db, pool, close: () => pool.end() }
}

/**
 * Replaces drizzle's own `transaction`, which does not release a pooled connection when `begin`
 * fails: a few broken connections would exhaust the pool.
 */
function createTransaction(pool: pg.Pool): Database['transaction'] {
  return async (work, config) => {
    const client = await pool.connect()
    try {
      return await drizzle(client).transaction(work, config)
    } finally {
      // The pool discards broken clients.
      client.release()
    }
  }
}

const dialect = new PgDialect()

function createPipeline(pool: pg.Pool): Database['pipeline'] {
  return async (work) => {
    const client = await pool.connect()
    let rollbackError: Error | undefined
    try {
      const tx: Tx = new NodePgTransaction(dialect, new NodePgSession(client, dialect, undefined), undefined)
      const begun = client.query('begin').then(() => {})
      // `work` awaits the same promise and handles the error.
      begun.catch(() => {})
      let committing: Promise<void> | null = null
      const commit = () => {
        committing ??= client.query('commit').then(({ command }) => {
          if (command !== 'COMMIT') throw new Error('The transaction was rolled back')
        })
        return committing
      }
      try {
        const result = await work(tx, { begun, commit })
        await commit()
        return result
      } catch (error) {
        // The rollback has no effect if the transaction has already ended.
        await client.query('rollback').catch((failure: Error) => {
          rollbackError = failure
        })
        throw error
      }
    } finally {
      client.release(rollbackError)
    }
  }
}

/** Folder of the SQL migrations and their journal. */
export const migrationsFolder = fileURLToPath(new URL('../drizzle', getBaseUrl()))

/**
 * Applies pending migrations of `folder`. Only one instance migrates at a time; the others wait. A
 * migration also waits until the running backups have ended. Otherwise the migration would wait for
 * their table locks, and all later statements on these tables would wait behind the migration.
 */
export async function migrateDatabase(url: string, folder = migrationsFolder): Promise<void> {
  const client = await openClient(url, bulkLimits)
  try {
    if (await isMigrated(client, folder)) return
    await acquireMigrationLock(client)
    await migrate(drizzle(client), { migrationsFolder: folder })
  } finally {
    await client.end()
  }
}

/** True if the database has all migrations of `folder`. Compares timestamps, as drizzle does. */
async function isMigrated(client: pg.Client, folder: string): Promise<boolean> {
  const { rows: tables } = await client.query<{ name: string | null }>(
    `select to_regclass('drizzle.__drizzle_migrations')::text as name`,
  )
  if (!tables[0]?.name) return false
  const { rows } = await client.query<{ newest: string | null }>(
    'select max(created_at) as newest from drizzle.__drizzle_migrations',
  )
  const newest = Number(rows[0]?.newest ?? 0)
  return readMigrationFiles({ migrationsFolder: folder }).every(({ folderMillis }) => folderMillis <= newest)
}

/** Waits until no instance migrates. Then prevents migrations until the connection ends. */
export function preventMigrations(client: pg.Client): Promise<void> {
  return acquireMigrationLock(client, '_shared')
}

/**
 * Waits for the migration lock by polling. A blocking wait has no timeout and would hang while a
 * lost connection still holds the lock.
 */
async function acquireMigrationLock(client: pg.Client, mode: '' | '_shared' = ''): Promise<void> {
  const waitUntilMs = performance.now() + MIGRATION_WAIT_MS
  for (;;) {
    const { rows } = await client.query<{ held: boolean }>(`select pg_try_advisory_lock${mode}($1) as held`, [
      MIGRATION_LOCK,
    ])
    if (rows[0]?.held) return
    if (performance.now() > waitUntilMs)
      throw new Error('Another process has been migrating or backing up this database for 10 minutes')
    await delay(MIGRATION_POLL_MS)
  }
}

/**
 * Returns the URL that relative paths are resolved against. The source file is two levels below
 * apps/server, the bundle only one.
 */
function getBaseUrl(): string {
  return import.meta.url.endsWith('/db/database.ts') ? new URL('..', import.meta.url).href : import.meta.url
}
