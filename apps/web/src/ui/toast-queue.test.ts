import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ToastQueue } from './toast-queue.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const itemsOf = (queue: ToastQueue<string>) => queue.snapshot().shown.map((entry) => entry.item)

it('shows the newest first and drops the oldest over the limit, counting it', () => {
  const queue = new ToastQueue<string>(3)
  for (const item of ['a', 'b', 'c', 'd', 'e']) queue.add(item)
  expect(itemsOf(queue)).toEqual(['e', 'd', 'c'])
  expect(queue.snapshot().dropped).toBe(2)
})

it('replaces the one toast of a limit of one', () => {
  const queue = new ToastQueue<string>(1)
  queue.add('a')
  queue.add('b')
  expect(itemsOf(queue)).toEqual(['b'])
})

it('keeps a closed toast for its exit, then removes it', () => {
  const queue = new ToastQueue<string>(3)
  const key = queue.add('a')
  queue.close(key)
  expect(queue.snapshot().shown).toMatchObject([{ key, item: 'a', open: false }])
  vi.advanceTimersByTime(1000)
  expect(queue.snapshot().shown).toEqual([])
})

it('forgets the dropped ones when nothing is open any more', () => {
  const queue = new ToastQueue<string>(1)
  queue.add('a')
  queue.close(queue.add('b'))
  expect(queue.snapshot().dropped).toBe(0)
})

it('tells its listeners until they leave', () => {
  const queue = new ToastQueue<string>(1)
  const listener = vi.fn()
  const leave = queue.subscribe(listener)
  queue.add('a')
  leave()
  queue.add('b')
  expect(listener).toHaveBeenCalledTimes(1)
})
