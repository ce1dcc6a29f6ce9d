// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react'
import { Suspense } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { lazyLoad, untilIdle } from './lazy-load.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('lazyLoad: shows one offer to reload for as long as a component that could not be loaded is rendered', async () => {
  const reportError = vi.fn()
  vi.stubGlobal('reportError', reportError)
  const fail = () => Promise.reject(new Error('Failed to fetch dynamically imported module'))
  const [Share, Save] = [lazyLoad(fail), lazyLoad(fail)]
  const findOffers = () => screen.queryAllByRole('alert').map(({ textContent }) => textContent)
  const offer = 'Part of this page could not be loaded.Reload'

  const first = render(
    <Suspense>
      <Share />
    </Suspense>,
  )
  await expect.poll(findOffers).toEqual([offer])
  const second = render(
    <Suspense>
      <Save />
    </Suspense>,
  )
  await expect.poll(() => reportError.mock.calls.length).toBe(2)
  expect(findOffers()).toEqual([offer])
  first.unmount()
  await expect.poll(findOffers).toEqual([offer])
  second.unmount()
  expect(findOffers()).toEqual([])
  render(
    <Suspense>
      <Share />
    </Suspense>,
  )
  await expect.poll(findOffers).toEqual([offer])
})

test('untilIdle: resolves each caller in a separate idle callback', async () => {
  const requested: (() => void)[] = []
  const requestIdleCallback = (callback: () => void) => requested.push(callback)
  vi.stubGlobal('window', { requestIdleCallback })
  vi.stubGlobal('requestIdleCallback', requestIdleCallback)
  const done: string[] = []
  const first = untilIdle().then(() => done.push('first'))
  const second = untilIdle().then(() => done.push('second'))
  await expect.poll(() => requested.length).toBe(1)
  requested[0]?.()
  await first
  await expect.poll(() => requested.length).toBe(2)
  expect(done).toEqual(['first'])
  requested[1]?.()
  await second
  expect(done).toEqual(['first', 'second'])
})
