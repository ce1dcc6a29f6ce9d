import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@tocsin/protocol/durations'
import { createTestContext, type FakeClock, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { instanceSamples } from '../../db/schema/server.ts'
import { saveSetting } from '../../db/setting.ts'
import type { Input } from '../../http/route.ts'
import type { Scheduler } from '../../scheduler.ts'
import { adminInstances } from './instances.ts'
import { reportInstance } from './report-instance.ts'

const postgres = useTestDatabase()
let context: TestContext
let clock: FakeClock

beforeAll(async () => {
  clock = fakeClock()
  context = await createTestContext(testConfig({ databaseUrl: await postgres.createDatabase() }), clock)
})
afterAll(() => context.close())

const readInstances = () => adminInstances(context.ctx, {} as Input<never>)

/** Creates a scheduler whose timers run when the test requests it. */
function createManualScheduler() {
  let tasks: (() => void)[] = []
  const scheduler: Scheduler = {
    after: () => () => {},
    every(_intervalMs, run) {
      tasks.push(run)
      return () => {
        tasks = []
      }
    },
  }
  const tick = () => {
    for (const run of tasks) run()
  }
  return { scheduler, tick }
}

test('instances: lists the jobs and failing checks of an instance, and whether it is silent or stopped', async () => {
  const { scheduler, tick } = createManualScheduler()
  let failureReason: string | null = null
  const stop = reportInstance(
    context.ctx,
    {
      name: 'one:3000',
      startedAt: clock.now(),
      runChecks: async () => [{ name: 'feed', isRequired: false, reason: failureReason }],
      leads: () => ['anchoring'],
      connected: () => 7,
    },
    scheduler,
  )
  const reportUntilState = async (state: string) => {
    tick()
    await expect.poll(async () => (await readInstances()).instances[0]?.state).toBe(state)
    return (await readInstances()).instances[0]
  }
  expect((await readInstances()).instances).toEqual([])
  expect(await reportUntilState('ready')).toMatchObject({
    name: 'one:3000',
    jobs: ['anchoring'],
    connected: 7,
    failing: [],
    isSilent: false,
  })

  failureReason = 'The feed is away'
  clock.advance(MINUTE_MS)
  expect(await reportUntilState('degraded')).toMatchObject({ failing: [{ check: 'feed', reason: 'The feed is away' }] })

  clock.advance(3 * MINUTE_MS)
  expect((await readInstances()).instances[0]).toMatchObject({ state: 'degraded', isSilent: true })

  await stop()
  expect((await readInstances()).instances[0]).toMatchObject({
    state: 'stopped',
    isSilent: false,
    jobs: [],
    connected: 0,
  })
})

test('instances: each ten-minute step shows the worst values reported in it, and is empty without reports', async () => {
  const { db } = context.ctx
  await db.delete(instanceSamples)
  const now = clock.now()
  const msAgo = (ms: number) => new Date(now.getTime() - ms)
  const createRow = (at: Date, changes: Partial<typeof instanceSamples.$inferInsert> = {}) => ({
    name: 'two:3000',
    at,
    version: '1.0.0',
    startedAt: msAgo(30 * HOUR_MS),
    state: 'ready' as const,
    failing: {},
    jobs: [],
    connected: 1,
    loopDelayMs: 2,
    anchorLag: 3,
    ...changes,
  })
  await db.insert(instanceSamples).values([
    createRow(msAgo(25 * HOUR_MS), { name: 'gone:3000' }),
    createRow(msAgo(2 * HOUR_MS), { state: 'unavailable', connected: 0 }),
    createRow(msAgo(2 * HOUR_MS - SECOND_MS), {
      connected: 9,
      loopDelayMs: 40,
      anchorLag: 90,
      feedAge: 600,
      engineAge: 5,
    }),
    createRow(now, { feedAge: 20 }),
  ])
  const { instances, lags, from, stepSeconds } = await readInstances()
  expect(instances.map(({ name }) => name)).toEqual(['two:3000'])
  const stepAt = (time: Date) => Math.floor((time.getTime() - Date.parse(from)) / 1_000 / stepSeconds)
  const day = instances[0]?.day
  const step = stepAt(msAgo(2 * HOUR_MS))
  expect([day?.states[step], day?.connected[step], day?.loopDelayMs[step]]).toEqual(['unavailable', 9, 40])
  expect(day?.states.filter((state) => state !== null)).toHaveLength(2)
  expect([day?.states.length, day?.states.at(-1)]).toEqual([144, 'ready'])
  const [anchoring, payments, _queues, feed, engine] = lags
  expect([anchoring?.seconds, anchoring?.day[step], payments?.seconds]).toEqual([3, 90, null])
  expect([feed, engine].map((lag) => [lag?.name, lag?.seconds, lag?.day[step]])).toEqual([
    ['feed', 20, 600],
    ['engine', null, 5],
  ])
})

test('instances: the lags are taken from the newest report, ignoring stopped instances', async () => {
  const { db } = context.ctx
  await db.delete(instanceSamples)
  const row = { version: '1.0.0', startedAt: clock.now(), failing: {}, jobs: [], connected: 0, loopDelayMs: 2 }
  const earlier = new Date(clock.now().getTime() - SECOND_MS)
  await db.insert(instanceSamples).values([
    { ...row, name: 'running:3000', at: earlier, state: 'ready', anchorLag: 3 },
    { ...row, name: 'stopped:3000', at: clock.now(), state: 'stopped' },
  ])
  const { instances, lags } = await readInstances()
  expect(instances).toHaveLength(2)
  expect(lags.find(({ name }) => name === 'anchoring')?.seconds).toBe(3)
})

test('instances: a report contains the time since the newest signal', async () => {
  await context.ctx.db.delete(instanceSamples)
  await saveSetting(context.ctx.db, 'feed.refused', 1, clock.now())
  clock.advance(MINUTE_MS)
  const { scheduler, tick } = createManualScheduler()
  const selfDescription = {
    name: 'three:3000',
    startedAt: clock.now(),
    runChecks: async () => [],
    leads: () => [],
    connected: () => 0,
  }
  const stop = reportInstance(context.ctx, selfDescription, scheduler)
  tick()
  await expect.poll(async () => (await readInstances()).lags.find(({ name }) => name === 'feed')?.seconds).toBe(60)
  await stop()
})
