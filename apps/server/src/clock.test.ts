import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { describe, expect, test } from 'vitest'
import { openDatabaseClock } from './clock.ts'
import type { Queryable } from './db/database.ts'

const START = Date.parse('2026-01-15T12:00:00.000Z')
/** Never queried, because the function that reads the database's time is replaced. */
const db = {} as Queryable

/** Creates database and machine clocks and response delays that the test controls. */
async function openFixture() {
  const fixture = { elapsedMs: 1_000, databaseMs: START, machineMs: START + DAY_MS, thereMs: 0, backMs: 0 }
  const pass = (ms: number) => {
    fixture.elapsedMs += ms
    fixture.databaseMs += ms
  }
  const readDatabaseTime = async () => {
    pass(fixture.thereMs)
    const databaseAt = new Date(fixture.databaseMs)
    pass(fixture.backMs)
    return databaseAt
  }
  const machine = { now: () => new Date(fixture.machineMs), readDatabaseTime }
  const { clock, correct } = await openDatabaseClock(db, machine, () => fixture.elapsedMs)
  const refresh = async () => {
    const sentAtMs = fixture.elapsedMs
    const databaseAt = await readDatabaseTime()
    correct(databaseAt, { sentAtMs, answeredAtMs: fixture.elapsedMs })
  }
  return { fixture, pass, clock, refresh, errorMs: () => clock.now().getTime() - fixture.databaseMs }
}

describe('openDatabaseClock', () => {
  test('returns the database time when the machine is a day ahead, and the machine time separately', async () => {
    const { clock, pass, errorMs } = await openFixture()
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
    pass(HOUR_MS)
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
    expect(clock.machineTime?.().getTime()).toBe(START + DAY_MS)
  })

  test('ignores a jump of the machine clock', async () => {
    const { fixture, errorMs } = await openFixture()
    fixture.machineMs -= 400 * DAY_MS
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
  })

  test.each([
    ['ahead', DAY_MS],
    ['behind', -DAY_MS],
  ])('follows the database when its clock is set a day %s', async (_name, ms) => {
    const { fixture, refresh, errorMs } = await openFixture()
    fixture.databaseMs += ms
    await refresh()
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
  })

  test.each([
    ['before the query', { thereMs: 4_000, backMs: 0 }],
    ['after the query', { thereMs: 0, backMs: 4_000 }],
  ])('ignores a reading that is delayed by 4 s %s', async (_name, delays) => {
    const { fixture, clock, pass, refresh, errorMs } = await openFixture()
    Object.assign(fixture, delays)
    await refresh()
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
    const beforeMs = clock.now().getTime()
    pass(10)
    expect(clock.now().getTime() - beforeMs).toBe(10)
  })
})
