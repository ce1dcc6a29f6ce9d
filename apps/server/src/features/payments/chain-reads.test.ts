import { MINUTE_MS } from '@tocsin/protocol/durations'
import { beforeEach, expect, test } from 'vitest'
import { CALLS_PER_MINUTE, type ChainReads, createChainReads } from './chain-reads.ts'

let nowMs = 0
let reachedKeys: string[] = []
let reads: ChainReads

beforeEach(() => {
  nowMs = 1_000
  reachedKeys = []
  reads = createChainReads(() => nowMs)
})

function read(accountId: string, key: string, cost = 1): Promise<number> {
  return reads.read(accountId, key, cost, async () => reachedKeys.push(key))
}

test('chain reads: an account above its limit is refused with the time to wait, others are not', async () => {
  for (let index = 0; index < CALLS_PER_MINUTE / 4; index += 1) await read('anna', `order ${index}`, 4)
  nowMs += 2_500
  await expect(read('anna', 'another')).rejects.toMatchObject({
    code: 'too_many_requests',
    message: 'Your account reads the chain too often. Wait a little and try again.',
    details: { retryAfterSeconds: 58 },
  })
  await read('bert', 'another')
  expect(reachedKeys.at(-1)).toBe('another')
  nowMs += MINUTE_MS
  await read('anna', 'another')
})

test('chain reads: a read that costs more than the remaining calls per minute is refused without a request', async () => {
  for (let index = 0; index < CALLS_PER_MINUTE - 1; index += 1) await read('anna', `${index}`)
  const countBefore = reachedKeys.length
  await expect(read('anna', 'order', 4)).rejects.toMatchObject({ details: { retryAfterSeconds: 60 } })
  expect(reachedKeys).toHaveLength(countBefore)
})

test('chain reads: identical requests share one read, and a shared read costs nothing', async () => {
  const times = CALLS_PER_MINUTE * 2
  const values = await Promise.all(Array.from({ length: times }, () => read('anna', 'block')))
  nowMs += 999
  expect([...values, await read('bert', 'block')]).toEqual(Array(times + 1).fill(1))
  nowMs += 1
  expect(await read('anna', 'block')).toBe(2)
})

test('chain reads: a failed read is not cached', async () => {
  const failing = reads.read('anna', 'block', 1, () => Promise.reject(new Error('no response')))
  await expect(failing).rejects.toThrow('no response')
  expect(await read('anna', 'block')).toBe(1)
})

test('chain reads: a failed read removes neither a newer read of its key nor other entries', async () => {
  const rejectReads: (() => void)[] = []
  const failedReads = ['block', 'evicted'].map((key) =>
    reads.read('anna', key, 1, () => new Promise((_, reject) => rejectReads.push(() => reject(new Error('late'))))),
  )
  nowMs += 1_000
  expect(await read('anna', 'block')).toBe(1)
  for (const fail of rejectReads) fail()
  for (const each of failedReads) await expect(each).rejects.toThrow('late')
  expect(await read('anna', 'block')).toBe(1)
})

test('chain reads: a bounded number of results is cached', async () => {
  for (let index = 0; index < 1_000; index += 1) await read(`account ${index}`, `${index}`)
  await read('anna', '0')
  expect(reachedKeys).toHaveLength(1_000)
  await read('anna', '1000')
  await read('anna', '1000')
  expect(reachedKeys).toHaveLength(1_001)
  await read('anna', '0')
  expect(reachedKeys).toHaveLength(1_002)
})

test('chain reads: two tabs of an account that wait for a payment for ten minutes are never refused', async () => {
  for (let second = 0; second < 600; second += 1) {
    for (const delayMs of [0, 500]) {
      nowMs += 500
      // Each tab reads the newest block, and the receipt and transaction of the payment, every
      // second.
      for (const key of ['block', 'receipt', 'transaction']) await read('anna', key)
      if (delayMs === 0 || second % 2 === 0) await read('anna', 'order', 4)
    }
  }
  expect(reachedKeys.length).toBeGreaterThan(1_800)
})
