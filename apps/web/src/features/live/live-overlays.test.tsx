// @vitest-environment happy-dom
import { QueryClientProvider, useQuery } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { defaultPreferences, type Preferences } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { useSavePreferences } from '../../session/preferences.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { announcements } from './announcements.ts'
import { holdFocusLock } from './focus-lock.ts'
import { LiveOverlays } from './live-overlays.tsx'

const report = vi.fn()

beforeEach(() => vi.stubGlobal('reportError', report))
afterEach(() => {
  cleanup()
  report.mockReset()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

const failedResponse = async () => new Response('', { status: 503 })

/** Opens the overlays of a signed-in account, without auto-verify. */
function openOverlays(changedPreferences: Partial<Preferences> = {}, children?: ReactNode) {
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, { ...defaultPreferences, autoVerify: false, ...changedPreferences })
  client.setQueryData(queries.recentAlerts.queryKey, [])
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  return render(
    <QueryClientProvider client={client}>
      <RouterContextProvider router={router}>
        <LiveOverlays />
        {children}
      </RouterContextProvider>
    </QueryClientProvider>,
  )
}

test('LiveOverlays: announces an alert and reports the error when the announcement of the alert before it fails', async () => {
  vi.stubGlobal('fetch', failedResponse)
  openOverlays()
  const failure = new Error('Failed on purpose')
  vi.spyOn(document, 'hasFocus').mockImplementationOnce(() => {
    throw failure
  })
  act(() => {
    announcements.push({ kind: 'alert', alert: getAlert(1, { asset: 'BTC/USDT' }) })
    announcements.push({ kind: 'alert', alert: getAlert(2, { asset: 'ETH/USDT' }) })
  })
  expect(await screen.findByText('ETH/USDT')).toBeDefined()
  expect(screen.queryByText('BTC/USDT')).toBeNull()
  expect(report.mock.calls).toEqual([[failure]])
})

/** Replaces browser notifications. Returns the titles of those that the page shows. */
function recordNotifications(): string[] {
  const titles: string[] = []
  class FakeNotification {
    static permission = 'granted'
    constructor(title: string) {
      titles.push(title)
    }
  }
  vi.stubGlobal('Notification', FakeNotification)
  return titles
}

/** Shared locks, which a browser keeps for all tabs of a site. */
function stubLocks() {
  const heldLocks = new Set<{ name: string }>()
  const locks = {
    async request(name: string, _options: object, run: () => Promise<void>): Promise<void> {
      const lock = { name }
      heldLocks.add(lock)
      await run()
      heldLocks.delete(lock)
    },
    query: async () => ({ held: [...heldLocks] }),
  }
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(navigator, 'locks'))
  return locks
}

test('LiveOverlays: shows no browser notification of an alert when another tab is in use', async () => {
  const titles = recordNotifications()
  const locks = stubLocks()
  vi.stubGlobal('fetch', failedResponse)
  const hasFocus = vi.spyOn(document, 'hasFocus').mockReturnValue(true)
  // The other tab has the focus until its blur event.
  onTestFinished(holdFocusLock())
  hasFocus.mockReturnValue(false)
  openOverlays({ browserNotifications: true })
  act(() => announcements.push({ kind: 'alert', alert: getAlert(1, { asset: 'BTC/USDT' }) }))
  await screen.findByText('BTC/USDT')
  expect(titles).toEqual([])
  act(() => void window.dispatchEvent(new Event('blur')))
  await expect.poll(locks.query).toEqual({ held: [] })
  act(() => announcements.push({ kind: 'alert', alert: getAlert(2, { asset: 'ETH/USDT' }) }))
  await screen.findByText('ETH/USDT')
  expect(titles).toEqual([expect.stringContaining('ETH/USDT')])
})

test('LiveOverlays: shows no notification of an alert that still waits when the account logs out', async () => {
  const titles = recordNotifications()
  vi.stubGlobal('fetch', failedResponse)
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
  const { unmount } = openOverlays({ browserNotifications: true })
  announcements.push({ kind: 'alert', alert: getAlert(1, { asset: 'BTC/USDT' }) })
  unmount()
  openOverlays({ browserNotifications: true })
  act(() => announcements.push({ kind: 'alert', alert: getAlert(2, { asset: 'ETH/USDT' }) }))
  await screen.findByText('ETH/USDT')
  expect(titles).toEqual([expect.stringContaining('ETH/USDT')])
})

function Views() {
  const { data: views = [] } = useQuery(alertQueries.views)
  const savePreferences = useSavePreferences()
  return (
    <>
      <button type="button" onClick={() => savePreferences({ density: 'compact' }, () => new Promise(() => {}))}>
        Save
      </button>
      {views.map(({ name }) => (
        <p key={name}>{name}</p>
      ))}
    </>
  )
}

test('LiveOverlays: shows a view that another tab adds while this tab saves a preference', async () => {
  const views = [{ name: 'Majors' }]
  vi.stubGlobal('fetch', async (url: string) =>
    url.includes('/alert-views') ? Response.json(views) : failedResponse(),
  )
  openOverlays({}, <Views />)
  await screen.findByText('Majors')
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  views.push({ name: 'Urgent' })
  const otherTab = new BroadcastChannel('tocsin')
  onTestFinished(() => otherTab.close())
  otherTab.postMessage('preferences')
  expect(await screen.findByText('Urgent')).toBeDefined()
})

test('LiveOverlays: reports the error and still shows the toast when the tone of an alert cannot be played', async () => {
  const failure = new Error('No audio device')
  class FakeAudioContext {
    constructor() {
      throw failure
    }
  }
  vi.stubGlobal('AudioContext', FakeAudioContext)
  vi.stubGlobal('fetch', failedResponse)
  openOverlays({ sound: true, soundFrom: 'low' })
  act(() => announcements.push({ kind: 'alert', alert: getAlert(1, { asset: 'BTC/USDT' }) }))
  expect(await screen.findByText('BTC/USDT')).toBeDefined()
  await expect.poll(() => report.mock.calls).toEqual([[failure]])
})
