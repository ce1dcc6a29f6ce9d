import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { z } from 'zod'
import { bulkLimits, openClient } from '../db/connection.ts'
import { migrateDatabase, migrationsFolder } from '../db/database.ts'
import { CommandFailure } from './command.ts'
import { EXACT_TEXT, type Header, headerSchema, readJournal } from './dump.ts'

const lineSchema = z.union([z.array(z.string()), z.object({ table: z.string() }), z.object({ rows: z.number().int() })])

/**
 * Fills an empty database with what `dumpDatabase` wrote, all or nothing, and brings its tables up to this version.
 * @throws CommandFailure when the database is not empty, or the lines are no whole backup that this version can read
 */
export async function loadDatabase(
  url: string,
  lines: AsyncIterator<string>,
): Promise<{ header: Header; rows: number }> {
  const header = await readHeader(lines)
  const known = readJournal()
  const count = header.migrations.length
  if (header.migrations.some((hash, index) => known.hashes[index] !== hash)) {
    throw new CommandFailure(
      'The backup was made by another version of Tocsin. Restore it with that version, then update.',
    )
  }
  await withClient(url, async (client) => {
    await assertEmpty(client)
    await client.query('drop schema public cascade; create schema public')
    await client.query('drop schema if exists drizzle cascade; drop schema if exists pgboss cascade')
  })
  await migrateTo(url, known.journal, count)
  const rows = await withClient(url, (client) => loadRows(client, header, lines))
  await migrateDatabase(url)
  return { header, rows }
}

async function readHeader(lines: AsyncIterator<string>): Promise<Header> {
  const { value, done } = await lines.next()
  const header = headerSchema.safeParse(done ? undefined : parseLine(value))
  if (!header.success) throw new CommandFailure('The file is no backup of Tocsin that this version can read.')
  return header.data
}

/** A new log has a head of size 0; nothing else may be there. */
async function assertEmpty(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  )
  for (const { name } of rows) {
    const where = name === 'log_head' ? 'where size > 0' : ''
    const found = await client.query(`select 1 from public.${pg.escapeIdentifier(name)} ${where} limit 1`)
    if (found.rowCount !== 0) {
      throw new CommandFailure(
        `The database is not empty (there is something in ${name}). A backup is restored into a new database only; nothing was changed.`,
      )
    }
  }
}

/** The tables as they were when the backup was made. */
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
  // What migrations put there is in the backup too.
  await client.query('delete from log_head')
  let table: string | null = null
  let count = 0
  for (;;) {
    const { value, done } = await lines.next()
    if (done) throw new CommandFailure('The backup is cut off. Nothing was restored.')
    const line = lineSchema.parse(parseLine(value))
    if (Array.isArray(line)) {
      if (table === null) throw new CommandFailure('The backup is damaged. Nothing was restored.')
      await insertRows(client, table, line)
      count += line.length
    } else if ('table' in line) {
      table = await checkTable(client, header, line.table)
    } else {
      if (line.rows !== count)
        throw new CommandFailure('The backup is damaged: rows are missing. Nothing was restored.')
      break
    }
  }
  // Whatever seals the file (its checksum, its authentication) is judged by reading to its end.
  if (!(await lines.next()).done) throw new CommandFailure('The backup is damaged: it goes on behind its end.')
  for (const { name, value } of header.sequences) {
    await client.query('select setval($1::regclass, $2::bigint)', [`public.${pg.escapeIdentifier(name)}`, value])
  }
  await client.query('commit')
  return count
}

async function insertRows(client: pg.Client, table: string, rows: string[]): Promise<void> {
  const name = `public.${pg.escapeIdentifier(table)}`
  await client.query(
    `insert into ${name} select (typed.r).* from (select r::${name} as r from unnest($1::text[]) r offset 0) typed`,
    [rows],
  )
}

/** Rows are read by the place of each column: it must be the same as when they were written. */
async function checkTable(client: pg.Client, { tables }: Header, name: string): Promise<string> {
  const expected = tables.find((table) => table.name === name)
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 order by ordinal_position`,
    [name],
  )
  if (!expected || expected.columns.join() !== rows.map((column) => column.name).join()) {
    throw new CommandFailure(`The backup is damaged: its table ${name} is not ours. Nothing was restored.`)
  }
  return name
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw new CommandFailure('The file is no backup of Tocsin, or it is damaged.')
  }
}

async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(url, bulkLimits)
  try {
    return await use(client)
  } finally {
    // What was not committed is rolled back with the connection.
    await client.end()
  }
}
