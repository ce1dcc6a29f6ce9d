// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { lazyLoad, waitUntilIdle } from './lazy-load.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('lazyLoad: shows exactly one reload prompt while any component that failed to load is rendered', async () => {
  const reportError = vi.fn()
  vi.stubGlobal('reportError', reportError)
  const failToLoad = () => Promise.reject(new Error('Failed to fetch dynamically imported module'))
  const [Share, Save] = [lazyLoad(failToLoad), lazyLoad(failToLoad)]
  const listAlertTexts = () => screen.queryAllByRole('alert').map(({ textContent }) => textContent)
  const reloadOffer = 'Part of this page could not be loaded.Reload'

  const first = render(
    <Suspense>
      <Share />
    </Suspense>,
  )
  await expect.poll(listAlertTexts).toEqual([reloadOffer])
  const secondRender = render(
    <Suspense>
      <Save />
    </Suspense>,
  )
  await expect.poll(() => reportError.mock.calls.length).toBe(2)
  expect(listAlertTexts()).toEqual([reloadOffer])
  first.unmount()
  await expect.poll(listAlertTexts).toEqual([reloadOffer])
  secondRender.unmount()
  expect(listAlertTexts()).toEqual([])
  render(
    <Suspense>
      <Share />
    </Suspense>,
  )
  await expect.poll(listAlertTexts).toEqual([reloadOffer])
})

test('waitUntilIdle: resolves each caller in a separate idle callback', async () => {
  // A wait of an earlier file would call the stubbed function first.
  await waitUntilIdle()
  const idleCallbacks: (() => void)[] = []
  const requestIdleCallback = (callback: () => void) => idleCallbacks.push(callback)
  vi.stubGlobal('window', { requestIdleCallback })
  vi.stubGlobal('requestIdleCallback', requestIdleCallback)
  const doneCallers: string[] = []
  const first = waitUntilIdle().then(() => doneCallers.push('first'))
  const secondCaller = waitUntilIdle().then(() => doneCallers.push('second'))
  await expect.poll(() => idleCallbacks.length).toBe(1)
  idleCallbacks[0]?.()
  await first
  await expect.poll(() => idleCallbacks.length).toBe(2)
  expect(doneCallers).toEqual(['first'])
  idleCallbacks[1]?.()
  await secondCaller
  expect(doneCallers).toEqual(['first', 'second'])
})
