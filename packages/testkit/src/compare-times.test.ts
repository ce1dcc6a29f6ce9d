import { expect, test } from 'vitest'
import { computeMannWhitneyP } from './compare-times.ts'

test('computeMannWhitneyP: p is below 0.001 for times that differ by 10%, and above it for noise', () => {
  const createNoise = (index: number) => 35 + ((index * 7919) % 13) / 3
  const baseTimes = Array.from({ length: 40 }, (_, index) => createNoise(index))
  const slowerTimes = Array.from({ length: 40 }, (_, index) => createNoise(index + 5) + 3.5)
  const otherTimes = Array.from({ length: 40 }, (_, index) => createNoise(index + 5))
  expect(computeMannWhitneyP(baseTimes, slowerTimes)).toBeLessThan(0.001)
  expect(computeMannWhitneyP(baseTimes, otherTimes)).toBeGreaterThan(0.001)
})
