import { HOUR_MS } from '@tocsin/protocol/durations'
import { expect, it } from 'vitest'
import { hourMarks, withinDay, xAt } from './pulse-layout.ts'

const now = Date.parse('2026-11-21T14:32:00.000Z')
const hoursAgo = (hours: number) => new Date(now - hours * HOUR_MS).toISOString()

it.each([
  [0, 988.5],
  [12, 494.5],
  [24, 0.5],
])('xAt: %d h ago is at %d of 1000 px', (hours, x) => {
  expect(xAt(now - hours * HOUR_MS, now, 1000)).toBe(x)
})

it('withinDay: keeps the alerts of the last 24 hours, oldest first', () => {
  const alerts = [1, 24, 23, 30].map((hours) => ({ id: `${hours}`, at: hoursAgo(hours), priority: 'low' as const }))
  expect(withinDay(alerts, now).map((alert) => alert.id)).toEqual(['23', '1'])
})

it('hourMarks: labels every third hour and leaves room for the current time at the right', () => {
  const labels = hourMarks(now, 1000, 3).flatMap((mark) => mark.label ?? [])
  expect(labels).toEqual(['18:00', '21:00', '00:00', '03:00', '06:00', '09:00', '12:00'])
  expect(hourMarks(now, 1000, 3)).toHaveLength(24)
})
