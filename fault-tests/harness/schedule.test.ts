import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRandom } from '@tocsin/server/test/support/seeded-random.ts'
import { expect, test } from 'vitest'
import { root } from '../../scripts/build-stamp.mjs'
import { computeBurstRate, countDueSignals } from './feed.ts'
import { measureFaultFreePeriods, measureFaults } from './figures.ts'
import { createJournal, type FaultRecord, type Journal } from './journal.ts'
import { DETECTION_LIMIT_MS, type FaultName, faultKinds, findReadinessStatement, randomFaultNames } from './kinds.ts'
import { measureMemory } from './memory.ts'
import { readOptions } from './options.ts'
import { describeGap } from './report.ts'
import { adaptSnippet } from './reverse-proxy.ts'
import { planFaults } from './schedule.ts'

test('planFaults: the same seed gives the same plan, and another seed gives a different plan', () => {
  const planWithSeed = (seed: number) => planFaults(20, createRandom(seed), randomFaultNames)
  expect(planWithSeed(7)).toEqual(planWithSeed(7))
  expect(planWithSeed(8)).not.toEqual(planWithSeed(7))
})

test('planFaults: each kind of fault occurs once before any kind occurs again', () => {
  const names = planFaults(60, createRandom(3), randomFaultNames).map(({ name }) => name)
  expect(new Set(names.slice(0, randomFaultNames.length)).size).toBe(randomFaultNames.length)
  expect(names.length).toBeGreaterThanOrEqual(60)
})

test('planFaults: omits a kind of fault that the machine does not permit, and leaves the others unchanged', () => {
  const possibleFaults = randomFaultNames.filter((name) => name !== 'full disk of the database')
  const first = planFaults(10, createRandom(3), randomFaultNames).filter(
    ({ name }) => name !== 'full disk of the database',
  )
  expect(planFaults(10, createRandom(3), possibleFaults).slice(0, 5)).toEqual(first.slice(0, 5))
})

test('countDueSignals: offers the given number of signals per second on average, in bursts', () => {
  expect([0, 10, 20, 600].map((seconds) => countDueSignals(seconds, 20))).toEqual([0, 200, 400, 12_000])
  expect(countDueSignals(12, 20) - countDueSignals(10, 20)).toBe(Math.floor(2 * computeBurstRate(20)))
  expect(countDueSignals(20, 20) - countDueSignals(12, 20)).toBeLessThan(
    countDueSignals(12, 20) - countDueSignals(10, 20),
  )
})

test('readOptions: throws an error that names the option if its value is invalid', () => {
  expect(() => readOptions(['--instances', '1'])).toThrow('--instances is a number from 2 to 9')
  expect(() => readOptions(['--minutes', 'ten'])).toThrow('--minutes')
  expect(readOptions(['--minutes', '3', '--seed', '1'])).toMatchObject({ minutes: 3, seed: 1, instances: 3 })
})

test('adaptSnippet: the nginx configuration gets the ports of the run, without TLS', () => {
  const adaptedSnippet = adaptSnippet(readFileSync(join(root, 'ops/nginx.conf'), 'utf8'), 8_080, [4_001, 4_002, 4_003])
  const servers = [...adaptedSnippet.matchAll(/server 127\.0\.0\.1:(\d+) max_fails/g)].map(([, port]) => port)
  // Each instance is in both groups of instances.
  expect(servers).toEqual(['4001', '4002', '4003', '4001', '4002', '4003'])
  expect(adaptedSnippet).toContain('listen 127.0.0.1:8080;')
  expect(adaptedSnippet).not.toMatch(/ssl|listen 80;/)
  expect(adaptedSnippet).toContain('proxy_next_upstream error timeout http_502 http_503;')
})

const killFault: FaultRecord = {
  name: 'kill -9 of an instance',
  target: 'instance 1',
  injectedAtMs: 10_000,
  healedAtMs: 13_000,
  endedAtMs: 30_000,
  expectedReadiness: [{ instance: 'instance 1', fromMs: 10_000, untilMs: 13_000, expectedState: 'unready' }],
}

