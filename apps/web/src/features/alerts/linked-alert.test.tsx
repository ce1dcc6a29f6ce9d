// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { defaultPreferences, type ListedAlert } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { LinkedAlert } from './linked-alert.tsx'
import { useReadAlerts } from './use-read-alerts.ts'
import { useSyncedUnreadCount } from './use-synced-unread-count.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function LinkedAlertPage() {
  useSyncedUnreadCount()
  const { opened, markAsRead } = useReadAlerts()
  return <LinkedAlert id="alert-1" isOpen={false} openedIds={opened} onToggle={markAsRead} onRead={markAsRead} />
}

/** Opens the linked alert, which is not in a list. */
function openLinkedAlert(search: () => Response) {
  const reads: unknown[] = []
  vi.stubGlobal('fetch', async (url: string, { body }: RequestInit) => {
    if (url.includes('/search')) return search()
    if (url.includes('/read')) reads.push(JSON.parse(String(body)))
    if (url.includes('/unread')) return Response.json({ count: 5 - reads.length, isMore: false, lastIndex: null })
    return Response.json(url.includes('/recent') ? [] : {})
  })
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  client.setQueryData<object>(queries.unread.queryKey, { count: 5 })
  render(
    <QueryClientProvider client={client}>
      <LinkedAlertPage />
    </QueryClientProvider>,
  )
  return { client, reads, unread: () => client.getQueryData(queries.unread.queryKey)?.count }
}

const entry: ListedAlert = { id: 'alert-1', alert: getAlert(1), isRead: false }

test('LinkedAlert: marks the alert as read only once when it is shown and then clicked', async () => {
  const { reads, unread } = openLinkedAlert(() => Response.json({ items: [entry], next: null }))
  const row = await screen.findByRole('button', { name: /Volume 4\.1/ })
  await expect.poll(() => reads).toEqual([{ ids: ['alert-1'] }])
  await expect.poll(() => row.textContent).not.toContain('Unread')
  fireEvent.click(row)
  expect(unread()).toBe(4)
  expect(reads).toHaveLength(1)
})

test('LinkedAlert: shows an error if loading fails, and loads the alert when “Try again” is clicked', async () => {
  let isServerDown = true
  openLinkedAlert(() =>
    isServerDown ? new Response('', { status: 503 }) : Response.json({ items: [entry], next: null }),
  )
  await screen.findByText('The linked alert could not be loaded.')
  isServerDown = false
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('Linked alert')).toBeDefined()
})

test('LinkedAlert: says that the alert is not available when the search finds only another alert', async () => {
  const otherEntry: ListedAlert = { id: 'alert-2', alert: getAlert(2), isRead: false }
  const { unread } = openLinkedAlert(() => Response.json({ items: [otherEntry], next: null }))
  expect(await screen.findByText(/The linked alert is not available/)).toBeDefined()
  expect(unread()).toBe(5)
})

test('LinkedAlert: shows an alert that becomes readable when a plan starts', async () => {
  let items: ListedAlert[] = []
  const { client } = openLinkedAlert(() => Response.json({ items, next: null }))
  await screen.findByText(/The linked alert is not available/)
  items = [entry]
  // A new plan makes the page refetch the recent alerts.
  await act(() => client.refetchQueries({ queryKey: queries.recentAlerts.queryKey }))
  expect(await screen.findByText('Linked alert')).toBeDefined()
})
