import { expect, test } from 'vitest'
import { formatSegment, formatSendProgress } from './outreach-texts.ts'

test.each([
  [{ kind: 'all' } as const, 'All users'],
  [{ kind: 'ending', days: 1 } as const, 'Plan ends within 1 day'],
  [{ kind: 'ended', days: 30 } as const, 'Plan ended within 30 days'],
  [{ kind: 'by-plan', planType: '24h' } as const, 'With the plan 24 hours'],
])('formatSegment: describes %j', (segment, words) => {
  expect(formatSegment(segment)).toBe(words)
})

test('formatSendProgress: shows the number of skipped messages only when it is not 0', () => {
  expect(formatSendProgress({ sent: 1_200, skipped: 0, total: 5_000 })).toBe('1,200 of 5,000 sent')
  expect(formatSendProgress({ sent: 3, skipped: 1, total: 4 })).toBe('3 of 4 sent, 1 skipped')
})
