import { alertPulse, endpoints, errorBody, type Priority } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { createTestContext, type FakeClock, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Context } from '../src/context.ts'
import { createAlertPulse } from '../src/features/alerts/alert-pulse.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import { broadcastAlert } from '../src/features/alerts/service.ts'
import { createApp } from '../src/http/app.ts'
import { route } from '../src/http/route.ts'

/** Tests the public counts of alerts of the last 24 hours, on a real database. */

const SLOT_MS = 3 * MINUTE_MS
const SECRET = 'zqsecretqz'
const content = { asset: SECRET, anomalyType: SECRET, regime: SECRET, summary: SECRET, confidence: 90 }

const database = useTestDatabase()
let box: TestContext
let ctx: Context
let clock: FakeClock
let issue: ReturnType<typeof createIssuer>

beforeAll(async () => {
  clock = fakeClock()
  box = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }), clock)
  ctx = box.ctx
  issue = createIssuer(ctx)
})
afterAll(() => box?.close())
/** Each test uses a different day. */
beforeEach(() => clock.advance(25 * HOUR_MS))

async function createAlert(priority: Priority, broadcast = true) {
  const { alert } = await issue({ content: { ...content, priority }, origin: 'admin', broadcast })
  return { id: alert.id, createdAt: alert.createdAt.toISOString(), priority }
}

const createTestApp = (context = ctx) =>
  createApp(context, [route(endpoints.alertPulse, createAlertPulse())], async () => null)

/** Sends a request to a new server, whose cache is empty. */
async function readPulse(context = ctx) {
  const app = await createTestApp(context)
  const answer = await app.inject({ url: '/api/alerts/pulse' })
  await app.close()
  expect(answer.statusCode, answer.body).toBe(200)
  return { body: answer.body, pulse: alertPulse.strict().parse(answer.json()) }
}

test('alert pulse: rejects parameters and is rate limited', async () => {
  const app = await createTestApp()
  const refused = await app.inject({ url: '/api/alerts/pulse?limit=5' })
  expect([refused.statusCode, errorBody.parse(refused.json()).code]).toEqual([400, 'malformed'])
  const statuses = []
  for (let count = 1; count < 61; count++) statuses.push((await app.inject({ url: '/api/alerts/pulse' })).statusCode)
  expect(statuses).toEqual([...Array(59).fill(200), 429])
  await app.close()
})

test('alert pulse: is empty without alerts', async () => {
  const { pulse } = await readPulse()
  expect(pulse).toEqual({
    items: [],
    counts: { low: 0, medium: 0, high: 0, critical: 0 },
    until: clock.now().toISOString(),
    publicDelayHours: 24,
  })
})

test('alert pulse: lists broadcast alerts, oldest first, with only time and priority', async () => {
  const createdAlerts = []
  for (const priority of ['medium', 'critical', 'low', 'medium'] as const) {
    clock.advance(HOUR_MS)
    createdAlerts.push(await createAlert(priority))
  }
  clock.advance(HOUR_MS)
  const unsentAlert = await createAlert('high', false)
  const { body, pulse } = await readPulse()
  expect(pulse.items).toEqual(createdAlerts.map(({ createdAt, priority }) => ({ createdAt, priority })))
  expect(pulse.counts).toEqual({ low: 1, medium: 2, high: 0, critical: 1 })
  for (const secret of [SECRET, ...[...createdAlerts, unsentAlert].map(({ id }) => id)])
    expect(body).not.toContain(secret)

  await broadcastAlert(ctx, unsentAlert.id)
  expect((await readPulse()).pulse.items.at(-1)).toEqual({ createdAt: unsentAlert.createdAt, priority: 'high' })
})

test('alert pulse: counts corrections as alerts, so that the kind of a recent entry stays hidden', async () => {
  const { id } = await createAlert('low')
  clock.advance(HOUR_MS)
  const correction = { ...content, priority: 'critical' } as const
  await issue({ targetId: id, kind: 'correction', content: correction, broadcast: true })
  expect((await readPulse()).pulse.items).toMatchObject([{ priority: 'low' }, { priority: 'critical' }])
})

test('alert pulse: covers the last 24 hours by the server clock', async () => {
  await createAlert('high')
  clock.advance(24 * HOUR_MS - 1)
  expect((await readPulse()).pulse.items).toHaveLength(1)
  clock.advance(1)
  expect((await readPulse()).pulse.items).toEqual([])
})

test('alert pulse: shows the highest priority of each three-minute slot and counts all alerts', async () => {
  clock.set(new Date(Math.ceil(clock.now().getTime() / SLOT_MS) * SLOT_MS))
  await createAlert('low')
  clock.advance(MINUTE_MS)
  const gravestAlert = await createAlert('high')
  clock.advance(MINUTE_MS)
  await createAlert('medium')
  clock.advance(MINUTE_MS)
  const next = await createAlert('low')
  const { pulse } = await readPulse()
  expect(pulse.items).toEqual([gravestAlert, next].map(({ createdAt, priority }) => ({ createdAt, priority })))
  expect(pulse.counts).toEqual({ low: 2, medium: 1, high: 1, critical: 0 })
})

test('alert pulse: contains an alert without broadcast once it is public', async () => {
  const earlyPublicCtx = { ...ctx, config: { ...ctx.config, publicDelayHours: 1 } }
  await createAlert('high', false)
  clock.advance(HOUR_MS - 1)
  expect((await readPulse(earlyPublicCtx)).pulse).toMatchObject({ items: [], publicDelayHours: 1 })
  clock.advance(1)
  expect((await readPulse(earlyPublicCtx)).pulse.items).toMatchObject([{ priority: 'high' }])
})
