import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cacheByCost, cacheLarge } from './stale-while-revalidate.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const key = {}
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

function createCachedCounter() {
  let measureCount = 0
  return cacheByCost(async () => {
    measureCount += 1
    const value = measureCount
    await wait(10)
    return value
  })
}

test('cacheByCost: serves a value for 20 times the time that computing it took, and while recomputing it', async () => {
  const read = createCachedCounter()
  const first = [read(key), read(key)]
  await vi.advanceTimersByTimeAsync(10)
  expect(await Promise.all(first)).toEqual([1, 1])
  await vi.advanceTimersByTimeAsync(199)
  expect(await read(key)).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(await read(key), 'while it is measured again').toBe(1)
  expect(await read(key)).toBe(1)
  await vi.advanceTimersByTimeAsync(10)
  expect(await read(key)).toBe(2)
})

test('cacheByCost: makes callers wait for a new value after 60 times the time that computing it took', async () => {
  const read = createCachedCounter()
  const first = read(key)
  await vi.advanceTimersByTimeAsync(10)
  expect(await first).toBe(1)
  await vi.advanceTimersByTimeAsync(600)
  const laterRead = read(key)
  await vi.advanceTimersByTimeAsync(10)
  expect(await laterRead).toBe(2)
})

test('cacheByCost: rejects waiting callers and does not cache the error when the computation fails', async () => {
  const results = [Promise.reject(new Error('no database')), Promise.resolve('there')]
  const read = cacheByCost(() => results.shift() ?? Promise.resolve(null))
  const reads = [read(key), read(key)]
  for (const each of reads) await expect(each).rejects.toThrow('no database')
  expect(await read(key)).toBe('there')
})

/**
 * Creates a cached read whose values are numbered from 1. `size` returns the size of a value. Only
 * values with a size of more than 100 are cached.
 */
function createReader(size: () => number) {
  let clockMs = 0
  let readCount = 0
  const limits = {
    isLarge: (value: { number: number; size: number }) => value.size > 100,
    freshMs: 1_000,
    staleMs: 5_000,
  }
  const read = async () => {
    readCount += 1
    return { number: readCount, size: size() }
  }
  const readCached = cacheLarge(limits, read, () => clockMs)
  return {
    ask: async () => (await readCached(key)).number,
    reads: () => readCount,
    pass(ms: number) {
      clockMs += ms
    },
  }
}

test('cacheLarge: does not cache a small result', async () => {
  const { ask } = createReader(() => 100)
  expect([await ask(), await ask(), await ask()]).toEqual([1, 2, 3])
})

test('cacheLarge: serves the cached result up to its maximum age and refreshes it in the background', async () => {
  const { ask, pass, reads } = createReader(() => 101)
  expect([await ask(), await ask()]).toEqual([1, 1])
  pass(1_001)
  expect(await ask(), 'the old one once more').toBe(1)
  await expect.poll(reads).toBe(2)
  expect(await ask()).toBe(2)
  pass(5_001)
  expect(await ask(), 'too old').toBe(3)
})

test('cacheLarge: stops caching when a refreshed result is small', async () => {
  let size = 500
  const { ask, pass } = createReader(() => size)
  await ask()
  size = 1
  pass(5_001)
  expect([await ask(), await ask()]).toEqual([2, 3])
})
