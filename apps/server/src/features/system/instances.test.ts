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

const read = () => adminInstances(context.ctx, {} as Input<never>)

/** Creates a scheduler whose timers run when the test requests it. */
function manualScheduler() {
  let due: (() => void)[] = []
  const scheduler: Scheduler = {
    after: () => () => {},
    every(_intervalMs, run) {
      due.push(run)
      return () => {
        due = []
      }
    },
  }
  const tick = () => {
    for (const run of due) run()
  }
  return { scheduler, tick }
}

test('instances: lists an instance with its jobs and failing checks, then as silent, then as stopped', async () => {
  const { scheduler, tick } = manualScheduler()
  let failing: string | null = null
  const stop = reportInstance(
    context.ctx,
    {
      name: 'one:3000',
      startedAt: clock.now(),
      runChecks: async () => [{ name: 'feed', isRequired: false, reason: failing }],
      leads: () => ['anchoring'],
      connected: () => 7,
    },
    scheduler,
  )
  const reportAnd = async (state: string) => {
    tick()
    await expect.poll(async () => (await read()).instances[0]?.state).toBe(state)
    return (await read()).instances[0]
  }
  expect((await read()).instances).toEqual([])
  expect(await reportAnd('ready')).toMatchObject({
    name: 'one:3000',
    jobs: ['anchoring'],
    connected: 7,
    failing: [],
    isSilent: false,
  })

  failing = 'The feed is away'
  clock.advance(MINUTE_MS)
  expect(await reportAnd('degraded')).toMatchObject({ failing: [{ check: 'feed', reason: 'The feed is away' }] })

  clock.advance(3 * MINUTE_MS)
  expect((await read()).instances[0]).toMatchObject({ state: 'degraded', isSilent: true })

  await stop()
  expect((await read()).instances[0]).toMatchObject({ state: 'stopped', isSilent: false, jobs: [], connected: 0 })
})

test('instances: a step of ten minutes has its worst report, and a step without reports is empty', async () => {
  const { db } = context.ctx
  await db.delete(instanceSamples)
  const now = clock.now()
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const row = (at: Date, changes: Partial<typeof instanceSamples.$inferInsert> = {}) => ({
    name: 'two:3000',
    at,
    version: '1.0.0',
    startedAt: ago(30 * HOUR_MS),
    state: 'ready' as const,
    failing: {},
    jobs: [],
    connected: 1,
    loopDelayMs: 2,
    anchorLag: 3,
    ...changes,
  })
  await db
    .insert(instanceSamples)
    .values([
      row(ago(25 * HOUR_MS), { name: 'gone:3000' }),
      row(ago(2 * HOUR_MS), { state: 'unavailable', connected: 0 }),
      row(ago(2 * HOUR_MS - SECOND_MS), { connected: 9, loopDelayMs: 40, anchorLag: 90, feedAge: 600, engineAge: 5 }),
      row(now, { feedAge: 20 }),
    ])
  const { instances, lags, from, stepSeconds } = await read()
  expect(instances.map(({ name }) => name)).toEqual(['two:3000'])
  const stepAt = (time: Date) => Math.floor((time.getTime() - Date.parse(from)) / 1_000 / stepSeconds)
  const day = instances[0]?.day
  const step = stepAt(ago(2 * HOUR_MS))
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

test('instances: lags are those of the newest report of an instance that has not stopped', async () => {
  const { db } = context.ctx
  await db.delete(instanceSamples)
  const row = { version: '1.0.0', startedAt: clock.now(), failing: {}, jobs: [], connected: 0, loopDelayMs: 2 }
  const earlier = new Date(clock.now().getTime() - SECOND_MS)
  await db.insert(instanceSamples).values([
    { ...row, name: 'running:3000', at: earlier, state: 'ready', anchorLag: 3 },
    { ...row, name: 'stopped:3000', at: clock.now(), state: 'stopped' },
  ])
  const { instances, lags } = await read()
  expect(instances).toHaveLength(2)
  expect(lags.find(({ name }) => name === 'anchoring')?.seconds).toBe(3)
})

test('instances: a report contains the time since the newest signal', async () => {
  await context.ctx.db.delete(instanceSamples)
  await saveSetting(context.ctx.db, 'feed.refused', 1, clock.now())
  clock.advance(MINUTE_MS)
  const { scheduler, tick } = manualScheduler()
  const self = {
    name: 'three:3000',
    startedAt: clock.now(),
    runChecks: async () => [],
    leads: () => [],
    connected: () => 0,
  }
  const stop = reportInstance(context.ctx, self, scheduler)
  tick()
  await expect.poll(async () => (await read()).lags.find(({ name }) => name === 'feed')?.seconds).toBe(60)
  await stop()
})
