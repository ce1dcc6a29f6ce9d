import { expect, test } from 'vitest'
import { listDayHeadings } from './day-headings.ts'
import { formatDayLabel } from './use-day-headings.ts'

const nowMs = Date.parse('2026-11-22T14:32:14.000Z')
const utc = { timeZone: 'UTC', hourCycle: '24' } as const
const tokyo = { timeZone: 'Asia/Tokyo', hourCycle: '24' } as const
const times = [
  '2026-11-22T14:00:00.000Z',
  '2026-11-22T00:00:00.000Z',
  '2026-11-21T23:59:59.999Z',
  '2026-11-21T12:00:00.000Z',
  '2026-11-18T12:00:00.000Z',
]

test('listDayHeadings: starts a heading at the first alert of each day when the days are UTC', () => {
  expect(listDayHeadings(times, { nowMs, style: utc, isWhole: true })).toEqual([
    { index: 0, text: 'Today, 22 November', count: 2 },
    { index: 2, text: 'Yesterday, 21 November', count: 2 },
    { index: 4, text: '18 November', count: 1 },
  ])
})

test('listDayHeadings: uses the user’s time zone when it is not UTC', () => {
  expect(listDayHeadings(times, { nowMs, style: tokyo, isWhole: true })).toEqual([
    { index: 0, text: 'Today, 22 November', count: 3 },
    { index: 3, text: 'Yesterday, 21 November', count: 1 },
    { index: 4, text: '18 November', count: 1 },
  ])
})

test('listDayHeadings: returns no alert count for the last day when more rows may follow', () => {
  expect(listDayHeadings(times, { nowMs, style: utc, isWhole: false }).map(({ count }) => count)).toEqual([2, 2, null])
})

test('listDayHeadings: adds no heading for an out-of-order alert of a later day', () => {
  const unorderedTimes = [times[2] ?? '', times[1] ?? '', times[3] ?? '']
  expect(listDayHeadings(unorderedTimes, { nowMs, style: utc, isWhole: true })).toHaveLength(1)
  expect(listDayHeadings([], { nowMs, style: utc, isWhole: true })).toEqual([])
})

test.each([
  [1234, 'Today · 1,234 alerts'],
  [1, 'Today · 1 alert'],
  [null, 'Today'],
])('formatDayLabel: formats a day with %s alerts as “%s”', (count, label) => {
  expect(formatDayLabel({ index: 0, text: 'Today', count })).toBe(label)
})
