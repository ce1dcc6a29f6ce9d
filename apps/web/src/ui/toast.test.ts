import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dismissReadToasts, systemToasts, toast } from './toast.tsx'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

const openTitles = () =>
  systemToasts
    .snapshot()
    .shown.filter(({ open }) => open)
    .map(({ item }) => item.title)

it('dismissReadToasts: closes a toast immediately when it was open long enough to read', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(3_000)
  dismissReadToasts()
  vi.advanceTimersByTime(0)
  expect(openTitles()).toEqual([])
})

it('dismissReadToasts: keeps a newer toast open until it was open long enough to read', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(1_000)
  dismissReadToasts()
  vi.advanceTimersByTime(1_999)
  expect(openTitles()).toEqual(['Alert Created'])
  vi.advanceTimersByTime(1)
  expect(openTitles()).toEqual([])
})

it('dismissReadToasts: does not close a toast that was added just before the navigation', () => {
  toast({ title: 'Password changed' })
  vi.advanceTimersByTime(999)
  dismissReadToasts()
  vi.advanceTimersByTime(60_000)
  expect(openTitles()).toEqual(['Password changed'])
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

it('dismissReadToasts: does not close a toast that was added on the next page', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(2_000)
  dismissReadToasts()
  toast({ title: 'Role Changed' })
  vi.advanceTimersByTime(60_000)
  expect(openTitles()).toEqual(['Role Changed'])
})
