// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterContextProvider } from '@tanstack/react-router'
import { cleanup, render } from '@testing-library/react'
import { defaultPreferences, listPermissions } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { PulseStrip } from './pulse-strip.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

test.each([
  ['adds', 'support', 1],
  ['does not add', 'publisher', 0],
] as const)('PulseStrip: %s locked alerts for the role %s without a plan', (_what, role, requests) => {
  const fetched = vi.fn<(url: string) => Promise<Response>>(async () => Response.json([]))
  vi.stubGlobal('fetch', fetched)
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
          <PulseStrip />
        </RouterContextProvider>
      </AuthProvider>
    </QueryClientProvider>,
  )
  expect(fetched.mock.calls.filter(([url]) => url.startsWith('/api/alerts/recent?'))).toHaveLength(requests)
})
