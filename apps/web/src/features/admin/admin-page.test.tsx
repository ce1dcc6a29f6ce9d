// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render } from '@testing-library/react'
import { defaultPreferences } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { formatDateTimeWithZone } from '../../ui/format-time.ts'
import { readTimeStyle } from '../../ui/time-style.ts'
import { AdminPage } from './admin-page.tsx'

vi.mock('@tanstack/react-router', () => ({ Link: () => null, useNavigate: () => () => {} }))
vi.mock('@tocsin/client', () => ({ openAlertStream: () => ({ probe() {}, close() {} }) }))
vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)
vi.mock('../account/guard.tsx', () => ({ Guard: ({ children }: { children: ReactNode }) => children }))
vi.mock(
  './use-admin-search-params.ts',
  async () => (await import('../../../test/support/admin-user.ts')).adminSearchParams,
)
// Mock the tabs. Test files of a Vitest worker share loaded modules, so later files would otherwise
// get tabs that use the mocks of this file.
vi.mock('./alerts-tab.tsx', () => ({ AlertsTab: () => null }))
vi.mock('./dashboard-tab.tsx', () => ({ DashboardTab: () => null }))
vi.mock('./users-tab.tsx', () => ({ UsersTab: () => null }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test('AdminPage: shows times in the time zone of the account, until the page is left', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}))
  const client = createQueryClient()
  client.setQueryData(queries.preferences.queryKey, { ...defaultPreferences, timeZone: 'Asia/Tokyo', hourCycle: '12' })
  const formatTestTime = () => formatDateTimeWithZone(Date.parse('2026-11-21T14:32:07Z'), readTimeStyle())
  const page = render(
    <QueryClientProvider client={client}>
      <AdminPage />
    </QueryClientProvider>,
  )
  expect(formatTestTime()).toBe('21 Nov 11:32:07 PM GMT+9')
  act(() => page.unmount())
  expect(formatTestTime()).toBe('21 Nov 14:32:07 UTC')
})
