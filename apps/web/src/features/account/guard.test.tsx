// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { OwnDataSection } from '../settings/settings-page.tsx'
import { Guard } from './guard.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

test('Guard: closes the dialog of a user when another tab signs in a different user', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  const signIn = (id: string) =>
    client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user: { id, name: id } })
  signIn('alice')
  const router = createRouter({
    routeTree: createRootRoute({
      component: () => (
        <Guard>
          <OwnDataSection />
        </Guard>
      ),
    }),
    history: createMemoryHistory(),
  })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <RouterProvider router={router} />
      </AuthProvider>
    </QueryClientProvider>,
  )
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  await user.click(await screen.findByRole('button', { name: 'Delete my account' }))
  await user.type(screen.getByLabelText(/^Type “/), 'delete')
  act(() => void signIn('alice'))
  screen.getByDisplayValue('delete')

  act(() => void signIn('bob'))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Delete my account' }))
  expect(screen.getByLabelText<HTMLInputElement>(/^Type “/).value).toBe('')
})
