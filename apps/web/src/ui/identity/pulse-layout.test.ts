import { HOUR_MS } from '@tocsin/protocol/durations'
import { expect, it } from 'vitest'
import { computeX, filterBySpan, listPulseMarks, pulseSpans } from './pulse-layout.ts'

const now = Date.parse('2026-11-21T14:32:00.000Z')
const formatHoursAgo = (hours: number) => new Date(now - hours * HOUR_MS).toISOString()
const utc = { timeZone: 'UTC', hourCycle: '24' } as const

it.each([
  [0, '24h', 988.5],
  [12, '24h', 494.5],
  [24, '24h', 0.5],
  [3, '6h', 494.5],
  [1, '1h', 0.5],
] as const)('computeX: a time %d h ago in a span of %s is at x = %d when the width is 1000 px', (hours, span, x) => {
  expect(computeX(now - hours * HOUR_MS, now, 1000, pulseSpans[span])).toBe(x)
})

it('filterBySpan: returns the alerts within the time span, oldest first', () => {
  const alerts = [1, 24, 23, 30].map((hours) => ({
    id: `${hours}`,
    at: formatHoursAgo(hours),
    priority: 'low' as const,
  }))
  expect(filterBySpan(alerts, now, pulseSpans['24h']).map((alert) => alert.id)).toEqual(['23', '1'])
  expect(filterBySpan(alerts, now, pulseSpans['6h']).map((alert) => alert.id)).toEqual(['1'])
})

it.each([
  ['24h', false, utc, 24, ['18:00', '21:00', '00:00', '03:00', '06:00', '09:00', '12:00']],
  ['24h', true, utc, 24, ['18:00', '00:00', '06:00', '12:00']],
  ['6h', false, utc, 24, ['09:00', '10:00', '11:00', '12:00', '13:00', '14:00']],
  ['1h', false, utc, 12, ['13:45', '14:00', '14:15']],
  ['1h', false, { timeZone: 'UTC', hourCycle: '12' }, 12, ['1:45 PM', '2 PM', '2:15 PM']],
  ['24h', true, { timeZone: 'Asia/Kolkata', hourCycle: '24' }, 24, ['00:30', '06:30', '12:30', '18:30']],
] as const)(
  'listPulseMarks: labels round times in a span of %s (phone: %s, time style: %j) and leaves room for the current time',
  (span, isPhone, style, count, labels) => {
    const marks = listPulseMarks(now, 1000, { span, isPhone, style })
    expect(marks).toHaveLength(count)
    expect(marks.flatMap((mark) => mark.label ?? [])).toEqual(labels)
  },
)
