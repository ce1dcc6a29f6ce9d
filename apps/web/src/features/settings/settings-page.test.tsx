// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { OwnDataSection } from './settings-page.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('OwnDataSection: does not say that there is no subscription when it could not be loaded', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user: { id: 'u-1' } })
  const router = createRouter({
    routeTree: createRootRoute({ component: OwnDataSection }),
    history: createMemoryHistory(),
  })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <ReauthenticationContext value={async () => {}}>
          <RouterProvider router={router} />
        </ReauthenticationContext>
      </AuthProvider>
    </QueryClientProvider>,
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Delete my account' }))
  const { textContent } = await screen.findByRole('dialog')
  expect(textContent).toContain('An active subscription ends immediately. Paid ITO is not refunded.')
})
