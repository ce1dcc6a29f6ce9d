// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { AuditPanel } from './audit-panel.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('AuditPanel: says that the filtered account is no longer an admin only when the admins are loaded', async () => {
  let resolveAdmins: (response: Response) => void = () => {}
  vi.stubGlobal('fetch', (url: string) =>
    url.startsWith('/api/admin/users?')
      ? new Promise<Response>((resolve) => {
          resolveAdmins = resolve
        })
      : Promise.resolve(Response.json({ items: [], nextCursor: null })),
  )
  const rootRoute = createRootRoute()
  const adminRoute = createRoute({ getParentRoute: () => rootRoute, path: paths.admin, component: AuditPanel })
  const router = createRouter({
    routeTree: rootRoute.addChildren([adminRoute]),
    history: createMemoryHistory({ initialEntries: [`${paths.admin}?view=audit&actor=u-1`] }),
  })
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={createQueryClient()}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </ReauthenticationContext>,
  )
  const filter = await screen.findByLabelText<HTMLSelectElement>('Filter by admin')
  const readSelected = () => filter.selectedOptions[0]?.textContent
  await screen.findByText('No entries match')
  expect(readSelected()).toBe('Selected admin')
  resolveAdmins(Response.json([]))
  await expect.poll(readSelected).toBe('No longer an admin')
})
