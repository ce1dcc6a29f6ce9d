import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { bulkLimits, openClient } from '../db/connection.ts'
import { migrateDatabase, migrationsFolder } from '../db/database.ts'
import { CommandFailure } from './command.ts'
import { EXACT_TEXT, EXCLUDED_TABLES, type Header, headerSchema, readJournal } from './dump.ts'

const lineSchema = z.union([z.array(z.string()), z.object({ table: z.string() }), z.object({ rows: z.number().int() })])
const DAMAGED_TEXT = 'The backup is damaged. Nothing was restored.'

/**
 * Loads the output of `dumpDatabase` into an empty database, in one transaction, then migrates it
 * to this version.
 * @throws CommandFailure if the database is not empty, or if the backup is damaged or from an
 * unknown version
 */
export async function loadDatabase(
  url: string,
  lines: AsyncIterator<string>,
): Promise<{ header: Header; rows: number }> {
  const header = await readHeader(lines)
  const knownMigrations = readJournal()
  const count = header.migrations.length
  if (header.migrations.some((hash, index) => knownMigrations.hashes[index] !== hash)) {
    throw new CommandFailure(
      'The backup was made by another version of Tocsin. Restore it with that version, then update.',
    )
  }
  await withClient(url, async (client) => {
    await assertEmpty(client)
    await client.query('drop schema public cascade; create schema public')
    await client.query('drop schema if exists drizzle cascade; drop schema if exists pgboss cascade')
  })
  await migrateTo(url, knownMigrations.journal, count)
  const rows = await withClient(url, (client) => loadRows(client, header, lines))
  await migrateDatabase(url)
  return { header, rows }
}

async function readHeader(lines: AsyncIterator<string>): Promise<Header> {
  const { value, done } = await lines.next()
  const header = headerSchema.safeParse(done ? undefined : parseLine(value))
  if (!header.success) throw new CommandFailure('The file is not a Tocsin backup that this version can read.')
  return header.data
}

/**
 * Checks that the database is empty. The only row that it may contain is the head of the empty log.
 */
async function assertEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  for (const { name } of rows) {
    const whereClause = name === 'log_head' ? 'where size > 0' : ''
    const found = await client.query(`select 1 from public.${pg.escapeIdentifier(name)} ${whereClause} limit 1`)
    if (found.rowCount !== 0) {
      throw new CommandFailure(
        `The database is not empty (table ${name} has rows). A backup can only be restored into a new database. Nothing was changed.`,
      )
    }
  }
}

/**
 * Creates the tables of the version that made the backup, by applying the first `count` migrations.
 */
async function migrateTo(
  url: string,
  journal: ReturnType<typeof readJournal>['journal'],
  count: number,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-restore-'))
  try {
    const entries = journal.entries.slice(0, count)
    mkdirSync(join(folder, 'meta'))
    writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }))
    for (const { tag } of entries) cpSync(join(migrationsFolder, `${tag}.sql`), join(folder, `${tag}.sql`))
    await migrateDatabase(url, folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function loadRows(client: pg.Client, header: Header, lines: AsyncIterator<string>): Promise<number> {
  await client.query(EXACT_TEXT)
  await client.query('begin')
  // The migrations have inserted the row of the log head. Delete it, because the backup contains
  // it.
  await client.query('delete from log_head')
  let table: Table | null = null
  let count = 0
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new CommandFailure('The backup is truncated. Nothing was restored.')
    const { data: line } = lineSchema.safeParse(parseLine(value))
    if (line === undefined) throw new CommandFailure(DAMAGED_TEXT)
    if (Array.isArray(line)) {
      if (table === null) throw new CommandFailure(DAMAGED_TEXT)
      // Backups of earlier versions can contain the excluded table `passkey_challenges`. Its rows
      // are skipped, because they reference sessions, which are not restored.
      if (table.name === 'account_figures') await restoreSeenTimes(client, line)
      else if (!EXCLUDED_TABLES.has(table.name)) await insertRows(client, table, line)
      count += line.length
    } else if ('table' in line) {
      table = await checkTable(client, header, line.table)
    } else {
      if (line.rows !== count)
        throw new CommandFailure('The backup is damaged: rows are missing. Nothing was restored.')
      break
    }
  }
  // Reading to the end verifies the checksum or the authentication tag of the file.
  if (!(await lines.next()).done) throw new CommandFailure('The backup is damaged: it has data after its last line.')
  for (const { name, value } of header.sequences) {
    await client.query('select setval($1::regclass, $2::bigint)', [`public.${pg.escapeIdentifier(name)}`, value])
  }
  await client.query('commit')
  return count
}

interface Table {
  name: string
  /** Names of the columns, without generated columns. */
  columns: string[]
}

async function insertRows(client: pg.Client, table: Table, rows: string[]): Promise<void> {
  const name = `public.${pg.escapeIdentifier(table.name)}`
  const columns = table.columns.map((column) => pg.escapeIdentifier(column))
  await client.query(
    `insert into ${name} (${columns.join()}) select ${columns.map((column) => `(typed.r).${column}`).join()}
     from (select r::${name} as r from unnest($1::text[]) r offset 0) typed`,
    [rows],
  )
}

/**
 * Restores only `seen_at` of each account, because triggers cannot recompute it: it depends on
 * sessions, which a backup does not contain. Triggers have created the row with its account and
 * compute the other figures. Restoring those too would count payments twice.
 */
async function restoreSeenTimes(client: pg.Client, rows: string[]): Promise<void> {
  await client.query(
    `update public.account_figures f set seen_at = greatest(f.seen_at, (typed.r).seen_at)
     from (select r::public.account_figures as r from unnest($1::text[]) r offset 0) typed
     where f.account_id = (typed.r).account_id`,
    [rows],
  )
}

/**
 * Checks that a table has the same columns, in the same order, as in the dump, because row literals
 * have no column names.
 */
async function checkTable(client: pg.Client, { tables }: Header, name: string): Promise<Table> {
  const expectedTable = tables.find((table) => table.name === name)
  const { rows } = await client.query<{ name: string; isGenerated: boolean }>(
    `select column_name as name, is_generated = 'ALWAYS' as "isGenerated" from information_schema.columns
     where table_schema = 'public' and table_name = $1 order by ordinal_position`,
    [name],
  )
  if (!expectedTable || expectedTable.columns.join() !== rows.map((column) => column.name).join()) {
    throw new CommandFailure(`The backup is damaged: unexpected table or columns (${name}). Nothing was restored.`)
  }
  return { name, columns: rows.filter(({ isGenerated }) => !isGenerated).map((column) => column.name) }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new CommandFailure('The file is not a Tocsin backup, or it is damaged.')
  }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(url, bulkLimits)
  try {
    return await use(client)
  } finally {
    // Closing the connection rolls back an uncommitted transaction.
    await client.end()
  }
}
