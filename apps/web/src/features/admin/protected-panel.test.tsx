// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import type { ProtectedState } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setAdminRole } from '../../../test/support/admin-user.ts'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { adminQueries } from './admin-queries.ts'
import { ProtectedPanel } from './protected-panel.tsx'

vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)

beforeEach(() => {
  setAdminRole('admin')
  vi.stubGlobal('fetch', () => new Promise(() => {}))
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const OLD_TREASURY = '0xOld'
const NEW_TREASURY = '0xNew'

function renderPanel(treasury: Pick<ProtectedState['treasuries'][number], 'address' | 'approved' | 'configured'>) {
  const client = createQueryClient()
  const signer = { address: null, next: null, approved: null }
  const treasuries = [{ chainId: 1, ...treasury }]
  const state: ProtectedState = { isOn: true, delayHours: 24, treasuries, signer, changes: [] }
  client.setQueryData(adminQueries.protected.queryKey, state)
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={client}>
        <ProtectedPanel />
      </QueryClientProvider>
    </ReauthenticationContext>,
  )
  return screen.getByText(/^Treasury, /).parentElement?.textContent
}

test('ProtectedPanel: shows an error with a retry when the two-admin rule cannot be fetched', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  render(
    <QueryClientProvider client={createQueryClient()}>
      <ProtectedPanel />
    </QueryClientProvider>,
  )
  expect(await screen.findByText('Failed to fetch the two-admin rule')).toBeDefined()
  expect(screen.getByRole('button', { name: 'Try again' })).toBeDefined()
})

test('ProtectedPanel: names the treasury in use and asks for a restart after an approved change', () => {
  const text = renderPanel({ address: OLD_TREASURY, approved: NEW_TREASURY, configured: OLD_TREASURY })
  expect(text).toContain(`${NEW_TREASURY} is approved, but this server does not use it yet. Restart every instance.`)
  expect(text).toContain(`Until then, payments go to ${OLD_TREASURY}.`)
  expect(text).not.toContain('The environment variable')
})

test('ProtectedPanel: says that the treasury in the environment variables is not used until it is approved', () => {
  const text = renderPanel({ address: OLD_TREASURY, approved: OLD_TREASURY, configured: NEW_TREASURY })
  expect(text).toContain(
    `The environment variable is set to ${NEW_TREASURY}. This address is not used until two admins have approved it`,
  )
  expect(text).not.toContain('Restart every instance')
})
