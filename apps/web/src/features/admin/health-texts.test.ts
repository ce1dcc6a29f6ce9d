import { expect, test } from 'vitest'
import { formatChurnSigns } from './business-texts.ts'
import { describeGaps, groupCounts } from './health-texts.ts'

const asOf = '2026-11-26T12:00:00.000Z'

test('describeGaps: returns number and total length of the gaps, and measures an open gap up to the given time', () => {
  const healthBand = { source: 'feed', state: 'ok', gaps: [] } as const
  const endedGap = { from: '2026-11-26T03:41:00.000Z', to: '2026-11-26T03:44:00.000Z' }
  const openGap = { from: '2026-11-26T11:59:50.000Z', to: null }
  expect(describeGaps({ ...healthBand, gaps: [] }, asOf)).toBe('no gap')
  expect(describeGaps({ ...healthBand, state: null, gaps: [] }, asOf)).toBe('no data yet')
  expect(describeGaps({ ...healthBand, gaps: [endedGap] }, asOf)).toBe('1 gap of 3 min')
  expect(describeGaps({ ...healthBand, state: 'gap', gaps: [openGap] }, asOf)).toBe('1 gap of 10 s')
  expect(describeGaps({ ...healthBand, state: 'gap', gaps: [endedGap, openGap] }, asOf)).toBe('2 gaps, 3 min in total')
})

test('groupCounts: counts alerts by priority for each name in the given order, including names without alerts', () => {
  const rows = [
    { hour: 1, priority: 'low', count: 3 },
    { hour: 1, priority: 'critical', count: 1 },
  ] as const
  expect(groupCounts(rows, ({ hour }) => String(hour), ['0', '1'])).toEqual([
    { name: '0', counts: { critical: 0, high: 0, medium: 0, low: 0 } },
    { name: '1', counts: { critical: 1, high: 0, medium: 0, low: 3 } },
  ])
})

test('formatChurnSigns: lists the signs of churn before the figures of an account', () => {
  const account = { payments: 4, alertsRead: 2, lastSeenAt: null }
  expect(formatChurnSigns({ ...account, signs: ['notSeen'] })).toBe('never seen, 4 payments, 2 alerts read')
  expect(formatChurnSigns({ ...account, payments: 1, signs: ['neverRenewed'] })).toMatch(/^never renewed, /)
  const lastSeenAt = new Date().toISOString()
  expect(formatChurnSigns({ ...account, lastSeenAt, signs: [] })).toBe('4 payments, seen just now, 2 alerts read')
})
