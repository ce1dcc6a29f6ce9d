import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { leaveToasts, systemToasts, toast } from './toast.tsx'

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

it('one that has been read goes with the page that it is about', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(3_000)
  leaveToasts()
  vi.advanceTimersByTime(0)
  expect(openTitles()).toEqual([])
})

it('one that nobody can have read yet stays until then', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(1_000)
  leaveToasts()
  vi.advanceTimersByTime(1_999)
  expect(openTitles()).toEqual(['Alert Created'])
  vi.advanceTimersByTime(1)
  expect(openTitles()).toEqual([])
})

it('one that tells of the very step away from the page stays as long as any', () => {
  toast({ title: 'Password changed' })
  vi.advanceTimersByTime(999)
  leaveToasts()
  vi.advanceTimersByTime(60_000)
  expect(openTitles()).toEqual(['Password changed'])
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

it('what comes on the next page is not taken for what was said on the last', () => {
  toast({ title: 'Alert Created' })
  vi.advanceTimersByTime(2_000)
  leaveToasts()
  toast({ title: 'Role Changed' })
  vi.advanceTimersByTime(60_000)
  expect(openTitles()).toEqual(['Role Changed'])
})
