// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { listPermissions, type StaffRole } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient } from '../../api/queries.ts'
import { AlertsTab } from './alerts-tab.tsx'

const user = vi.hoisted(() => ({ id: 'u-1', permissions: [] as string[] }))
vi.mock('../../session/auth.tsx', () => ({ useUser: () => user }))
vi.mock('./use-admin-search-params.ts', () => ({ useAdminSearchParams: () => ({ search: '', go: {} }) }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

test.each<[StaffRole, boolean]>([
  ['auditor', true],
  ['publisher', false],
])('AlertsTab: requests the statistics only if the role may read them (%s: %o)', async (role, mayRead) => {
  user.permissions = listPermissions(role)
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
