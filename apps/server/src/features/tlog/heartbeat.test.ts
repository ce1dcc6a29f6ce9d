import { decodeStatement } from '@tocsin/proof'
import { createTestContext, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendSample } from '../../../test/support/sample-entry.ts'
import { checkLog } from './check-log.ts'
import { appendHeartbeatWhenQuiet } from './heartbeat.ts'
import { ensureKeyList } from './service.ts'
import { findHead, listReadableEntries } from './store.ts'

const database = useTestDatabase()
let testContext: TestContext
const clock = fakeClock()

beforeAll(async () => {
  testContext = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }), clock)
})
afterAll(() => testContext?.close())

test('a log gets a heartbeat only when no entry was appended for the configured time', async () => {
  const { ctx } = testContext
  const appendHeartbeatAfter = async (heartbeatSeconds: number, missedEntries = 0) => {
    const { size, signer } = await findHead(ctx.db)
    const config = { ...ctx.config, anchor: { ...ctx.config.anchor, heartbeatSeconds } }
    return appendHeartbeatWhenQuiet({ ...ctx, config }, { size: size - missedEntries, signer })
  }
  expect(await appendHeartbeatAfter(600)).toBe(false)
  await ensureKeyList(ctx)
  await appendSample(ctx)
  clock.advance(600_000)
  expect(await appendHeartbeatAfter(601)).toBe(false)
  expect(await appendHeartbeatAfter(0)).toBe(false)
  // An entry was appended after the head was read, so the log is no longer quiet.
  expect(await appendHeartbeatAfter(600, 1)).toBe(false)
  expect((await findHead(ctx.db)).size).toBe(2)
  expect(await appendHeartbeatAfter(600)).toBe(true)
  const [entry] = await listReadableEntries(ctx.db, sql`false`, 2, 1)
  expect(entry?.bytes && decodeStatement(entry.bytes)).toMatchObject({ kind: 'heartbeat', index: 2 })
  expect(await checkLog(ctx)).toMatchObject({ size: 3 })
})
