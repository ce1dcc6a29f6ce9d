import { expect, test } from 'vitest'
import { coalesce } from './coalesce.ts'

const limits = { maxBatchSize: 3, pauseMs: 0 }

test('coalesce: concurrent calls share batches of at most `maxBatchSize` keys, and each gets its own value', async () => {
  const batches: number[][] = []
  let openGate = () => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  const double = coalesce(limits, async (keys: number[]) => {
    batches.push(keys)
    if (batches.length === 1) await gate
    return keys.map((key) => key * 2)
  })
  const firstCalls = [double(1), double(2)]
  await expect.poll(() => batches.length).toBe(1)
  const laterCalls = [3, 4, 5, 6].map(double)
  openGate()
  expect(await Promise.all([...firstCalls, ...laterCalls])).toEqual([2, 4, 6, 8, 10, 12])
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]])
})

test('coalesce: a call made after a batch has started is read in the next batch', async () => {
  let currentValue = 'old'
  const read = coalesce(limits, async (keys: string[]) => {
    const seen = currentValue
    await null
    return keys.map(() => seen)
  })
  const earlyRead = read('a')
  await Promise.resolve()
  await Promise.resolve()
  currentValue = 'new'
  expect([await earlyRead, await read('b')]).toEqual(['old', 'new'])
})

test.each<[string, () => Promise<number[]>, RegExp]>([
  ['fails', async () => Promise.reject(new Error('No database')), /No database/],
  ['returns too few values', async () => [], /wrong number of values/],
])('coalesce: a batch that %s rejects only its own calls', async (_name, loadBatch, reason) => {
  let batchCount = 0
  const ask = coalesce(limits, async (keys: number[]) => (batchCount++ === 0 ? loadBatch() : keys))
  const outcomes = await Promise.allSettled([ask(1), ask(2)])
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(reason) } })
  }
  expect(await ask(3)).toBe(3)
})
