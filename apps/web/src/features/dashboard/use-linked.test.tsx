// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient } from '../../api/queries.ts'
import { MissingAlert } from './dashboard-detail.tsx'
import { useLinkedAlert } from './use-dashboard.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const noEntries: never[] = []
function LinkedAlert() {
  const { entry, isPending, retry } = useLinkedAlert('alert-1', noEntries)
  return entry ? <p>{entry.alert.asset}</p> : <MissingAlert isPending={isPending} isUnavailable onRetry={retry} />
}

test('useLinkedAlert: finds no alert when the search finds only another alert', async () => {
  const otherAlerts = { items: [{ id: 'alert-2', alert: getAlert(2), isRead: false }], next: null }
  vi.stubGlobal('fetch', async () => Response.json(otherAlerts))
  render(
    <QueryClientProvider client={createQueryClient()}>
      <LinkedAlert />
    </QueryClientProvider>,
  )
  expect(await screen.findByText(/not available/)).toBeDefined()
})

test('useLinkedAlert: offers “Try again” instead of calling the alert unavailable when loading fails', async () => {
  let isServerDown = true
  const foundAlerts = { items: [{ id: 'alert-1', alert: getAlert(1), isRead: true }], next: null }
  vi.stubGlobal('fetch', async () => (isServerDown ? new Response('', { status: 503 }) : Response.json(foundAlerts)))
  render(
    <QueryClientProvider client={createQueryClient()}>
      <LinkedAlert />
    </QueryClientProvider>,
  )
  await screen.findByText('The alert could not be loaded.')
  expect(screen.queryByText(/not available/)).toBeNull()
  isServerDown = false
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('ETH/USDT')).toBeDefined()
})
