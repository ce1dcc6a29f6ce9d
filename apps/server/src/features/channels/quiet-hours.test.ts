import type { DigestTimes, QuietHours } from '@tocsin/protocol'
import { describe, expect, it } from 'vitest'
import { computeNextDigestAt, findQuietEnd } from './quiet-hours.ts'

const everyWeekday = [1, 2, 3, 4, 5, 6, 7]
const createQuietHours = (change: Partial<QuietHours> = {}): QuietHours => ({
  days: everyWeekday,
  from: 22 * 60,
  to: 7 * 60,
  timeZone: 'Europe/Berlin',
  criticalPasses: true,
  ...change,
})
const formatIso = (at: Date | null) => at?.toISOString() ?? null

describe('findQuietEnd: the end of quiet hours', () => {
  it.each<[string, QuietHours, string, string | null]>([
    ['is null before they begin', createQuietHours(), '2026-11-24T20:59:59.999Z', null],
    ['is the end when they begin', createQuietHours(), '2026-11-24T21:00:00.000Z', '2026-11-25T06:00:00.000Z'],
    ['is the end after midnight', createQuietHours(), '2026-11-25T05:59:59.999Z', '2026-11-25T06:00:00.000Z'],
    ['is null when they end', createQuietHours(), '2026-11-25T06:00:00.000Z', null],
    [
      'is the end on one day',
      createQuietHours({ from: 780, to: 840 }),
      '2026-11-24T12:30:00.000Z',
      '2026-11-24T13:00:00.000Z',
    ],
    ['is null on a day that is not chosen', createQuietHours({ days: [1] }), '2026-11-24T22:00:00.000Z', null],
    [
      'belongs to the day on which they begin',
      createQuietHours({ days: [1] }),
      '2026-11-24T03:00:00.000Z',
      '2026-11-24T06:00:00.000Z',
    ],
    [
      'follows a zone far in the east',
      createQuietHours({ days: [3], timeZone: 'Pacific/Auckland' }),
      '2026-11-25T09:30:00.000Z',
      '2026-11-25T18:00:00.000Z',
    ],
    // 2026-03-29: Berlin skips 02:00 to 03:00.
    ['is an hour shorter in spring', createQuietHours(), '2026-03-28T22:00:00.000Z', '2026-03-29T05:00:00.000Z'],
    [
      'ends an hour later if spring skips the end',
      createQuietHours({ to: 150 }),
      '2026-03-29T00:30:00.000Z',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'begins an hour later if spring skips the beginning',
      createQuietHours({ from: 150, to: 360 }),
      '2026-03-29T01:29:59.000Z',
      null,
    ],
    [
      'has begun after the skipped beginning',
      createQuietHours({ from: 150, to: 360 }),
      '2026-03-29T01:30:00.000Z',
      '2026-03-29T04:00:00.000Z',
    ],
    ['is null if spring skips all of them', createQuietHours({ from: 150, to: 180 }), '2026-03-29T01:00:00.000Z', null],
    // 2026-10-25: Berlin repeats 02:00 to 03:00.
    ['is an hour longer in autumn', createQuietHours(), '2026-10-24T21:00:00.000Z', '2026-10-25T06:00:00.000Z'],
    [
      'ends at the first of two equal times in autumn',
      createQuietHours({ to: 150 }),
      '2026-10-25T00:29:59.000Z',
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'does not begin again at the second of two equal times',
      createQuietHours({ to: 150 }),
      '2026-10-25T01:15:00.000Z',
      null,
    ],
    [
      'is right where the clock changes by half an hour',
      createQuietHours({ timeZone: 'Australia/Lord_Howe', from: 60, to: 180 }),
      '2026-10-03T15:00:00.000Z',
      '2026-10-03T16:00:00.000Z',
    ],
  ])('%s', (_name, hours, now, expected) => {
    expect(formatIso(findQuietEnd(hours, new Date(now)))).toBe(expected)
  })
})

describe('computeNextDigestAt: the time of the next digest', () => {
  const createDailyTimes = (hour: number, timeZone = 'Europe/Berlin'): DigestTimes => ({ every: 'day', hour, timeZone })
  it.each<[string, DigestTimes, string, string]>([
    ['is the next full hour', { every: 'hour' }, '2026-11-24T14:32:12.000Z', '2026-11-24T15:00:00.000Z'],
    ['is an hour later on the hour', { every: 'hour' }, '2026-11-24T15:00:00.000Z', '2026-11-24T16:00:00.000Z'],
    ['is today before the hour', createDailyTimes(20), '2026-11-24T18:59:59.999Z', '2026-11-24T19:00:00.000Z'],
    ['is tomorrow at the hour', createDailyTimes(20), '2026-11-24T19:00:00.000Z', '2026-11-25T19:00:00.000Z'],
    [
      'keeps the hour over the change in spring',
      createDailyTimes(20),
      '2026-03-28T20:00:00.000Z',
      '2026-03-29T18:00:00.000Z',
    ],
    [
      'keeps the hour over the change in autumn',
      createDailyTimes(20),
      '2026-10-24T19:00:00.000Z',
      '2026-10-25T19:00:00.000Z',
    ],
    [
      'comes at 03:00 if spring skips 02:00',
      createDailyTimes(2),
      '2026-03-28T12:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
    ],
    ['comes once if autumn repeats 02:00', createDailyTimes(2), '2026-10-25T00:00:00.000Z', '2026-10-26T01:00:00.000Z'],
  ])('%s', (_name, times, now, expected) => {
    expect(formatIso(computeNextDigestAt(times, new Date(now)))).toBe(expected)
  })
})
