import { expect, test, vi } from 'vitest'
import { createSemaphore } from '../semaphore.ts'
import { streamChunks } from './chunk-stream.ts'

async function* createChunks(madeChunks: string[], ended: () => void) {
  try {
    for (const chunk of ['a', 'b', 'c', 'd', 'e', 'f']) {
      madeChunks.push(chunk)
      yield chunk
    }
  } finally {
    ended()
  }
}

test('streamChunks: delivers all chunks and calls the close callback once', async () => {
  const [onEnd, close] = [vi.fn(), vi.fn()]
  const stream = streamChunks(createChunks([], onEnd), 60_000, close)
  const readChunks: string[] = []
  for await (const chunk of stream) readChunks.push(String(chunk))
  expect(readChunks.join('')).toBe('abcdef')
  await expect.poll(() => close).toHaveBeenCalledTimes(1)
  expect(onEnd).toHaveBeenCalledTimes(1)
})

test('streamChunks: disconnects a stalled reader and stops generating', async () => {
  const [onEnd, close] = [vi.fn(), vi.fn()]
  const madeChunks: string[] = []
  const stream = streamChunks(createChunks(madeChunks, onEnd), 20, close)
  const failure = new Promise<Error>((resolve) => stream.once('error', resolve))
  stream.read(0)
  expect((await failure).message).toContain('Nothing was read')
  await expect.poll(() => close).toHaveBeenCalledTimes(1)
  await expect.poll(() => onEnd).toHaveBeenCalledTimes(1)
  expect(madeChunks.length).toBeLessThan(6)
})

test('streamChunks: calls the close callback once when the reader disconnects', async () => {
  const close = vi.fn()
  const stream = streamChunks(
    createChunks([], () => {}),
    60_000,
    close,
  )
  stream.destroy()
  await expect.poll(() => close).toHaveBeenCalledTimes(1)
})

test('createSemaphore: queues work beyond the limit, even when work fails', async () => {
  const inSlot = createSemaphore(2)
  const log: string[] = []
  const runWork = (name: string, fails = false) =>
    inSlot(async () => {
      log.push(name)
      await new Promise((resolve) => setImmediate(resolve))
      if (fails) throw new Error(name)
      return name
    })
  const allWork = Promise.allSettled([
    runWork('one', true),
    runWork('two'),
    runWork('three', true),
    runWork('four'),
    runWork('five'),
  ])
  expect(log).toEqual(['one', 'two'])
  const outcomes = await allWork
  expect(log).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})
