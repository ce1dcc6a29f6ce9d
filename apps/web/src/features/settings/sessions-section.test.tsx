// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { AccountSession } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { isLogoutPending } from '../../api/pending-logout.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { SessionsSection } from './sessions-section.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

test('SessionsSection: “Log out” marks the logout before it leaves the page', async () => {
  const session: AccountSession = {
    ...{ id: 's-1', isCurrent: true, device: 'Firefox on Linux', method: 'password', place: null },
    ...{ createdAt: '2026-11-24T12:00:00.000Z', lastSeenAt: '2026-11-24T12:00:00.000Z', remembered: false },
  }
  vi.stubGlobal('fetch', async (url: string) =>
    Response.json(url === '/api/auth/sessions' ? [session] : { success: true, message: '' }),
  )
  const states: boolean[] = []
  const rootRoute = createRootRoute()
  const settingsRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: paths.settings,
    component: SessionsSection,
  })
  const homeRoute = createRoute({
    getParentRoute: () => rootRoute,
    path: paths.home,
    beforeLoad: () => void states.push(isLogoutPending()),
    component: () => <p>Home</p>,
  })
  const router = createRouter({
    routeTree: rootRoute.addChildren([settingsRoute, homeRoute]),
    history: createMemoryHistory({ initialEntries: [paths.settings] }),
  })
  const client = createQueryClient()
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user: { id: 'ada', name: 'Ada' } })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <ReauthenticationContext value={async () => {}}>
          <RouterProvider router={router} />
        </ReauthenticationContext>
      </AuthProvider>
    </QueryClientProvider>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Log out' }))
  await screen.findByText('Home')
  expect(states).toEqual([true])
  await expect.poll(isLogoutPending).toBe(false)
})
