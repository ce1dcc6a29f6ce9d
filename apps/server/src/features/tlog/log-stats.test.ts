import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Context } from '../../context.ts'
import { type OpenDatabase, openDatabase, serverLimits } from '../../db/database.ts'
import { createLogStats } from './log-stats.ts'
import { ensureKeyList } from './service.ts'

const database = useTestDatabase()
let bed: TestContext
let impatient: OpenDatabase
let ctx: Context

beforeAll(async () => {
  bed = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  await ensureKeyList(bed.ctx)
  // Reading a row of the view takes 3 s, so all queries together take longer than a query may wait
  // for a connection of the server's pool. Queries of requests time out after 100 ms.
  await bed.ctx.db.execute(sql`alter table log_entries rename to log_entries_real`)
  await bed.ctx.db.execute(sql`create view log_entries as select * from log_entries_real where pg_sleep(3)::text = ''`)
  impatient = openDatabase(bed.ctx.config.databaseUrl, () => {}, { limits: { ...serverLimits(8), statementMs: 100 } })
  ctx = { ...bed.ctx, db: impatient.db }
})
afterAll(async () => {
  await impatient?.close()
  await bed?.close()
})

const busy = { status: 429, code: 'being_computed', details: { retryAfterSeconds: 5 } }

test('GET /api/log/stats: returns 429 until the figures are computed when the database is slow', async () => {
  const read = createLogStats()
  await expect(Promise.all([read(ctx), read(ctx)])).rejects.toMatchObject(busy)
  await expect(read(ctx), 'while it is computed').rejects.toMatchObject(busy)
  await vi.waitUntil(() => read(ctx).catch(() => null), { timeout: 60_000, interval: 50 })
  expect(await read(ctx)).toMatchObject({ size: 1, entriesStored: 1, gaps: 0, keyLists: 1 })
})

test('GET /api/log/stats: passes on errors of an unreachable database', async () => {
  const away = openDatabase('postgres://tocsin@127.0.0.1:9/x', () => {})
  await expect(createLogStats()({ ...ctx, db: away.db })).rejects.toThrow()
  await expect(createLogStats()({ ...ctx, db: away.db })).rejects.not.toMatchObject({ code: 'being_computed' })
  await away.close()
})
