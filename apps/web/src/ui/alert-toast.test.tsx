// @vitest-environment happy-dom
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { type ReactNode, useState } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AlertToasts, showAlertToast } from './alert-toast.tsx'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

function openToasts() {
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  return render(
    <RouterContextProvider router={router}>
      <AlertToasts listHref="/notifications" />
    </RouterContextProvider>,
  )
}

const showToast = (summary: string, action?: ReactNode) =>
  act(() =>
    showAlertToast({
      ...{ id: summary, priority: 'critical', asset: 'BTC/USDT', type: 'Price move', summary },
      ...{ at: '2026-11-21T14:32:07.000Z', href: '/a', verifyHref: '/v', action },
    }),
  )

/** Advances the timers by the 8 s for which a toast is shown, and by its fade-out. */
async function advanceTime(): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(8000))
  await act(() => vi.advanceTimersByTimeAsync(1000))
}

/** A button that is disabled and then replaced by a text. */
function OneTimeButton() {
  const [state, setState] = useState<'open' | 'pending' | 'done'>('open')
  if (state === 'done') return <span>Done</span>
  const press = () => {
    setState('pending')
    setTimeout(() => setState('done'))
  }
  return (
    <button type="button" disabled={state === 'pending'} onClick={press}>
      Press
    </button>
  )
}

test('AlertToasts: a toast disappears after 8 s, but not while a button of the toast has the focus', async () => {
  openToasts()
  showToast('First', <OneTimeButton />)
  act(() => screen.getByRole('button', { name: 'Press' }).focus())
  await advanceTime()
  expect(screen.queryByText('First')).not.toBeNull()
  act(() => screen.getByRole('button', { name: 'Press' }).blur())
  await advanceTime()
  expect(screen.queryByText('First')).toBeNull()
})

test('AlertToasts: a toast disappears after 8 s when the focused button of the toast is disabled and replaced', async () => {
  openToasts()
  showToast('First', <OneTimeButton />)
  const button = screen.getByRole('button', { name: 'Press' })
  act(() => button.focus())
  fireEvent.click(button)
  await act(() => vi.advanceTimersByTimeAsync(1))
  expect(screen.queryByText('Done')).not.toBeNull()
  await advanceTime()
  expect(screen.queryByText('First')).toBeNull()
})

test('AlertToasts: a toast disappears after 8 s when the previous toast was closed with a focused close button', async () => {
  openToasts()
  showToast('First')
  const button = screen.getByRole('button', { name: 'Close' })
  act(() => button.focus())
  fireEvent.click(button)
  showToast('Second')
  await advanceTime()
  expect(screen.queryByText('Second')).toBeNull()
})

test('AlertToasts: shows no toast that was added before the component was mounted', () => {
  const { unmount } = openToasts()
  showToast('First')
  unmount()
  showToast('Late')
  openToasts()
  expect(screen.queryAllByRole('listitem')).toEqual([])
  showToast('Second')
  expect(screen.queryByText('Second')).not.toBeNull()
})

test('AlertToasts: moves the focus to the toast region when a focused toast is closed and another toast is open', () => {
  openToasts()
  showToast('First')
  showToast('Second')
  const [button] = screen.getAllByRole('button', { name: 'Close' })
  if (!button) expect.fail('The toast has no button')
  act(() => button.focus())
  fireEvent.click(button)
  expect(document.activeElement).toBe(screen.getByRole('region', { name: /^Market alerts/ }))
})
