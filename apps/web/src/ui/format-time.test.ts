import { describe, expect, it, vi } from 'vitest'
import {
  formatClock,
  formatClockOrDateTime,
  formatDateTime,
  formatDayHeading,
  formatDayUnlessToday,
  formatFullDateTime,
  formatRelativeTime,
  getMidnight,
  getMinuteOfDay,
  getStartOfDay,
  getZoneName,
} from './format-time.ts'

const now = Date.parse('2026-11-21T14:32:14.200Z')
const computeMsBefore = (seconds: number) => now - seconds * 1000

describe('formatRelativeTime', () => {
  it.each([
    [-30, 'Just now'],
    [0, 'Just now'],
    [59, 'Just now'],
    [60, '1 min ago'],
    [5 * 60 + 20, '5 min ago'],
    [3599, '59 min ago'],
    [3600, '1 h ago'],
    [86_399, '23 h ago'],
    [86_400, '1 day ago'],
    [40 * 86_400, '40 days ago'],
  ])('%d s ago is "%s"', (seconds, words) => {
    expect(formatRelativeTime(computeMsBefore(seconds), now)).toBe(words)
  })
})

describe('formatClockOrDateTime', () => {
  it.each([
    [0, '14:32:14'],
    [-60, '14:33:14'],
    [14 * 3600, '00:32:14'],
    [14 * 3600 + 32 * 60 + 15, '20 Nov 23:59:59'],
    [86_399, '20 Nov 14:32:15'],
    [86_400, '20 Nov 14:32:14'],
  ])('%d s ago is "%s"', (seconds, words) => {
    expect(formatClockOrDateTime(computeMsBefore(seconds), now)).toBe(words)
  })
})

it('formatClockOrDateTime: compares days in the given time zone', () => {
  const eveningMs = Date.parse('2026-11-21T23:30:00.000Z')
  const nightMs = Date.parse('2026-11-22T00:30:00.000Z')
  expect(formatClockOrDateTime(eveningMs, nightMs)).toBe('21 Nov 23:30:00')
  expect(formatClockOrDateTime(eveningMs, nightMs, { timeZone: 'Europe/Berlin', hourCycle: '24' })).toBe('00:30:00')
})

// The clocks in Berlin go back at 01:00 UTC.
const longDay = {
  style: { timeZone: 'Europe/Berlin', hourCycle: '24' },
  at: Date.parse('2026-10-24T22:10:00.000Z'),
} as const

it('formatClockOrDateTime: has no date for the first hour of today when the day has 25 hours', () => {
  const evening = Date.parse('2026-10-25T22:30:00.000Z')
  expect(formatClockOrDateTime(longDay.at, evening, longDay.style)).toBe('00:10:00')
})

it('formatDayHeading: names today and yesterday when the day has 25 hours', () => {
  const evening = Date.parse('2026-10-25T22:30:00.000Z')
  expect(formatDayHeading(longDay.at, evening, longDay.style)).toBe('Today, 25 October')
  const nextDay = Date.parse('2026-10-26T12:00:00.000Z')
  expect(formatDayHeading(longDay.at, nextDay, longDay.style)).toBe('Yesterday, 25 October')
})

it('formatDayUnlessToday: is empty for today, in the given time zone', () => {
  const evening = Date.parse('2026-11-21T23:30:00.000Z')
  const night = Date.parse('2026-11-22T00:30:00.000Z')
  expect(formatDayUnlessToday(evening, night)).toBe('21 Nov')
  expect(formatDayUnlessToday(evening, night, { timeZone: 'Europe/Berlin', hourCycle: '24' })).toBe('')
})

it('formatClock: is in UTC by default', () => {
  expect(formatClock(now)).toBe('14:32:14')
})

