import { expect, test } from 'vitest'
import { sideBySide } from './side-by-side.ts'

/** Work that lasts until it is ended by hand. */
function openWork() {
  const running = new Map<number, { end(): void; fail(error: Error): void }>()
  const begun: number[] = []
  const work = (item: number) => {
    begun.push(item)
    return new Promise<void>((end, fail) => running.set(item, { end, fail }))
  }
  return { begun, running, work }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test('begins no more than so many at a time, in their order', async () => {
  const { begun, running, work } = openWork()
  const all = sideBySide(2, [1, 2, 3], work)
  await settle()
  expect(begun).toEqual([1, 2])
  running.get(2)?.end()
  await settle()
  expect(begun).toEqual([1, 2, 3])
  running.get(1)?.end()
  running.get(3)?.end()
  await all
})

test('after a failure begins nothing more, waits for what runs, and throws the first', async () => {
  const { begun, running, work } = openWork()
  let outcome = 'waiting'
  const all = sideBySide(2, [1, 2, 3], work).catch((error: Error) => {
    outcome = error.message
  })
  await settle()
  running.get(1)?.fail(new Error('first'))
  await settle()
  expect([outcome, begun]).toEqual(['waiting', [1, 2]])
  running.get(2)?.fail(new Error('second'))
  await all
  expect([outcome, begun]).toEqual(['first', [1, 2]])
})
