import { expect, test } from 'vitest'
import { formatCount } from './count.ts'

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [12_345, '12,345'],
  [1_234_567, '1,234,567'],
])('formatCount: %d is formatted as %s', (count, text) => {
  expect(formatCount(count)).toBe(text)
})

test('formatCount: groups the digits of a bigint', () => {
  expect(formatCount(12_345_678_901_234_567_890n)).toBe('12,345,678,901,234,567,890')
})
