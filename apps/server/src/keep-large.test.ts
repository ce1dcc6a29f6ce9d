import { expect, test } from 'vitest'
import { keepLarge } from './keep-large.ts'

/** Answers with the number of the read. `size` decides whether it is kept. */
function reader(size: () => number) {
  let clockMs = 0
  let reads = 0
  const limits = {
    isLarge: (value: { number: number; size: number }) => value.size > 100,
    freshMs: 1_000,
    staleMs: 5_000,
  }
  const read = async () => {
    reads += 1
    return { number: reads, size: size() }
  }
  const ask = keepLarge(limits, read, () => clockMs)
  const key = {}
  return {
    ask: async () => (await ask(key)).number,
    reads: () => reads,
    pass(ms: number) {
      clockMs += ms
    },
  }
}

test('keepLarge: reads each time while the result is small', async () => {
  const { ask } = reader(() => 100)
  expect([await ask(), await ask(), await ask()]).toEqual([1, 2, 3])
})

test('keepLarge: answers with the kept result, renews it behind the caller, and not after its age', async () => {
  const { ask, pass, reads } = reader(() => 101)
  expect([await ask(), await ask()]).toEqual([1, 1])
  pass(1_001)
  expect(await ask(), 'the old one once more').toBe(1)
  await expect.poll(reads).toBe(2)
  expect(await ask()).toBe(2)
  pass(5_001)
  expect(await ask(), 'too old').toBe(3)
})

test('keepLarge: reads each time again when the result has become small', async () => {
  let size = 500
  const { ask, pass } = reader(() => size)
  await ask()
  size = 1
  pass(5_001)
  expect([await ask(), await ask()]).toEqual([2, 3])
})
