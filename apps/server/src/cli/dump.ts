import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { bulkLimits, openClient } from '../db/connection.ts'
import { migrationsFolder, preventMigrations } from '../db/database.ts'

/**
 * Tables that are not backed up: sessions, tokens, rate limits and runtime state. After a restore,
 * sessions and links that became invalid after the backup must not be valid again. The schema of
 * the email queue is not backed up either, because queued emails contain such links.
 */
export const EXCLUDED_TABLES = new Set([
  ...['sessions', 'mail_tokens', 'wallet_proofs', 'wallet_challenges', 'wallet_sign_ins', 'provider_trips'],
  'passkey_challenges',
  // A trigger recomputes this table when payments are restored.
  'payment_days',
  // Recomputed with the track record.
  'record_alerts',
  ...['pending_sign_ups', 'credential_limits', 'instances', 'instance_samples', 'leases', 'write_probes'],
  'channel_tests',
])

export const headerSchema = z.object({
  format: z.literal('tocsin-backup'),
  version: z.literal(1),
  createdAt: z.string(),
  /**
   * SHA-256 of each applied migration, in order. A restore applies the same migrations before it
   * loads the rows.
   */
  migrations: z.array(z.string()).min(1),
  /** In dependency order: referenced tables come first. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  sequences: z.array(z.object({ name: z.string(), value: z.string() })),
})
export type Header = z.infer<typeof headerSchema>

/**
 * Session settings that make PostgreSQL's text output exact and independent of the server's
 * configuration.
 */
export const EXACT_TEXT =
  "set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'iso_8601'; set bytea_output = 'hex'; set extra_float_digits = 1"

/** A single row can have megabytes, so the number of rows in memory is limited. */
const ROWS_PER_FETCH = 100
const MAX_BATCH_ROWS = 1_000
/** A batch with more than one row has at most this many characters. */
export const MAX_BATCH_CHARACTERS = 1_000_000

/**
 * Dumps a consistent snapshot of the database as JSON lines: the header, then for each table its
 * name and batches of rows (arrays of PostgreSQL row literals), and finally the total number of
 * rows. The server can keep running. Migrations wait until the dump has ended, because a changed
 * table no longer matches the header.
 */
export async function* dumpDatabase(url: string, now: Date): AsyncGenerator<string> {
  const client = await openClient(url, bulkLimits)
  try {
    await client.query(EXACT_TEXT)
    await preventMigrations(client)
    await client.query('begin isolation level repeatable read read only')
    const header = await readHeader(client, now)
    yield JSON.stringify(header)
    let rows = 0
    for (const { name } of header.tables) {
      yield JSON.stringify({ table: name })
      for await (const batch of readRows(client, name)) {
        rows += batch.length
        yield JSON.stringify(batch)
      }
    }
    yield JSON.stringify({ rows })
  } finally {
    await client.end()
  }
}

async function* readRows(client: pg.Client, table: string): AsyncGenerator<string[]> {
  await client.query(
    `declare dumped no scroll cursor for select t::text as row from public.${pg.escapeIdentifier(table)} t`,
  )
  let batch: string[] = []
  let characters = 0
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`fetch ${ROWS_PER_FETCH} from dumped`)
    if (rows.length === 0) break
    for (const { row } of rows) {
      const isFull = batch.length === MAX_BATCH_ROWS || characters + row.length > MAX_BATCH_CHARACTERS
      if (isFull && batch.length > 0) {
        yield batch
        batch = []
        characters = 0
      }
      batch.push(row)
      characters += row.length
    }
  }
  if (batch.length > 0) yield batch
  await client.query('close dumped')
}

async function readHeader(client: pg.Client, now: Date): Promise<Header> {
  const migrations = await client.query<{ hash: string }>('select hash from drizzle.__drizzle_migrations order by id')
  const columns = await client.query<{ name: string; columns: string[] }>(
    `select c.table_name as name, array_agg(c.column_name::text order by c.ordinal_position) as columns
     from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
     group by c.table_name order by c.table_name`,
  )
  const references = await client.query<{ from: string; to: string }>(
    `select r.relname as "from", t.relname as "to" from pg_constraint
     join pg_class r on r.oid = conrelid join pg_class t on t.oid = confrelid
     where contype = 'f' and connamespace = 'public'::regnamespace`,
  )
  const sequences = await client.query<{ name: string; value: string }>(
    `select sequencename as name, last_value::text as value from pg_sequences
     where schemaname = 'public' and last_value is not null`,
  )
  const includedColumns = columns.rows.filter(({ name }) => !EXCLUDED_TABLES.has(name))
  return {
    format: 'tocsin-backup',
    version: 1,
    createdAt: now.toISOString(),
    migrations: migrations.rows.map(({ hash }) => hash),
    tables: sortByDependency(includedColumns, references.rows),
    sequences: sequences.rows,
  }
}

/** Sorts tables so that referenced tables come first. */
function sortByDependency<T extends { name: string }>(tables: T[], references: { from: string; to: string }[]): T[] {
  const orderedTables: T[] = []
  const remainingTables = new Map(tables.map((table) => [table.name, table]))
  while (remainingTables.size > 0) {
    const readyTables = [...remainingTables.values()].filter(({ name }) =>
      references.every(({ from, to }) => from !== name || to === name || !remainingTables.has(to)),
    )
    if (readyTables.length === 0) throw new Error('The foreign keys of the tables form a cycle')
    for (const table of readyTables) {
      remainingTables.delete(table.name)
      orderedTables.push(table)
    }
  }
  return orderedTables
}

const journalSchema = z.object({ entries: z.array(z.object({ tag: z.string() }).loose()) }).loose()

/** Reads the journal of all migrations in this version, with the SHA-256 of each migration. */
export function readJournal(folder = migrationsFolder) {
  const journal = journalSchema.parse(JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')))
  const hashes = journal.entries.map(({ tag }) =>
    createHash('sha256')
      .update(readFileSync(join(folder, `${tag}.sql`), 'utf8'))
      .digest('hex'),
  )
  return { journal, hashes }
}
