// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import { defaultPreferences, type ListedAlert } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { useAlertPages } from './use-alert-pages.ts'
import { useOpenRow } from './use-open-row.tsx'
import { useReadAlerts } from './use-read-alerts.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const selection = {}

function List() {
  const reading = useReadAlerts()
  const pages = useAlertPages(selection, reading.opened)
  const { openId, onToggle } = useOpenRow(pages, reading)
  return pages.entries.map((entry) => (
    <button key={entry.id} type="button" aria-expanded={entry.id === openId} onClick={() => onToggle(entry)}>
      {entry.isRead ? 'Read' : 'Unread'}
    </button>
  ))
}

/** Opens a list of one unread alert at a URL. Returns the ids that were marked as read. */
async function openList(url: string): Promise<string[]> {
  const readIds: string[] = []
  const entry: ListedAlert = { id: 'alert-1', alert: getAlert(1), isRead: false }
  const total = { count: 1, isMore: false }
  vi.stubGlobal('fetch', async (address: string, { body }: RequestInit) => {
    if (address.includes('/read')) readIds.push(...JSON.parse(String(body)).ids)
    return Response.json(address.includes('/search') ? { items: [entry], next: null, lastIndex: 1, total } : [])
  })
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  const router = createRouter({
    routeTree: createRootRoute({ component: List }),
    history: createMemoryHistory({ initialEntries: [url] }),
  })
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
  await screen.findByRole('button')
  return readIds
}

test('useOpenRow: marks a listed alert as read when the URL opens it', async () => {
  const readIds = await openList('/?alert=alert-1')
  expect(await screen.findByRole('button', { name: 'Read', expanded: true })).toBeDefined()
  expect(readIds).toEqual(['alert-1'])
})

test('useOpenRow: marks an alert as read once when a click opens it', async () => {
  const readIds = await openList('/')
  screen.getByRole('button', { name: 'Unread', expanded: false }).click()
  expect(await screen.findByRole('button', { name: 'Read', expanded: true })).toBeDefined()
  expect(readIds).toEqual(['alert-1'])
})
