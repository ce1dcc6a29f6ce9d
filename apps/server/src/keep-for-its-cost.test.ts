import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keepForItsCost } from './keep-for-its-cost.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const takesMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('who asks while it is measured, or for twenty times as long after, gets the same answer', async () => {
  let measured = 0
  const read = keepForItsCost(async () => {
    measured += 1
    const answer = measured
    await takesMs(10)
    return answer
  })
  const first = [read(null), read(null)]
  await vi.advanceTimersByTimeAsync(10)
  expect(await Promise.all(first)).toEqual([1, 1])
  await vi.advanceTimersByTimeAsync(199)
  expect(await read(null)).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  const later = read(null)
  await vi.advanceTimersByTimeAsync(10)
  expect(await later).toBe(2)
})

test('a failure is told to those who asked, and not kept', async () => {
  const answers = [Promise.reject(new Error('no database')), Promise.resolve('there')]
  const read = keepForItsCost(() => answers.shift() ?? Promise.resolve(null))
  const asked = [read(null), read(null)]
  for (const each of asked) await expect(each).rejects.toThrow('no database')
  expect(await read(null)).toBe('there')
})
