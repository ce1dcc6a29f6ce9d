// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { defaultPreferences, type SystemStatus } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { streamStatus } from '../../stream/stream-status.ts'
import { SystemCard } from './system-card.tsx'

vi.mock('../../session/auth.tsx', () => ({ useUser: () => ({ id: 'u-1', permissions: [] }) }))

const at = '2026-03-02T14:30:00.000Z'
afterEach(() => {
  cleanup()
  streamStatus.setState('offline', false, at)
})

// Only these fields are read.
const status = {
  startedAt: at,
  feed: { state: 'connected', lastSignalAt: null, signalsReceived: 0 },
  anchor: { state: 'current', chainName: 'Avalanche' },
} as unknown as SystemStatus

/** Returns the HTML of the row “WebSocket”. */
function renderRow(): string {
  const client = createQueryClient()
  client.setQueryData<object>(queries.status.queryKey, status)
  client.setQueryData(queries.activeSubscription('u-1').queryKey, null)
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  render(
    <QueryClientProvider client={client}>
      <SystemCard />
    </QueryClientProvider>,
  )
  return screen.getByText('WebSocket').parentElement?.innerHTML ?? ''
}

test('SystemCard: shows “Disconnected” with the reason and without a fault colour when the account has no plan', () => {
  streamStatus.setState('offline', false, at)
  const row = renderRow()
  expect(row).toContain('Disconnected')
  expect(row).toContain('Not live: no plan')
  expect(row).not.toMatch(/bg-(critical|medium)/)
})

test('SystemCard: shows a fault colour when the stream should be open but is disconnected', () => {
  streamStatus.setState('offline', true, at)
  expect(renderRow()).toMatch(/bg-(critical|medium)/)
})
