// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'
import { waitUntilIdle } from '../../ui/lazy-load.tsx'
import { waitUntilIdleOrScrolled } from './until-scrolled.ts'

afterEach(() => vi.unstubAllGlobals())

test('waitUntilIdleOrScrolled: resolves when the page is scrolled although the browser is not idle', async () => {
  // A wait of an earlier file would call the stubbed function first.
  await waitUntilIdle()
  const requestIdleCallback = vi.fn<(callback: () => void) => number>(() => 0)
  vi.stubGlobal('requestIdleCallback', requestIdleCallback)
  const shownParts: string[] = []
  const idleOrScrolled = waitUntilIdleOrScrolled().then(() => shownParts.push('shown'))
  await expect.poll(() => requestIdleCallback.mock.calls).toHaveLength(1)
  expect(shownParts).toEqual([])
  window.dispatchEvent(new Event('scroll'))
  await idleOrScrolled
  vi.stubGlobal('scrollY', 300)
  await waitUntilIdleOrScrolled()
  expect(requestIdleCallback).toHaveBeenCalledTimes(1)
  // Run the pending idle callback, because later calls of `waitUntilIdle` wait until it has run.
  requestIdleCallback.mock.calls[0]?.[0]()
})
