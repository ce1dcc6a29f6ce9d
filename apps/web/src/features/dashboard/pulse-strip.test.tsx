// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { cleanup, render } from '@testing-library/react'
import { type Alert, defaultPreferences, listPermissions, type Role } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { PulseStrip } from './pulse-strip.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

const old = getAlert(1, { createdAt: '2025-01-01T00:00:00.000Z' })

test.each<[what: string, role: Role, place: string, listed: Alert[], requests: number]>([
  ['requests', 'support', 'that lists older alerts', [old], 1],
  ['does not request', 'publisher', 'that lists older alerts', [old], 0],
  ['does not request', 'support', 'without listed alerts', [], 0],
])('PulseStrip: %s locked alerts for the role %s on a page %s', (_what, role, _place, listed, requests) => {
  const fetchMock = vi.fn<(url: string) => Promise<Response>>(async () => Response.json([]))
  vi.stubGlobal('fetch', fetchMock)
  const client = createQueryClient()
  // Only these fields are read.
  const user = { id: 'u1', isAdmin: true, permissions: listPermissions(role) }
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user })
  client.setQueryData(queries.activeSubscription('u1').queryKey, null)
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  client.setQueryData(queries.recentAlerts.queryKey, [])
  client.setQueryData(queries.userAlerts('u1').queryKey, [])
  const router = createRouter({ routeTree: createRootRoute(), history: createMemoryHistory() })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <RouterContextProvider router={router}>
          <PulseStrip listedAlerts={listed} />
        </RouterContextProvider>
      </AuthProvider>
    </QueryClientProvider>,
  )
  expect(fetchMock.mock.calls.filter(([url]) => url.startsWith('/api/alerts/recent?'))).toHaveLength(requests)
})
