import { createTestContext, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleForecast as forecast } from '../../../test/support/sample-forecast.ts'
import { encodeAlerts, MAX_CACHED_ALERTS } from './encoded-alerts.ts'
import { createIssuer, type IssueAlert } from './issue-alerts.ts'
import { insertPredictions } from './outcome-store.ts'
import { listAllRows } from './store.ts'

const database = useTestDatabase()
let bed: TestContext
let issue: IssueAlert

beforeAll(async () => {
  bed = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  issue = createIssuer(bed.ctx)
})
afterAll(() => bed?.close())

const text = { asset: 'BTC/USDT', anomalyType: 'Spread', regime: '', summary: 'The spread is wide' }
const content = { ...text, confidence: 90, priority: 'high' } as const
const issueTestAlert = () => issue({ content, origin: 'admin', broadcast: true })

test('encodeAlerts: shows a prediction that is stored after the alert was cached', async () => {
  const { ctx } = bed
  const { alert } = await issueTestAlert()
  const encodeNewest = async () => {
    const [encoded] = await encodeAlerts(ctx, 'all', await listAllRows(ctx.db, 1))
    return JSON.parse(encoded?.json ?? '{}')
  }
  const encodedBefore = await encodeNewest()
  expect(encodedBefore).toMatchObject({ id: alert.id })
  await insertPredictions(ctx.db, [{ logIndex: alert.logIndex, forecast }])
  expect(await encodeNewest()).toEqual({ ...encodedBefore, ...forecast })
})

test('encodeAlerts: returns a cached alert even if another alert of the same list evicts it from the full cache', async () => {
  const { ctx } = bed
  const { alert } = await issueTestAlert()
  // Copy the alert with SQL, which is faster than signing as many alerts.
  await ctx.db.execute(sql`
    insert into log_entries (index, bytes, leaf_hash, signature, appended_at)
    select index + copy, bytes, leaf_hash, signature, appended_at
    from log_entries, generate_series(1, ${MAX_CACHED_ALERTS}) copy where index = ${alert.logIndex}`)
  await ctx.db.execute(sql`
    insert into alerts (id, log_index, asset, priority, anomaly_type, confidence, regime, summary, origin, signer, created_at)
    select id || copy, log_index + copy, asset, priority, anomaly_type, confidence, regime, summary, origin, signer, created_at
    from alerts, generate_series(1, ${MAX_CACHED_ALERTS}) copy where log_index = ${alert.logIndex}`)
  const rows = await listAllRows(ctx.db, MAX_CACHED_ALERTS + 1)
  const [leastRecent] = await encodeAlerts(ctx, 'all', rows.slice(1))
  const encoded = await encodeAlerts(ctx, 'all', rows.slice(0, 2))
  expect(encoded.map(({ id }) => id)).toEqual(rows.slice(0, 2).map(({ id }) => id))
  expect(encoded[1]).toEqual(leastRecent)
})
