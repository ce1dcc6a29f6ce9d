import type { TestContext } from '@tocsin/testkit'
import { beforeEach, expect, test } from 'vitest'
import { shareHistory } from './share-history.ts'

/** Nothing here reads it. */
const ctx = {} as TestContext['ctx']

let asked: string[]
let fanOuts: number
let fails: boolean
let history: ReturnType<typeof shareHistory>

beforeEach(() => {
  asked = []
  fanOuts = 0
  fails = false
  const answer = async (question: string) => {
    asked.push(question)
    if (fails) throw new Error('No database')
    return asked.length
  }
  history = shareHistory(
    {
      resumePoint: (_ctx, lastIndex) => answer(`after ${lastIndex}`),
      lastDeliverySeq: () => answer('last'),
      loadDeliveries: async (_ctx, afterSeq, limit) => {
        await answer(`${limit} from ${afterSeq}`)
        return []
      },
    },
    () => fanOuts,
  )
})

test('those who ask the same before anything was fanned out get one answer, also while it is on its way', async () => {
  const answers = [history.resumePoint(ctx, 7), history.resumePoint(ctx, 7), history.resumePoint(ctx, 8)]
  expect(await Promise.all(answers)).toEqual([1, 1, 2])
  expect(await history.lastDeliverySeq(ctx)).toBe(await history.lastDeliverySeq(ctx))
  await history.loadDeliveries(ctx, 5, 100)
  await history.loadDeliveries(ctx, 5, 100)
  await history.loadDeliveries(ctx, 5, 50)
  expect(asked).toEqual(['after 7', 'after 8', 'last', '100 from 5', '50 from 5'])
})

test('after a fan-out it is asked anew: whoever came before would not be sent what the old answer lacks', async () => {
  expect(await history.resumePoint(ctx, 7)).toBe(1)
  fanOuts += 1
  expect(await history.resumePoint(ctx, 7)).toBe(2)
})

test('an answer that is overtaken while it is on its way is not given to those who come later', async () => {
  const early = history.lastDeliverySeq(ctx)
  fanOuts += 1
  expect([await history.lastDeliverySeq(ctx), await early]).toEqual([2, 1])
})

test('a failure is not kept', async () => {
  fails = true
  await expect(history.lastDeliverySeq(ctx)).rejects.toThrow('No database')
  fails = false
  expect(await history.lastDeliverySeq(ctx)).toBe(2)
})

test('of very many different questions the answers are not all kept', async () => {
  for (let index = 0; index < 150; index++) await history.resumePoint(ctx, index)
  await history.resumePoint(ctx, 149)
  expect(asked).toHaveLength(150)
  await history.resumePoint(ctx, 0)
  expect(asked).toHaveLength(151)
})
