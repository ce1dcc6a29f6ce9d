import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ToastQueue } from './toast-queue.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const getItems = (queue: ToastQueue<string>) => queue.snapshot().shown.map((entry) => entry.item)

it('ToastQueue: shows the newest toast first, and drops and counts the oldest toasts above the limit', () => {
  const queue = new ToastQueue<string>(3)
  for (const item of ['a', 'b', 'c', 'd', 'e']) queue.add(item)
  expect(getItems(queue)).toEqual(['e', 'd', 'c'])
  expect(queue.snapshot().droppedCount).toBe(2)
})

it('ToastQueue: replaces the toast when the limit is one', () => {
  const queue = new ToastQueue<string>(1)
  queue.add('a')
  queue.add('b')
  expect(getItems(queue)).toEqual(['b'])
})

it('ToastQueue: keeps a closed toast during its exit animation, then removes it', () => {
  const queue = new ToastQueue<string>(3)
  const key = queue.add('a')
  queue.close(key)
  expect(queue.snapshot().shown).toMatchObject([{ key, item: 'a', open: false }])
  vi.advanceTimersByTime(1000)
  expect(queue.snapshot().shown).toEqual([])
})

it('ToastQueue: resets the dropped count when no toast is open', () => {
  const queue = new ToastQueue<string>(1)
  queue.add('a')
  queue.close(queue.add('b'))
  expect(queue.snapshot().droppedCount).toBe(0)
})

it('ToastQueue: notifies listeners until they unsubscribe', () => {
  const queue = new ToastQueue<string>(1)
  const listener = vi.fn()
  const unsubscribe = queue.subscribe(listener)
  queue.add('a')
  unsubscribe()
  queue.add('b')
  expect(listener).toHaveBeenCalledTimes(1)
})
