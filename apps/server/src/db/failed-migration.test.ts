import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterAll, expect, test } from 'vitest'
import { writeNextMigration } from '../../test/support/next-migration.ts'
import { migrateDatabase, openDatabase } from './database.ts'

const server = useTestDatabase()
const folder = mkdtempSync(join(tmpdir(), 'tocsin-migrations-'))

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
})

test('migrateDatabase: rolls back a migration that fails halfway, and succeeds once it is fixed', async () => {
  const url = await server.createDatabase()
  const { db, close } = openDatabase(url, () => {})
  try {
    await migrateDatabase(url)
    await db.execute(sql`insert into settings (name, value, updated_at) values ('kept', '"before"', now())`)
    const readState = async () => ({
      kept: (await db.execute(sql`select value from settings where name = 'kept'`)).rows,
      columns: (await db.execute(sql`select 1 from information_schema.columns where column_name = 'half_way'`))
        .rowCount,
      applied: (await db.execute(sql`select hash from drizzle.__drizzle_migrations`)).rowCount,
    })
    const stateBefore = await readState()
    const change = [
      `alter table settings add column half_way text;\n`,
      `update settings set value = '"changed"' where name = 'kept';\n`,
    ]
    writeNextMigration(folder, [...change, `alter table settings alter column half_way set not null;\n`])
    await expect(migrateDatabase(url, folder)).rejects.toThrow()
    expect(await readState()).toEqual(stateBefore)
    writeNextMigration(folder, change)
    await migrateDatabase(url, folder)
    expect(await readState()).toEqual({
      kept: [{ value: 'changed' }],
      columns: 1,
      applied: Number(stateBefore.applied) + 1,
    })
  } finally {
    await close()
  }
})