const noResponse = { instance: 'instance 1', atMs: 10_050, tookMs: 0, status: 0, reasons: [] }

/** Creates the journal of a run with one subscriber, which receives one alert of each source. */
function createRun(adminAtMs: number, feedAtMs: number, overrides: Partial<Journal> = {}): Journal {
  const issued = (['admin', 'feed'] as const).map((source) => ({
    source,
    canary: source,
    signalId: null,
    sentAtMs: 10_100,
    acknowledged: null,
  }))
  const received = [
    { logIndex: 1, canary: 'admin', atMs: adminAtMs },
    { logIndex: 2, canary: 'feed', atMs: feedAtMs },
  ].sort((a, b) => a.atMs - b.atMs)
  const subscriber = { name: '', accountId: '', received, updatesAtMs: [], gaps: [], reloads: [] }
  const subscribers = [{ ...subscriber, liveAtMs: 1, closedAtMs: null }]
  return { ...createJournal(), faults: [killFault], readiness: [noResponse], issued, subscribers, ...overrides }
}

test('measureFaults: recovery lasts until the slower source delivers and the last failed request ends', () => {
  const readiness = [{ ...noResponse, atMs: 10_250, tookMs: 50 }]
  const requests = [
    { atMs: 10_500, tookMs: 3_500, status: 502, path: '/' },
    { atMs: 15_000, tookMs: 10, status: 200, path: '/' },
  ]
  const posts = [
    { atMs: 10_600, tookMs: 20, status: 503, path: '/' },
    { atMs: 10_700, tookMs: 20, status: 403, path: '/' },
  ]
  expect(measureFaults(createRun(11_000, 12_500, { readiness, requests, posts }))).toEqual([
    {
      name: killFault.name,
      target: killFault.target,
      detectMs: 300,
      recoverMs: 4_000,
      failedRequests: 1,
      requests: 2,
      failedPosts: 1,
      posts: 2,
      longestGapMs: 0,
      longestGap: null,
      missesGoal: false,
    },
  ])
})

test('measureFaults: reports a missed goal when a source recovers too late or never', () => {
  expect(measureFaults(createRun(11_000, 15_500))).toMatchObject([{ recoverMs: 5_500, missesGoal: true }])
  expect(measureFaults(createRun(11_000, 31_000))).toMatchObject([{ recoverMs: null, missesGoal: true }])
})

test('measureFaults: reports a missed goal when an affected instance reports the fault too late or never', () => {
  const expectedReadiness = {
    instance: 'instance 1',
    fromMs: 10_000,
    untilMs: 19_000,
    expectedState: 'unready' as const,
  }
  const faults = [
    {
      ...killFault,
      healedAtMs: 19_000,
      expectedReadiness: [expectedReadiness, { ...expectedReadiness, instance: 'instance 2' }],
    },
  ]
  const measureFirstFault = (atMs: number) => {
    const readiness = [noResponse, { ...noResponse, instance: 'instance 2', atMs, tookMs: 100 }]
    return measureFaults(createRun(11_000, 12_500, { faults, readiness }))
  }
  expect(measureFirstFault(9_899)).toMatchObject([{ detectMs: null, missesGoal: true }])
  expect(measureFirstFault(9_950)).toMatchObject([{ detectMs: 50, missesGoal: false }])
  expect(measureFirstFault(14_900)).toMatchObject([{ detectMs: 5_000, missesGoal: false }])
  expect(measureFirstFault(14_901)).toMatchObject([{ detectMs: 5_001, missesGoal: true }])
  expect(measureFirstFault(19_000)).toMatchObject([{ detectMs: null, missesGoal: true }])
})

