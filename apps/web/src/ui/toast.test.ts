import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { dismissToastsOnNavigation, systemToasts, toast } from './toast.tsx'

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

it('dismissToastsOnNavigation: closes a toast immediately when it was open long enough to read', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(3_000)
  dismissToastsOnNavigation()
  vi.advanceTimersByTime(0)
  expect(openTitles()).toEqual([])
})

it('dismissToastsOnNavigation: closes a toast that is 1 s old only when the toast has been open for 3 s', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(1_000)
  dismissToastsOnNavigation()
  vi.advanceTimersByTime(1_999)
  expect(openTitles()).toEqual(['Alert Created'])
  vi.advanceTimersByTime(1)
  expect(openTitles()).toEqual([])
})

it('dismissToastsOnNavigation: does not close a toast that was added just before the navigation', () => {
  toast({ title: 'Password changed' })
  vi.advanceTimersByTime(999)
  dismissToastsOnNavigation()
  vi.advanceTimersByTime(60_000)
  expect(openTitles()).toEqual(['Password changed'])
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

it('dismissToastsOnNavigation: does not close a toast that was added on the next page', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(2_000)
  dismissToastsOnNavigation()
  toast({ title: 'Role Changed' })
  vi.advanceTimersByTime(60_000)
  expect(openTitles()).toEqual(['Role Changed'])
})
