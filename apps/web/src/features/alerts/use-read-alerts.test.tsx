// @vitest-environment happy-dom
import { QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query'
import { act, cleanup, renderHook } from '@testing-library/react'
import type { ListedAlert } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient } from '../../api/queries.ts'
import { alertQueries } from '../alert/alert-queries.ts'
import { useMarkReadOnce, useReadAlerts } from './use-read-alerts.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const entry: ListedAlert = { id: 'alert-1', alert: getAlert(1), isRead: false }

/** Opens a list with one unread alert. The server fails to mark it as read. */
function openList() {
  const server = { reads: 0, lists: 0 }
  vi.stubGlobal('fetch', async (url: string) => {
    if (url.includes('/read')) {
      server.reads += 1
      return new Response('', { status: 503 })
    }
    if (!url.includes('/search')) return Response.json({ count: 1, isMore: false, lastIndex: 1 })
    server.lists += 1
    return Response.json({ items: [entry], next: null })
  })
  const client = createQueryClient()
  const { result, rerender } = renderHook(
    ({ id }: { id: string | null }) => {
      const { data } = useInfiniteQuery(alertQueries.pages({}))
      const { markAsRead } = useReadAlerts()
      const listedEntry = data?.pages[0]?.items.find((each) => each.id === id)
      useMarkReadOnce(listedEntry, markAsRead)
      return listedEntry
    },
    {
      initialProps: { id: null } as { id: string | null },
      wrapper: ({ children }) => <QueryClientProvider client={client}>{children}</QueryClientProvider>,
    },
  )
  return { server, open: (id: string | null) => rerender({ id }), listed: () => act(async () => result.current) }
}

test('useMarkReadOnce: sends one read request each time an alert is opened, even if the request fails', async () => {
  const { server, open, listed } = openList()
  await expect.poll(() => server.lists).toBe(1)
  open('alert-1')
  // The list is refetched after the failure.
  await expect.poll(() => server.lists).toBe(2)
  await expect.poll(async () => (await listed())?.isRead).toBe(false)
  expect(server).toEqual({ reads: 1, lists: 2 })
  open(null)
  open('alert-1')
  await expect.poll(() => server).toEqual({ reads: 2, lists: 3 })
})
