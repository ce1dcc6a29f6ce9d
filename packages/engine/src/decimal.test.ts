import { expect, it } from 'vitest'
import { formatDecimal } from './decimal.ts'

it.each<[number, string | null]>([
  [Number.NaN, null],
  [Number.POSITIVE_INFINITY, null],
  [0, null],
  [-1, null],
  [1e308, null],
  [1e21, null],
  [1e18, null],
  [1e-19, null],
  [1.5e-18, null],
  [1e15, '1000000000000000'],
  [61_204.11, '61204.11'],
  [0.1 + 0.2, '0.30000000000000004'],
  [0.000_001, '0.000001'],
  [1.234e-7, '0.0000001234'],
  [1e-18, '0.000000000000000001'],
])('formatDecimal: writes %d as %s', (value, expected) => {
  expect(formatDecimal(value)).toBe(expected)
})
