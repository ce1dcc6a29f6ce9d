import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cacheByCost } from './cache-by-cost.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const takesMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function createCount() {
  let measured = 0
  return cacheByCost(async () => {
    measured += 1
    const answer = measured
    await takesMs(10)
    return answer
  })
}

test('cacheByCost: returns the cached value during the measurement and for 20 times its duration', async () => {
  const read = createCount()
  const first = [read(null), read(null)]
  await vi.advanceTimersByTimeAsync(10)
  expect(await Promise.all(first)).toEqual([1, 1])
  await vi.advanceTimersByTimeAsync(199)
  expect(await read(null)).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await read(null), 'while it is measured again').toBe(1)
  expect(await read(null)).toBe(1)
  await vi.advanceTimersByTimeAsync(10)
  expect(await read(null)).toBe(2)
})

test('cacheByCost: lets callers wait when the cached value is older than 60 times its duration', async () => {
  const read = createCount()
  const first = read(null)
  await vi.advanceTimersByTimeAsync(10)
  expect(await first).toBe(1)
  await vi.advanceTimersByTimeAsync(600)
  const later = read(null)
  await vi.advanceTimersByTimeAsync(10)
  expect(await later).toBe(2)
})

test('cacheByCost: rejects waiting callers and does not cache the error when the measurement fails', async () => {
  const answers = [Promise.reject(new Error('no database')), Promise.resolve('there')]
  const read = cacheByCost(() => answers.shift() ?? Promise.resolve(null))
  const asked = [read(null), read(null)]
  for (const each of asked) await expect(each).rejects.toThrow('no database')
  expect(await read(null)).toBe('there')
})
