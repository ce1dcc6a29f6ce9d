import { expect, test } from 'vitest'
import { formatMatches } from './format-matches.ts'

test.each([
  [1_234_567, undefined, '1,234,567'],
  [1_000, '', '1,000'],
  [999, '0x', '999'],
  [1_000, '0x', '1,000+'],
])('formatMatches: formats %d matches of the search %j as %s', (matchCount, search, expected) => {
  expect(formatMatches(matchCount, search)).toBe(expected)
})
