// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { defaultPreferences, listPermissions, type ReadableAlert } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { NotificationsPage } from './notifications-page.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  localStorage.clear()
})

const publicAlert = getAlert(1)
const lockedAlert: ReadableAlert = {
  ...{ id: 'locked-2', locked: true, logIndex: 2, priority: 'high' },
  createdAt: '2026-11-21T14:32:05.000Z',
}

function createPage(alerts: ReadableAlert[]): Response {
  const total = { count: alerts.length, isMore: false }
  const items = alerts.map((alert) => ({ id: alert.id, alert, isRead: false }))
  const byPriority = { critical: total, high: total, medium: total, low: total }
  return Response.json({ items, next: null, total, byPriority, lastIndex: 1 })
}

/** Opens the page of a user with five unread alerts. All other requests fail. */
async function openNotifications(
  findPlan: () => Response,
  search: (url: string) => Response | Promise<Response>,
): Promise<void> {
  vi.stubGlobal('fetch', async (url: string) => {
    if (url.startsWith('/api/subscriptions/active/')) return findPlan()
    return url.startsWith('/api/alerts/search') ? search(url) : new Response('', { status: 503 })
  })
  const client = createQueryClient()
  const user = { id: 'u1', isAdmin: false, permissions: listPermissions('user') }
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user })
  client.setQueryData<object>(queries.config.queryKey, { publicDelayHours: 24 })
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  client.setQueryData(queries.unread.queryKey, { count: 5, isMore: false, lastIndex: 1, readAtMs: 1 })
  const router = createRouter({
    routeTree: createRootRoute({ component: NotificationsPage }),
    history: createMemoryHistory(),
  })
  render(
    <QueryClientProvider client={client}>
      <AuthProvider>
        <RouterProvider router={router} />
      </AuthProvider>
    </QueryClientProvider>,
  )
  await screen.findByRole('heading', { name: 'Notifications' })
}

const respondWithoutPlan = () => Response.json(null)

test('NotificationsPage: lists only the public alerts when the clock of the browser is ahead', async () => {
  await openNotifications(respondWithoutPlan, () => createPage([lockedAlert, publicAlert]))
  expect(await screen.findByRole('article', { name: /ETH\/USDT/ })).toBeDefined()
  expect(screen.getAllByRole('article')).toHaveLength(1)
  expect(screen.getByText('All 1 alert shown')).toBeDefined()
})

test('NotificationsPage: shows an error instead of locked alerts when the plan cannot be loaded', async () => {
  let findPlan = () => new Response('', { status: 503 })
  await openNotifications(
    () => findPlan(),
    (url) => createPage(url.includes('to=') ? [publicAlert] : [lockedAlert, publicAlert]),
  )
  // The request for the plan is repeated once after a second.
  await expect.poll(() => screen.queryByText('Failed to fetch alerts')).not.toBeNull()
  expect(screen.queryAllByRole('article')).toEqual([])
  findPlan = respondWithoutPlan
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText(/^A sample: alerts older than 24 hours are public\./)).toBeDefined()
  expect(await screen.findByRole('article', { name: /ETH\/USDT/ })).toBeDefined()
})

test('NotificationsPage: offers “Mark all read” only after the alerts are loaded', async () => {
  let respond = () => {}
  const isServerReady = new Promise<void>((resolve) => {
    respond = resolve
  })
  await openNotifications(respondWithoutPlan, () => isServerReady.then(() => createPage([publicAlert])))
  const findButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Mark all read' })
  expect(findButton().disabled).toBe(true)
  respond()
  await expect.poll(() => findButton().disabled).toBe(false)
})
