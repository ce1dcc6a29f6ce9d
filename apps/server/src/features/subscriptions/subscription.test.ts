import { afterEach, describe, expect, test, vi } from 'vitest'
import { addHours, closeGaps, findEntitlementAt, findNextStart, isRunning } from './subscription.ts'

const atHour = (hours: number) => new Date(Date.UTC(2026, 0, 1, hours))
const createPeriod = (id: string, from: number, to: number) => ({
  id,
  startsAt: atHour(from),
  endsAt: atHour(to),
  planId: '6h' as const,
})

describe('findEntitlementAt', () => {
  const cases: [string, ReturnType<typeof createPeriod>[], number, [number, number] | null][] = [
    ['there is no period', [], 5, null],
    ['all periods have ended', [createPeriod('a', 0, 5)], 6, null],
    ['a period ends now', [createPeriod('a', 0, 5)], 5, null],
    ['a period starts later', [createPeriod('a', 6, 12)], 5, null],
    ['a period starts now', [createPeriod('a', 5, 11)], 5, [5, 11]],
    [
      'queued periods follow without a gap, in any order',
      [createPeriod('c', 12, 18), createPeriod('a', 0, 6), createPeriod('b', 6, 12)],
      1,
      [0, 18],
    ],
    ['a gap follows the period', [createPeriod('a', 0, 6), createPeriod('b', 7, 13)], 1, [0, 6]],
    ['a period lies inside a longer one', [createPeriod('a', 0, 12), createPeriod('b', 2, 4)], 3, [0, 12]],
  ]
  test.each(cases)('returns the access up to the first gap when %s', (_, periods, now, expected) => {
    const entitlement = expected && { planId: '6h', startsAt: atHour(expected[0]), endsAt: atHour(expected[1]) }
    expect(findEntitlementAt(periods, atHour(now))).toEqual(entitlement)
  })
})

test('findNextStart: returns now, or the end of the last open period', () => {
  expect(findNextStart([], atHour(3))).toEqual(atHour(3))
  expect(findNextStart([createPeriod('a', 0, 2)], atHour(3))).toEqual(atHour(3))
  expect(findNextStart([createPeriod('b', 6, 12), createPeriod('a', 0, 6)], atHour(3))).toEqual(atHour(12))
})

test('closeGaps: moves queued periods to an earlier start until no gap is left, and returns only these', () => {
  const listBounds = (periods: { id: string; startsAt: Date; endsAt: Date }[]) =>
    periods.map(({ id, startsAt, endsAt }) => [id, startsAt.getUTCHours(), endsAt.getUTCHours()])
  expect(listBounds(closeGaps([createPeriod('a', 0, 6), createPeriod('b', 6, 12)], atHour(1)))).toEqual([])
  expect(listBounds(closeGaps([createPeriod('b', 6, 12), createPeriod('c', 12, 15)], atHour(1)))).toEqual([
    ['b', 1, 7],
    ['c', 7, 10],
  ])
  expect(listBounds(closeGaps([createPeriod('a', 0, 6), createPeriod('c', 12, 15)], atHour(1)))).toEqual([['c', 6, 9]])
})

describe('a plan of 24 hours across a clock change', () => {
  afterEach(() => vi.unstubAllEnvs())

  test.each([
    ['an hour is skipped', '2026-03-07T20:15:42.000-05:00', '2026-03-08T21:15:42.000-04:00'],
    ['an hour is repeated', '2026-10-31T20:15:42.000-04:00', '2026-11-01T19:15:42.000-05:00'],
  ])('lasts exactly 24 hours, and its renewal follows without a gap, when %s', (_name, startText, endText) => {
    vi.stubEnv('TZ', 'America/New_York')
    const startsAt = new Date(startText)
    const endsAt = addHours(startsAt, 24)
    expect(endsAt).toEqual(new Date(endText))
    // The local times of start and end differ, so this fails if a plan is counted in local days.
    expect(endsAt.getHours()).not.toBe(startsAt.getHours())
    const first = { id: 'a', startsAt, endsAt, planId: '24h' as const }
    expect(isRunning(first, new Date(endsAt.getTime() - 1_000))).toBe(true)
    expect(isRunning(first, endsAt)).toBe(false)
    const renewedAt = findNextStart([first], startsAt)
    const second = { ...first, id: 'b', startsAt: renewedAt, endsAt: addHours(renewedAt, 24) }
    expect(findEntitlementAt([first, second], startsAt)?.endsAt.getTime()).toBe(startsAt.getTime() + 48 * 3_600_000)
  })
})
