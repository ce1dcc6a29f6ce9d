import { expect, it } from 'vitest'
import { backoffMs } from './backoff.ts'

it.each([
  [0, 0, 250],
  [0, 1, 500],
  [1, 1, 1000],
  [4, 1, 8_000],
  [5, 1, 10_000],
  [60, 1, 10_000],
  [60, 0, 5_000],
])('backoffMs: attempt %i with random %d waits %i ms', (attempt, random, expected) => {
  expect(backoffMs(attempt, random)).toBe(expected)
})
