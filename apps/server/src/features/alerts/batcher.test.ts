import { expect, test } from 'vitest'
import { createBatcher, type Outcome } from './batcher.ts'

/** Creates a batcher whose runs finish when the test calls `end` or `fail`. */
function createControlledBatcher(maxBatchSize = 3) {
  const runs: { items: string[]; end(outcomes?: Outcome<string>[]): void; fail(error: Error): void }[] = []
  const add = createBatcher<string, string>(
    maxBatchSize,
    (items) =>
      new Promise((resolve, reject) => {
        runs.push({
          items,
          end: (outcomes = items.map((item) => ({ value: item.toUpperCase() }))) => resolve(outcomes),
          fail: reject,
        })
      }),
  )
  return { add, runs }
}

const settleAll = (promises: Promise<string>[]) => Promise.allSettled(promises)

test('batcher: runs the first item immediately and batches later ones in order, up to the limit', async () => {
  const { add, runs } = createControlledBatcher()
  const first = add('a')
  expect(runs.map(({ items }) => items)).toEqual([['a']])
  const others = ['b', 'c', 'd', 'e'].map(add)
  expect(runs).toHaveLength(1)
  runs[0]?.end()
  expect(await first).toBe('A')
  await expect.poll(() => runs[1]?.items).toEqual(['b', 'c', 'd'])
  runs[1]?.end()
  await expect.poll(() => runs[2]?.items).toEqual(['e'])
  runs[2]?.end()
  expect(await Promise.all(others)).toEqual(['B', 'C', 'D', 'E'])
})

test('batcher: rejects only the items whose own outcome is a failure or whose batch throws', async () => {
  const { add, runs } = createControlledBatcher()
  const a = settleAll([add('a')])
  const second = settleAll(['b', 'c', 'd'].map(add))
  const last = settleAll([add('e')])
  runs[0]?.end([{ failure: new Error('refused') }])
  expect(await a).toMatchObject([{ status: 'rejected', reason: { message: 'refused' } }])
  await expect.poll(() => runs).toHaveLength(2)
  runs[1]?.fail(new Error('gone'))
  expect((await second).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  await expect.poll(() => runs).toHaveLength(3)
  runs[2]?.end()
  expect(await last).toEqual([{ status: 'fulfilled', value: 'E' }])
})

test('batcher: rejects an item when the batch returns no outcome for the item', async () => {
  const { add, runs } = createControlledBatcher()
  const pendingAdd = settleAll([add('a')])
  runs[0]?.end([])
  expect((await pendingAdd)[0]).toMatchObject({ status: 'rejected' })
})
