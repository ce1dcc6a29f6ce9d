import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Context } from '../../context.ts'
import { getServerLimits, type OpenDatabase, openDatabase } from '../../db/database.ts'
import { createLogStats } from './log-stats.ts'
import { ensureKeyList } from './service.ts'

const database = useTestDatabase()
let bed: TestContext
let impatientDatabase: OpenDatabase
let ctx: Context

beforeAll(async () => {
  bed = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  await ensureKeyList(bed.ctx)
  // Reading a row of the view takes 3 s. Requests have a query timeout of 100 ms, so the server
  // repeats the queries in the background. There they share one connection and together take longer
  // than the connection timeout of the server's pool.
  await bed.ctx.db.execute(sql`alter table log_entries rename to log_entries_real`)
  await bed.ctx.db.execute(sql`create view log_entries as select * from log_entries_real where pg_sleep(3)::text = ''`)
  impatientDatabase = openDatabase(bed.ctx.config.databaseUrl, () => {}, {
    limits: { ...getServerLimits(8), statementMs: 100 },
  })
  ctx = { ...bed.ctx, db: impatientDatabase.db }
})
afterAll(async () => {
  await impatientDatabase?.close()
  await bed?.close()
})

const computingRefusal = { status: 429, code: 'being_computed', details: { retryAfterSeconds: 5 } }

test('GET /api/log/stats: returns 429 until the figures are computed when the database is slow', async () => {
  const readStats = createLogStats()
  await expect(Promise.all([readStats(ctx), readStats(ctx)])).rejects.toMatchObject(computingRefusal)
  await expect(readStats(ctx), 'while it is computed').rejects.toMatchObject(computingRefusal)
  await vi.waitUntil(() => readStats(ctx).catch(() => null), { timeout: 60_000, interval: 50 })
  expect(await readStats(ctx)).toMatchObject({ size: 1, entriesStored: 1, gaps: 0, keyLists: 1 })
})

test('GET /api/log/stats: fails with an error other than 429 when the database is unreachable', async () => {
  const unreachableDatabase = openDatabase('postgres://tocsin@127.0.0.1:9/x', () => {})
  await expect(createLogStats()({ ...ctx, db: unreachableDatabase.db })).rejects.toThrow()
  await expect(createLogStats()({ ...ctx, db: unreachableDatabase.db })).rejects.not.toMatchObject({
    code: 'being_computed',
  })
  await unreachableDatabase.close()
})
