// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import { defaultPreferences, type ListedAlert } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { getAlert } from '../../../../../packages/protocol/test/support/sample-alert.ts'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AlertList } from './alert-list.tsx'
import { DensitySwitch } from './density-switch.tsx'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const entries: ListedAlert[] = [
  getAlert(3, { createdAt: '2026-03-02T14:00:00.000Z' }),
  getAlert(2, { createdAt: '2026-03-02T09:00:00.000Z' }),
  getAlert(1, { createdAt: '2026-02-27T23:00:00.000Z' }),
].map((alert) => ({ id: alert.id, alert, isRead: true }))

function renderList(total: number) {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  render(
    <QueryClientProvider client={client}>
      <AlertList
        {...{
          list: { current: null },
          entries,
          state: 'read',
          isBusy: false,
          filter: 'none',
          count: '3 alerts',
          total,
        }}
        {...{
          listKey: '{}',
          isMoreComing: false,
          openId: null,
          targetId: null,
          leadingContent: null,
          newAlertsButton: null,
          footer: null,
        }}
        tools={<DensitySwitch className="" />}
        onToggle={() => {}}
        onNearEnd={() => {}}
        onRetry={() => {}}
        onClear={() => {}}
      />
    </QueryClientProvider>,
  )
}

test('AlertList: has a heading for each day, with the number of alerts of that day if the number is known', () => {
  renderList(3)
  expect(screen.getByText('2 March · 2 alerts')).toBeDefined()
  expect(screen.getByText('27 February · 1 alert')).toBeDefined()
  cleanup()
  renderList(-1)
  expect(screen.getByText('2 March · 2 alerts')).toBeDefined()
  expect(screen.getByText('27 February')).toBeDefined()
})

test('AlertList: shows the number of alerts and the given tools, such as the density switch', () => {
  renderList(3)
  const list = within(screen.getByRole('region', { name: 'Alerts' }))
  expect(list.getByText('3 alerts')).toBeDefined()
  expect(list.getByRole('radiogroup', { name: 'Density' })).toBeDefined()
})
