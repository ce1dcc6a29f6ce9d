import type { Activity } from '@tocsin/protocol'
import { expect, test } from 'vitest'
import { groupByDay } from './activity-days.ts'

const nowMs = Date.parse('2026-11-21T01:30:00.000Z')
const createRow = (at: string): Activity => ({
  id: at,
  at: `${at}.000Z`,
  kind: 'signed_in',
  detail: '',
  reference: null,
  chainId: null,
})
const rows = ['2026-11-21T01:00:00', '2026-11-20T23:30:00', '2026-11-20T10:00:00', '2026-10-25T00:30:00'].map(createRow)

test.each([
  ['UTC', ['Today 1', 'Yesterday 2', 'Sunday, 25 October 2026 1']],
  ['Europe/Berlin', ['Today 2', 'Yesterday 1', 'Sunday, 25 October 2026 1']],
  ['America/New_York', ['Today 3', 'Saturday, 24 October 2026 1']],
])('groupByDay: groups by local day when the time zone is %s', (timeZone, expected) => {
  const days = groupByDay(rows, nowMs, { timeZone, hourCycle: '24' })
  expect(days.map(({ day, rows: rowsOfDay }) => `${day} ${rowsOfDay.length}`)).toEqual(expected)
})

test('groupByDay: returns no days when there are no rows', () => {
  expect(groupByDay([], nowMs, { timeZone: 'UTC', hourCycle: '24' })).toEqual([])
})

test('groupByDay: labels the day before today "Yesterday" when it has 23 hours', () => {
  // Half past midnight in Berlin, on the day after the clocks went forward.
  const now = Date.parse('2027-03-28T22:30:00.000Z')
  const days = groupByDay([createRow('2027-03-28T10:00:00'), createRow('2027-03-27T10:00:00')], now, {
    timeZone: 'Europe/Berlin',
    hourCycle: '24',
  })
  expect(days.map(({ day }) => day)).toEqual(['Yesterday', 'Saturday, 27 March 2027'])
})
