import { expect, test } from 'vitest'
import { utcStyle } from '../../ui/time-style.ts'
import { toZonedSelection } from './use-selection.ts'

const createStyle = (timeZone: string) => ({ timeZone, hourCycle: '24' }) as const

test.each([
  ['Asia/Tokyo', '2026-03-02', '2026-03-01T15:00:00.000Z', '2026-03-02T14:59:59.999Z'],
  ['Pacific/Apia', '2026-03-02', '2026-03-01T11:00:00.000Z', '2026-03-02T10:59:59.999Z'],
  ['Asia/Kolkata', '2026-12-31', '2026-12-30T18:30:00.000Z', '2026-12-31T18:29:59.999Z'],
  // On these days the clocks change, so the day has 23 or 25 hours.
  ['America/New_York', '2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T03:59:59.999Z'],
  ['America/New_York', '2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z'],
  ['Etc/GMT-9', '0002-11-21', '0002-11-20T15:00:00.000Z', '0002-11-21T14:59:59.999Z'],
])('toZonedSelection: in %s the day %s begins at %s and ends at %s', (timeZone, day, from, to) => {
  expect(toZonedSelection({ from: day, to: day }, createStyle(timeZone))).toEqual({ from, to })
})

test('toZonedSelection: changes nothing when the zone is UTC or the selection has no days', () => {
  expect(toZonedSelection({ from: '2026-03-02' }, utcStyle)).toEqual({ from: '2026-03-02' })
  expect(toZonedSelection({ q: 'eth' }, createStyle('Asia/Tokyo'))).toEqual({ q: 'eth' })
})
