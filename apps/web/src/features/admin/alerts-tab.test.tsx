// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import type { StaffRole } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { setAdminRole } from '../../../test/support/admin-user.ts'
import { createQueryClient } from '../../api/queries.ts'
import { AlertsTab } from './alerts-tab.tsx'

vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)
vi.mock(
  './use-admin-search-params.ts',
  async () => (await import('../../../test/support/admin-user.ts')).adminSearchParams,
)

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test.each<[StaffRole, boolean]>([
  ['auditor', true],
  ['publisher', false],
])('AlertsTab: requests the statistics only if the role may read them (%s: %o)', async (role, mayRead) => {
  setAdminRole(role)
  const paths = new Set<string>()
  vi.stubGlobal('fetch', (url: string) => {
    paths.add(new URL(url, 'http://localhost').pathname)
    return new Promise(() => {})
  })
  render(
    <QueryClientProvider client={createQueryClient()}>
      <AlertsTab />
    </QueryClientProvider>,
  )
  await expect.poll(() => paths.has('/api/admin/alerts') && paths.has('/api/admin/scheduled-alerts')).toBe(true)
  expect(paths.has('/api/admin/stats')).toBe(mayRead)
})
