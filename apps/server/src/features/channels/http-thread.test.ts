import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startInSlot } from './http-thread.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('startInSlot: 64 requests run at once, and slow ones leave room for others after 100 ms', async () => {
  let begun = 0
  const ends: (() => void)[] = []
  const start = () =>
    startInSlot(async () => {
      begun += 1
      await new Promise<void>((resolve) => ends.push(resolve))
      return begun
    })
  const answers = Array.from({ length: 140 }, start)
  await vi.advanceTimersByTimeAsync(99)
  expect(begun).toBe(64)
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(0)
  expect(begun).toBe(65)
  await vi.advanceTimersByTimeAsync(1)
  expect(begun).toBe(128)
  await vi.advanceTimersByTimeAsync(100)
  expect(begun).toBe(140)
  for (const end of ends) end()
  expect(await Promise.all(answers)).toHaveLength(140)
})

test('startInSlot: a request that fails leaves its place', async () => {
  const refuse = () => startInSlot(() => Promise.reject(new Error('refused')))
  const results = await Promise.allSettled(Array.from({ length: 100 }, refuse))
  expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 'rejected'))
})
