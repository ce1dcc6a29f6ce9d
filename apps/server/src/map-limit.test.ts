import { expect, test } from 'vitest'
import { mapLimit } from './map-limit.ts'

/** Creates work that runs until the test ends it. */
function createManualWork() {
  const running = new Map<number, { end(): void; fail(error: Error): void }>()
  const begun: number[] = []
  const work = (item: number) => {
    begun.push(item)
    return new Promise<void>((end, fail) => running.set(item, { end, fail }))
  }
  return { begun, running, work }
}

const nextTick = () => new Promise((resolve) => setImmediate(resolve))

test('mapLimit: starts at most `limit` calls at a time, in order', async () => {
  const { begun, running, work } = createManualWork()
  const all = mapLimit(2, [1, 2, 3], work)
  await nextTick()
  expect(begun).toEqual([1, 2])
  running.get(2)?.end()
  await nextTick()
  expect(begun).toEqual([1, 2, 3])
  running.get(1)?.end()
  running.get(3)?.end()
  await all
})

test('mapLimit: starts no more calls, waits for the running ones and throws the first error when a call fails', async () => {
  const { begun, running, work } = createManualWork()
  let outcome = 'waiting'
  const all = mapLimit(2, [1, 2, 3], work).catch((error: Error) => {
    outcome = error.message
  })
  await nextTick()
  running.get(1)?.fail(new Error('first'))
  await nextTick()
  expect([outcome, begun]).toEqual(['waiting', [1, 2]])
  running.get(2)?.fail(new Error('second'))
  await all
  expect([outcome, begun]).toEqual(['first', [1, 2]])
})
