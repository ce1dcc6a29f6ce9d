import type { TestContext } from '@tocsin/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { cacheHistoryReads } from './cache-history-reads.ts'

const notifications = { catchUp: async () => queries.push('notifications') > 0 }
// The cast is safe, because the functions under test read nothing else of the context.
const ctx = { notifications } as unknown as TestContext['ctx']

let queries: string[]
let fanOuts: number
let isFailing: boolean
let history: ReturnType<typeof cacheHistoryReads>

beforeEach(() => {
  // Stop the clock: results are cached for a second, and a busy machine can pause the test for
  // longer.
  vi.spyOn(performance, 'now').mockReturnValue(0)
  queries = []
  fanOuts = 0
  isFailing = false
  const recordQuery = async (queryText: string) => {
    queries.push(queryText)
    if (isFailing) throw new Error('No database')
    return queries.length
  }
  history = cacheHistoryReads(
    {
      findResumeSeq: (_ctx, lastIndex) => recordQuery(`after ${lastIndex}`),
      findLastDeliverySeq: () => recordQuery('last'),
      loadDeliveries: async (_ctx, afterSeq, limit) => {
        await recordQuery(`${limit} from ${afterSeq}`)
        return []
      },
    },
    () => fanOuts,
  )
})

afterEach(() => {
  vi.restoreAllMocks()
})

test('cacheHistoryReads: identical queries between two fan-outs share one result, even while the query runs', async () => {
  const resumePoints = [history.findResumeSeq(ctx, 7), history.findResumeSeq(ctx, 7), history.findResumeSeq(ctx, 8)]
  expect(await Promise.all(resumePoints)).toEqual([1, 1, 2])
  expect(await history.findLastDeliverySeq(ctx)).toBe(await history.findLastDeliverySeq(ctx))
  await history.loadDeliveries(ctx, 5, 100)
  await history.loadDeliveries(ctx, 5, 100)
  await history.loadDeliveries(ctx, 5, 50)
  const pageQueries = ['100 from 5', 'notifications', '50 from 5', 'notifications']
  expect(queries).toEqual(['after 7', 'after 8', 'last', ...pageQueries])
})

test('cacheHistoryReads: a fan-out invalidates a cached result, because the result lacks the new alerts', async () => {
  expect(await history.findResumeSeq(ctx, 7)).toBe(1)
  fanOuts += 1
  expect(await history.findResumeSeq(ctx, 7)).toBe(2)
})

test('cacheHistoryReads: does not reuse a result when a fan-out happened during its query', async () => {
  const early = history.findLastDeliverySeq(ctx)
  fanOuts += 1
  expect([await history.findLastDeliverySeq(ctx), await early]).toEqual([2, 1])
})

test('cacheHistoryReads: does not cache a failed query', async () => {
  isFailing = true
  await expect(history.findLastDeliverySeq(ctx)).rejects.toThrow('No database')
  isFailing = false
  expect(await history.findLastDeliverySeq(ctx)).toBe(2)
})

test('cacheHistoryReads: caches a bounded number of results', async () => {
  for (let index = 0; index < 150; index++) await history.findResumeSeq(ctx, index)
  await history.findResumeSeq(ctx, 149)
  expect(queries).toHaveLength(150)
  await history.findResumeSeq(ctx, 0)
  expect(queries).toHaveLength(151)
})
