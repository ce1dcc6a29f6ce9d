import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { checkLog } from '../src/features/tlog/check-log.ts'
import { send } from './raw-client.ts'

let parts: {
  database: Awaited<ReturnType<typeof startTestDatabase>>
  chain: Awaited<ReturnType<typeof startTestChain>>
}
let server: TestServer

beforeAll(async () => {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  parts = { database, chain }
})
afterEach(async () => {
  await server?.close()
})
afterAll(async () => {
  await Promise.all([parts?.database.stop(), parts?.chain.stop()])
})

async function expectReadiness(expected: object): Promise<void> {
  await eventually(async () => {
    const { status, body } = await send(server.url, { path: '/readyz' })
    expect([status, JSON.parse(body)]).toEqual([200, expected])
  })
}

test('readiness: names unreachable chains and feed while the server keeps serving', async () => {
  server = await startTestServer(parts, { payment: {}, anchor: {}, feed: { endpoint: 'ws://127.0.0.1:9' } })
  await expectReadiness({
    status: 'degraded',
    reasons: {
      anchoring: 'the anchor chain: HTTP request failed.',
      payments: 'the payment chain was not read yet',
      feed: 'the signal feed is not connected, trying again',
    },
  })
})

test('readiness: reports a wrong clock, which stops issuing until it is corrected', async () => {
  let offsetMs = 0
  const lines: string[] = []
  const logger = pino({ level: 'info' }, { write: (line) => lines.push(line) })
  const now = () => new Date(Date.now() + offsetMs)
  server = await startTestServer(parts, {}, { clock: { ...systemClock, now }, logger })
  const admin = await server.signInAdmin()
  const body = {
    asset: 'BTC',
    anomalyType: 'Spike',
    confidence: 90,
    regime: 'trend',
    summary: 'text',
    priority: 'low',
  } as const
  await admin.call('createAlert', { body })
  offsetMs = 60_000
  await expect(admin.call('createAlert', { body })).rejects.toMatchObject({
    status: 503,
    code: 'clock_wrong',
    // The database answers some time after this machine's clock was read.
    message: expect.stringMatching(/(5\d|60) s ahead of the database's clock/),
  })
  await expectReadiness({ status: 'degraded', reasons: { clock: expect.stringContaining('Nothing is issued here') } })
  expect((await send(server.url, { path: '/metrics' })).body).toMatch(/^tocsin_clock_ahead_seconds (5\d|60)\b/m)
  await expect.poll(() => lines.join('')).toContain('issuing is stopped: a clock is wrong')
  offsetMs = 0
  await admin.call('createAlert', { body })
  await expect.poll(() => lines.join('')).toContain('issuing resumes')
  await expectReadiness({ status: 'ready', reasons: {} })
  await checkLog(server.ctx)
})

test('readiness: is ready when all dependencies work', async () => {
  server = await startTestServer(parts)
  await expectReadiness({ status: 'ready', reasons: {} })
})
