import { expect, test, vi } from 'vitest'
import { createSemaphore } from '../semaphore.ts'
import { streamChunks } from './chunk-stream.ts'

async function* chunks(made: string[], ended: () => void) {
  try {
    for (const chunk of ['a', 'b', 'c', 'd', 'e', 'f']) {
      made.push(chunk)
      yield chunk
    }
  } finally {
    ended()
  }
}

test('streamChunks: delivers everything and closes once', async () => {
  const [ended, close] = [vi.fn(), vi.fn()]
  const stream = streamChunks(chunks([], ended), 60_000, close)
  const read: string[] = []
  for await (const chunk of stream) read.push(String(chunk))
  expect(read.join('')).toBe('abcdef')
  await expect.poll(() => close).toHaveBeenCalledTimes(1)
  expect(ended).toHaveBeenCalledTimes(1)
})

test('streamChunks: disconnects a stalled reader and stops generating', async () => {
  const [ended, close] = [vi.fn(), vi.fn()]
  const made: string[] = []
  const stream = streamChunks(chunks(made, ended), 20, close)
  const failure = new Promise<Error>((resolve) => stream.once('error', resolve))
  stream.read(0)
  expect((await failure).message).toContain('Nothing was read')
  await expect.poll(() => close).toHaveBeenCalledTimes(1)
  await expect.poll(() => ended).toHaveBeenCalledTimes(1)
  expect(made.length).toBeLessThan(6)
})

test('streamChunks: closes immediately when the reader disconnects', async () => {
  const close = vi.fn()
  const stream = streamChunks(
    chunks([], () => {}),
    60_000,
    close,
  )
  stream.destroy()
  await expect.poll(() => close).toHaveBeenCalledTimes(1)
})

test('createSemaphore: queues work beyond the limit, even when work fails', async () => {
  const inSlot = createSemaphore(2)
  const log: string[] = []
  const work = (name: string, fails = false) =>
    inSlot(async () => {
      log.push(name)
      await new Promise((resolve) => setImmediate(resolve))
      if (fails) throw new Error(name)
      return name
    })
  const all = Promise.allSettled([work('one', true), work('two'), work('three', true), work('four'), work('five')])
  expect(log).toEqual(['one', 'two'])
  const outcomes = await all
  expect(log).toEqual(['one', 'two', 'three', 'four', 'five'])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})
