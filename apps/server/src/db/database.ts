import { fileURLToPath } from 'node:url'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
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

/** Any number that all instances agree on: who holds it migrates, the others wait. */
const MIGRATION_LOCK = 7_205_759_403

/** @param onBrokenConnection hears of connections that break, idle or in use; the pool replaces them by itself. */
export function openDatabase(url: string, onBrokenConnection: (error: Error) => void): OpenDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 5_000,
  })
  // The pool listens only to idle connections; the end of one in use, unheard, would end the process.
  pool.on('connect', (client) => client.on('error', (error) => !pool.ending && onBrokenConnection(error)))
  pool.on('error', () => {})
  return { db: drizzle(pool, { schema }), pool, close: () => pool.end() }
}

/** What changes the tables, in order. */
export const migrationsFolder = fileURLToPath(new URL('../drizzle', baseUrl()))

/** Applies what is missing of `apps/server/drizzle`, or of another folder, one instance at a time. */
export async function migrateDatabase(url: string, folder = migrationsFolder): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await migrate(drizzle(client), { migrationsFolder: folder })
  } finally {
    await client.end()
  }
}

/** From the source this file is two levels under apps/server, from the bundle one. */
function baseUrl(): string {
  return import.meta.url.endsWith('/db/database.ts') ? new URL('..', import.meta.url).href : import.meta.url
}