describe('time style', () => {
  it.each([
    ['UTC', '24', '14:32:14', '21 Nov 14:32:14', 14, 'UTC'],
    ['UTC', '12', '02:32:14 PM', '21 Nov 02:32:14 PM', 14, 'UTC'],
    ['Europe/Berlin', '24', '15:32:14', '21 Nov 15:32:14', 15, 'CET'],
    ['Asia/Kolkata', '12', '08:02:14 PM', '21 Nov 08:02:14 PM', 20, 'GMT+5:30'],
    ['Pacific/Auckland', '24', '03:32:14', '22 Nov 03:32:14', 3, 'GMT+13'],
  ] as const)('formats times in %s on a %s-hour clock', (timeZone, hourCycle, clock, date, hour, name) => {
    const style = { timeZone, hourCycle }
    const words = [
      formatClock(now, style),
      formatDateTime(now, style),
      Math.floor(getMinuteOfDay(now, style) / 60),
      getZoneName(now, style),
    ]
    expect(words).toEqual([clock, date, hour, name])
  })

  it.each([
    ['2026-11-21T00:05:00.000Z', '12:05:00 AM'],
    ['2026-11-21T12:05:00.000Z', '12:05:00 PM'],
  ])('formats %s on a 12-hour clock as %s', (at, words) => {
    expect(formatClock(Date.parse(at), { timeZone: 'UTC', hourCycle: '12' })).toBe(words)
  })
})

it.each([
  ['UTC', '14:32:14', '21 Nov 14:32:14', 'UTC', '2026-11-21T00:00:00.000Z'],
  ['Asia/Kolkata', '20:02:14', '21 Nov 20:02:14', 'GMT+5:30', '2026-11-20T18:30:00.000Z'],
  ['America/St_Johns', '11:02:14', '21 Nov 11:02:14', 'GMT-3:30', '2026-11-21T03:30:00.000Z'],
  ['Pacific/Auckland', '03:32:14', '22 Nov 03:32:14', 'GMT+13', '2026-11-20T11:00:00.000Z'],
])('time style: formats times in the time zone of a device in %s without Intl', (zone, clock, date, name, midnight) => {
  vi.stubEnv('TZ', zone)
  vi.stubGlobal('Intl', {})
  const style = { timeZone: 'browser', hourCycle: '24' } as const
  expect([formatClock(now, style), formatDateTime(now, style), getZoneName(now, style)]).toEqual([clock, date, name])
  expect(getMidnight('2026-11-21', style)).toBe(Date.parse(midnight))
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

it.each([
  // The clocks go forward at 01:00 UTC, from 02:00 to 03:00.
  ['2026-03-29T00:30:00.000Z', '2026-03-28T23:00:00.000Z'],
  ['2026-03-29T12:00:00.500Z', '2026-03-28T23:00:00.000Z'],
  // The clocks go back at 01:00 UTC, from 03:00 to 02:00.
  ['2026-10-25T12:00:00.500Z', '2026-10-24T22:00:00.000Z'],
  ['2026-10-25T22:59:59.999Z', '2026-10-24T22:00:00.000Z'],
  ['2026-10-25T23:00:00.000Z', '2026-10-25T23:00:00.000Z'],
])('getStartOfDay: the day of %s starts at %s in Berlin, even when the clocks change', (at, midnight) => {
  const style = { timeZone: 'Europe/Berlin', hourCycle: '24' } as const
  expect(new Date(getStartOfDay(Date.parse(at), style)).toISOString()).toBe(midnight)
})

it.each([
  // The clocks go forward at 00:00, to 01:00.
  ['America/Havana', '2026-03-08', '2026-03-08T05:00:00.000Z'],
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
  ['Asia/Beirut', '2026-03-29', '2026-03-28T22:00:00.000Z'],
  // The clocks go back at 01:00, to 00:00.
  ['America/Havana', '2026-11-01', '2026-11-01T04:00:00.000Z'],
  // The clocks go back at 03:00, to 02:00.
  ['Pacific/Auckland', '2026-04-05', '2026-04-04T11:00:00.000Z'],
] as const)('getMidnight: in %s, %s starts at %s, even when the clocks change around midnight', (timeZone, day, at) => {
  expect(new Date(getMidnight(day, { timeZone, hourCycle: '24' })).toISOString()).toBe(at)
})

it('formatFullDateTime: names the year and the zone', () => {
  expect(formatFullDateTime(now)).toBe('21 Nov 2026 14:32:14 UTC')
  const newYear = Date.parse('2026-12-31T23:30:00.000Z')
  const style = { timeZone: 'Europe/Berlin', hourCycle: '12' } as const
  expect(formatFullDateTime(newYear, style)).toBe('1 Jan 2027 12:30:00 AM CET')
})
