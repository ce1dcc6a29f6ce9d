import { expect, test, vi } from 'vitest'
import { endInSlices } from './end-in-slices.ts'

vi.mock('node:timers/promises', () => ({ setTimeout: () => new Promise<void>((resolve) => paused.push(resolve)) }))

const paused: (() => void)[] = []

test('endInSlices: ends few connections at once, and many of them 500 after each other', async () => {
  const ended: number[] = []
  const numbers = Array.from({ length: 1_200 }, (_, at) => at)
  await endInSlices(numbers.slice(0, 500), (one) => ended.push(one))
  expect(ended).toHaveLength(500)
  ended.length = 0
  const ending = endInSlices(numbers, (one) => ended.push(one))
  for (const count of [500, 1_000]) {
    await expect.poll(() => paused.length).toBe(1)
    expect(ended).toHaveLength(count)
    paused.shift()?.()
  }
  await ending
  expect(ended).toEqual(numbers)
})
