import { HOUR_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { expect, test } from 'vitest'
import { simulate } from './simulate.ts'

const database = useTestDatabase()

const plan = {
  hours: 30,
  stepMs: HOUR_MS,
  lastStepMs: 3 * HOUR_MS,
  alertEveryMs: 2 * HOUR_MS,
  outage: { from: 8, to: 10 },
  seed: 7,
  kill: 'sender' as const,
}
const sumRepetitions = (arrived: Record<string, { repetitions: number }>) =>
  Object.values(arrived).reduce((sum, { repetitions }) => sum + repetitions, 0)

test('channels: despite failures, outages and kills, deliveries reach a final state and the ledger matches the endpoints', async () => {
  const { problems, states, arrived } = await simulate(database, { ...plan, kills: 8 })
  expect(problems).toEqual([])
  expect(states.delivered).toBeGreaterThan(500)
  expect(states.dead).toBeGreaterThan(0)
  expect(sumRepetitions(arrived)).toBeGreaterThan(0)
})

test('channels: no message arrives twice when no process is killed', async () => {
  const { problems, arrived } = await simulate(database, { ...plan, hours: 4, kills: 0, seed: 8 })
  expect([problems, sumRepetitions(arrived)]).toEqual([[], 0])
})
