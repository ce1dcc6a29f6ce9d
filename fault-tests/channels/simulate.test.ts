import { MINUTE_MS } from '@tocsin/protocol/durations'
import { startTestDatabase, type TestDatabase } from '@tocsin/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { simulate } from './simulate.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startTestDatabase()
})
afterAll(() => database?.stop())

const plan = {
  hours: 3,
  stepMs: 3 * MINUTE_MS,
  alertEveryMs: 12 * MINUTE_MS,
  destinations: 12,
  outage: { from: 1, to: 1.5 },
  seed: 7,
  kill: 'sender' as const,
}

test('channels: with failures, an outage and kills, each delivery ends once and the sums agree', async () => {
  const { problems, states, duplicates } = await simulate(database, { ...plan, kills: 4 })
  expect(problems).toEqual([])
  expect(states.delivered).toBeGreaterThan(100)
  expect(states.dead).toBeGreaterThan(0)
  expect(duplicates).toBeGreaterThan(0)
})

test('channels: without a kill, no message arrives twice', async () => {
  const { problems, duplicates } = await simulate(database, { ...plan, hours: 1, kills: 0, seed: 8 })
  expect([problems, duplicates]).toEqual([[], 0])
})
