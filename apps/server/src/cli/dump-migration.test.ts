import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestDatabase, type TestDatabase } from '@tocsin/testkit'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { writeNextMigration } from '../../test/support/next-migration.ts'
import { migrateDatabase, type OpenDatabase, openDatabase } from '../db/database.ts'
import { dumpDatabase } from './dump.ts'
import { loadDatabase } from './load.ts'

let server: TestDatabase
let url: string
let database: OpenDatabase
const folder = mkdtempSync(join(tmpdir(), 'tocsin-migrations-'))

beforeAll(async () => {
  server = await startTestDatabase()
  writeNextMigration(folder, ['alter table settings add column added text;\n'])
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await server?.stop()
})
beforeEach(async () => {
  url = await server.createDatabase()
  database = openDatabase(url, () => {})
  await database.db.execute(sql`insert into settings (name, value, updated_at) values ('kept', '1', now())`)
})
afterEach(() => database.close())

const countSettings = async () => (await database.db.execute(sql`select * from settings where name = 'kept'`)).rowCount

/** Waits until a connection has tried to acquire the migration lock. */
async function untilLockIsTried(name: string): Promise<'waiting'> {
  const start = `select pg_try_advisory_${name}(`
  const tried = sql`select from pg_stat_activity where datname = current_database() and starts_with(query, ${start})`
  await expect.poll(async () => (await database.db.execute(tried)).rowCount).not.toBe(0)
  return 'waiting'
}

/** Reads the rest of a dump, and loads the whole dump into another database. */
async function restore(dumped: string[], rest: AsyncGenerator<string>): Promise<void> {
  for await (const line of rest) dumped.push(line)
  async function* inOrder() {
    yield* dumped
  }
  await loadDatabase(await server.createDatabase(), inOrder())
}

test('backup: a migration waits until the backup ends, other statements run, and the backup can be restored', async () => {
  const lines = dumpDatabase(url, new Date())
  const dumped: string[] = [(await lines.next()).value]
  const migrating = migrateDatabase(url, folder).then(() => 'migrated')
  expect(await Promise.race([migrating, untilLockIsTried('lock')])).toBe('waiting')
  expect(await countSettings()).toBe(1)
  // A server without a pending migration can start during a backup.
  await migrateDatabase(url)
  await restore(dumped, lines)
  expect(await migrating).toBe('migrated')
})

test('backup: waits until a running migration has ended, and can be restored', async () => {
  const migration = await server.openTransaction(url, 'select pg_advisory_xact_lock(7205759403)')
  const lines = dumpDatabase(url, new Date())
  const header = lines.next()
  expect(await Promise.race([header.then(() => 'begun'), untilLockIsTried('lock_shared')])).toBe('waiting')
  await migration.release()
  await restore([(await header).value], lines)
})