test('measureFaultFreePeriods: counts requests that no fault can have affected', () => {
  const failedRequest = { tookMs: 100, status: 503, path: '/' }
  const atMs = [9_899, 9_900, 10_500, 29_999, 30_000]
  const requests = atMs.map((at) => ({ ...failedRequest, atMs: at }))
  const run = createRun(11_000, 12_500, {
    requests,
    posts: [...requests, { ...failedRequest, atMs: 40_000, status: 403 }],
  })
  const faultFreeStatistics = measureFaultFreePeriods(run)
  expect(faultFreeStatistics).toMatchObject({ requests: 2, posts: 3 })
  expect(faultFreeStatistics.failedRequests.map((one) => one.atMs)).toEqual([9_899, 30_000])
  expect(faultFreeStatistics.failedPosts).toEqual(faultFreeStatistics.failedRequests)
  expect(measureFaults(run)).toMatchObject([{ failedRequests: 3, requests: 3 }])
})

test('faultKinds: a fault that /readyz must report lasts long enough to check the responses', () => {
  const isHeldTooShort = (name: FaultName) =>
    findReadinessStatement(name) !== null && faultKinds[name].holdMs < DETECTION_LIMIT_MS + 4_000
  expect(randomFaultNames.filter(isHeldTooShort)).toEqual([])
})

test('measureFaults: a rolling restart misses its goal when a POST fails', () => {
  const name = 'rolling restart' as const
  const measureWithStatus = (status: number) => {
    const posts = [{ atMs: 10_600, tookMs: 20, status, path: '/' }]
    return measureFaults(createRun(11_000, 12_500, { posts, faults: [{ ...killFault, name, healedAtMs: 10_050 }] }))
  }
  expect(measureWithStatus(200)).toMatchObject([{ missesGoal: false }])
  expect(measureWithStatus(502)).toMatchObject([{ missesGoal: true }])
})

test('measureFaults: a rolling restart misses its goal when a stream is interrupted for two seconds', () => {
  const name = 'rolling restart' as const
  const run = createRun(11_000, 12_500, { faults: [{ ...killFault, name, healedAtMs: 10_050 }] })
  const createGap = (fromMs: number, untilMs: number) => ({
    fromMs,
    untilMs,
    events: [{ atMs: fromMs, text: 'closed with 1012' }],
  })
  const subscribers = run.subscribers.map((subscriber) => ({ ...subscriber, gaps: [createGap(10_100, 12_099)] }))
  expect(measureFaults({ ...run, subscribers })).toMatchObject([{ longestGapMs: 1_999, missesGoal: false }])
  for (const { gaps } of subscribers) gaps.unshift(createGap(10_200, 12_200))
  const [figures] = measureFaults({ ...run, subscribers })
  expect(figures).toMatchObject({ longestGapMs: 2_000, missesGoal: true })
  expect(figures?.longestGap && describeGap(figures.longestGap)).toBe('0.0 s closed with 1012, 2.0 s live')
})

test('measureMemory: computes memory growth from the longest-running process of each instance', () => {
  const toMs = (...values: number[]) => values.map((value) => value * 3_600_000)
  const createSamples = (instance: string, startedAt: number, atMs: number[], bytes: number[]) =>
    atMs.map((at, index) => ({ instance, startedAt, atMs: at, bytes: bytes[index] ?? 0 }))
  const samples = [
    ...createSamples('instance 1', 1, toMs(0, 0.5), [900, 100]),
    ...createSamples('instance 1', 2, toMs(1, 2, 3), [100, 140, 120]),
    ...createSamples('instance 2', 1, toMs(0, 1), [50, 60]),
  ]
  expect(measureMemory(samples)).toEqual([
    {
      instance: 'instance 1',
      processes: 2,
      startBytes: 100,
      endBytes: 120,
      hours: 2,
      bytesPerHour: expect.closeTo(10),
    },
    { instance: 'instance 2', processes: 1, startBytes: 50, endBytes: 60, hours: 1, bytesPerHour: null },
  ])
})
