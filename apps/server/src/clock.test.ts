import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { describe, expect, test } from 'vitest'
import { openDatabaseClock } from './clock.ts'
import type { Queryable } from './db/database.ts'

const START = Date.parse('2026-01-15T12:00:00.000Z')
/** Never queried, because the function that reads the database's time is replaced. */
const db = {} as Queryable

/** Creates database and machine clocks and response delays that the test controls. */
async function openScene() {
  const scene = { elapsedMs: 1_000, databaseMs: START, machineMs: START + DAY_MS, thereMs: 0, backMs: 0 }
  const pass = (ms: number) => {
    scene.elapsedMs += ms
    scene.databaseMs += ms
  }
  const readDatabaseTime = async () => {
    pass(scene.thereMs)
    const at = new Date(scene.databaseMs)
    pass(scene.backMs)
    return at
  }
  const machine = { now: () => new Date(scene.machineMs), readDatabaseTime }
  const { clock, correct } = await openDatabaseClock(db, machine, () => scene.elapsedMs)
  const refresh = async () => {
    const sentAtMs = scene.elapsedMs
    const databaseAt = await readDatabaseTime()
    correct(databaseAt, { sentAtMs, answeredAtMs: scene.elapsedMs })
  }
  return { scene, pass, clock, refresh, errorMs: () => clock.now().getTime() - scene.databaseMs }
}

describe('openDatabaseClock', () => {
  test('returns the database time when the machine is a day ahead, and the machine time separately', async () => {
    const { clock, pass, errorMs } = await openScene()
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
    pass(HOUR_MS)
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
    expect(clock.machineTime?.().getTime()).toBe(START + DAY_MS)
  })

  test('ignores a jump of the machine clock', async () => {
    const { scene, errorMs } = await openScene()
    scene.machineMs -= 400 * DAY_MS
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
  })

  test.each([
    ['ahead', DAY_MS],
    ['behind', -DAY_MS],
  ])('follows the database when its clock is set a day %s', async (_name, ms) => {
    const { scene, refresh, errorMs } = await openScene()
    scene.databaseMs += ms
    await refresh()
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
  })

  test.each([
    ['before the query', { thereMs: 4_000, backMs: 0 }],
    ['after the query', { thereMs: 0, backMs: 4_000 }],
  ])('ignores a reading that is delayed by 4 s %s', async (_name, delays) => {
    const { scene, clock, pass, refresh, errorMs } = await openScene()
    Object.assign(scene, delays)
    await refresh()
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
    const before = clock.now().getTime()
    pass(10)
    expect(clock.now().getTime() - before).toBe(10)
  })
})
