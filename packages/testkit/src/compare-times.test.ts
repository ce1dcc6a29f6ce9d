import { expect, test } from 'vitest'
import { mannWhitney } from './compare-times.ts'

test('mannWhitney: p is below 0.001 for times that differ by 10%, and above it for noise', () => {
  const noise = (index: number) => 35 + ((index * 7919) % 13) / 3
  const one = Array.from({ length: 40 }, (_, index) => noise(index))
  const slower = Array.from({ length: 40 }, (_, index) => noise(index + 5) + 3.5)
  const other = Array.from({ length: 40 }, (_, index) => noise(index + 5))
  expect(mannWhitney(one, slower)).toBeLessThan(0.001)
  expect(mannWhitney(one, other)).toBeGreaterThan(0.001)
})
