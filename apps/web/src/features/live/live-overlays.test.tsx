// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen } from '@testing-library/react'
import { defaultPreferences } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { announcements } from './announcements.ts'
import { LiveOverlays } from './live-overlays.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('LiveOverlays: announces an alert and reports the error when the announcement of the alert before it fails', async () => {
  const report = vi.fn()
  vi.stubGlobal('reportError', report)
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, { ...defaultPreferences, autoVerify: false })
  client.setQueryData(queries.recentAlerts.queryKey, [])
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={client}>
      <RouterContextProvider router={router}>
        <LiveOverlays />
      </RouterContextProvider>
    </QueryClientProvider>,
  )
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
