import { afterEach, describe, expect, test, vi } from 'vitest'
import { addHours, closeGaps, entitlementAt, isRunning, nextStart } from './subscription.ts'

const hour = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours))
const period = (id: string, from: number, to: number) => ({
  id,
  startsAt: hour(from),
  endsAt: hour(to),
  planId: '6h' as const,
})

describe('entitlementAt', () => {
  const cases: [string, ReturnType<typeof period>[], number, [number, number] | null][] = [
    ['there is no period', [], 5, null],
    ['all periods have ended', [period('a', 0, 5)], 6, null],
    ['a period ends now', [period('a', 0, 5)], 5, null],
    ['a period starts later', [period('a', 6, 12)], 5, null],
    ['a period starts now', [period('a', 5, 11)], 5, [5, 11]],
    [
      'queued periods follow without a gap, in any order',
      [period('c', 12, 18), period('a', 0, 6), period('b', 6, 12)],
      1,
      [0, 18],
    ],
    ['a gap follows the period', [period('a', 0, 6), period('b', 7, 13)], 1, [0, 6]],
    ['a period lies inside a longer one', [period('a', 0, 12), period('b', 2, 4)], 3, [0, 12]],
  ]
  test.each(cases)('returns the access up to the first gap when %s', (_, periods, now, expected) => {
    const entitlement = expected && { planId: '6h', startsAt: hour(expected[0]), endsAt: hour(expected[1]) }
    expect(entitlementAt(periods, hour(now))).toEqual(entitlement)
  })
})

test('nextStart: returns now, or the end of the last open period', () => {
  expect(nextStart([], hour(3))).toEqual(hour(3))
  expect(nextStart([period('a', 0, 2)], hour(3))).toEqual(hour(3))
  expect(nextStart([period('b', 6, 12), period('a', 0, 6)], hour(3))).toEqual(hour(12))
})

test('closeGaps: moves queued periods forward in time only, without gaps', () => {
  const bounds = (periods: { id: string; startsAt: Date; endsAt: Date }[]) =>
    periods.map(({ id, startsAt, endsAt }) => [id, startsAt.getUTCHours(), endsAt.getUTCHours()])
  expect(bounds(closeGaps([period('a', 0, 6), period('b', 6, 12)], hour(1)))).toEqual([])
  expect(bounds(closeGaps([period('b', 6, 12), period('c', 12, 15)], hour(1)))).toEqual([
    ['b', 1, 7],
    ['c', 7, 10],
  ])
  expect(bounds(closeGaps([period('a', 0, 6), period('c', 12, 15)], hour(1)))).toEqual([['c', 6, 9]])
})

describe('a plan of 24 hours across a clock change', () => {
  afterEach(() => vi.unstubAllEnvs())

  test.each([
    ['an hour is skipped', '2026-03-07T20:15:42.000-05:00', '2026-03-08T21:15:42.000-04:00'],
    ['an hour is repeated', '2026-10-31T20:15:42.000-04:00', '2026-11-01T19:15:42.000-05:00'],
  ])('lasts exactly 24 hours, and its renewal follows without a gap, when %s', (_name, starts, ends) => {
    vi.stubEnv('TZ', 'America/New_York')
    const startsAt = new Date(starts)
    const endsAt = addHours(startsAt, 24)
    expect(endsAt).toEqual(new Date(ends))
    // The local times of start and end differ, so this fails if a plan is counted in local days.
    expect(endsAt.getHours()).not.toBe(startsAt.getHours())
    const first = { id: 'a', startsAt, endsAt, planId: '24h' as const }
    expect(isRunning(first, new Date(endsAt.getTime() - 1_000))).toBe(true)
    expect(isRunning(first, endsAt)).toBe(false)
    const renewedAt = nextStart([first], startsAt)
    const second = { ...first, id: 'b', startsAt: renewedAt, endsAt: addHours(renewedAt, 24) }
    expect(entitlementAt([first, second], startsAt)?.endsAt.getTime()).toBe(startsAt.getTime() + 48 * 3_600_000)
  })
})
