// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { SupportMessage } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { setAdminRole } from '../../../test/support/admin-user.ts'
import { createQueryClient } from '../../api/queries.ts'
import { paths } from '../../paths.ts'
import { SupportMessagesTab } from './support-messages-tab.tsx'

vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const supportMessage: SupportMessage = {
  ...{ id: 7, name: 'Ada', email: 'ada@example.com', subject: 'My plan', category: null, account: null },
  ...{ state: 'open', assignee: null, answers: 0, notes: 0 },
  ...{ at: '2026-11-24T12:00:00.000Z', lastAt: '2026-11-24T12:00:00.000Z' },
}

/** Opens the support message in the inbox. */
async function openSupportMessage(supportMessage: SupportMessage) {
  vi.stubGlobal('fetch', async (url: string) =>
    Response.json(
      url.startsWith('/api/admin/letters/')
        ? { ...supportMessage, message: 'When does it end?', replies: [] }
        : { items: [supportMessage], nextCursor: null, openCount: 1 },
    ),
  )
  const rootRoute = createRootRoute()
  const adminRoute = createRoute({ getParentRoute: () => rootRoute, path: paths.admin, component: SupportMessagesTab })
  const history = createMemoryHistory({ initialEntries: [`${paths.admin}?tab=letters&search=plan`] })
  const router = createRouter({ routeTree: rootRoute.addChildren([adminRoute]), history })
  render(
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  await user.click(await screen.findByRole('button', { name: 'My plan' }))
  await screen.findByText('When does it end?')
  return { user, router, history }
}

test('SupportMessagesTab: keeps an unsent reply when the account of the writer is opened', async () => {
  setAdminRole('owner')
  const { user, router } = await openSupportMessage({ ...supportMessage, account: { id: 'u-9', name: 'Ada L.' } })
  await user.type(screen.getByLabelText('Reply to ada@example.com'), 'It ends at noon.')
  await user.click(screen.getByRole('button', { name: 'Ada L.' }))
  await expect.poll(() => router.state.location.search).toMatchObject({ user: 'u-9' })
  expect(screen.getByDisplayValue('It ends at noon.')).toBeDefined()
})

test('SupportMessagesTab: Back closes an opened message and returns to the inbox with its search', async () => {
  const { router, history } = await openSupportMessage(supportMessage)
  expect(history.canGoBack()).toBe(true)
  act(() => history.back())
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(router.state.location.search).toEqual({ tab: 'letters', search: 'plan' })
  screen.getByRole('button', { name: 'My plan' })
})
