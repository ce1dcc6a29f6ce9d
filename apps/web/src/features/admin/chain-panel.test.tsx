// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ChainSetting, ProtectedState } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setAdminRole } from '../../../test/support/admin-user.ts'
import { createQueryClient } from '../../api/queries.ts'
import { ReauthenticationContext } from '../../session/reauthentication.ts'
import { systemToasts } from '../../ui/toast.tsx'
import { adminQueries } from './admin-queries.ts'
import { ChainPanel } from './chain-panel.tsx'

vi.mock('../../session/auth.tsx', async () => (await import('../../../test/support/admin-user.ts')).adminAuth)

beforeEach(() => setAdminRole('admin'))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  for (const { key } of systemToasts.snapshot().shown) systemToasts.close(key)
})

const setting: ChainSetting = {
  value: '1',
  chainName: 'Ethereum',
  description: '',
  supported: [
    { chainId: '1', chainName: 'Ethereum', explorer: null, isReadable: true },
    { chainId: '137', chainName: 'Polygon', explorer: null, isReadable: true },
  ],
}

async function openDialog({ isOn }: { isOn: boolean }) {
  const sent: unknown[] = []
  vi.stubGlobal('fetch', (_: string, { method, body }: RequestInit) => {
    if (method !== 'PUT') return new Promise(() => {})
    sent.push(JSON.parse(String(body)))
    return Promise.resolve(Response.json({ success: true, message: 'Done.' }))
  })
  const client = createQueryClient()
  const signer = { address: null, next: null, approved: null }
  const rule: ProtectedState = { isOn, delayHours: 24, treasuries: [], signer, changes: [] }
  client.setQueryData(adminQueries.chain.queryKey, setting)
  client.setQueryData(adminQueries.protected.queryKey, rule)
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={client}>
        <ChainPanel />
      </QueryClientProvider>
    </ReauthenticationContext>,
  )
  const user = userEvent.setup({ pointerEventsCheck: 0 })
  await user.selectOptions(screen.getByLabelText('Change to'), '137')
  await user.click(screen.getByRole('button', { name: 'Update chain' }))
  return { user, sent, text: screen.getByRole('dialog').textContent }
}

test('ChainPanel: says why the chain cannot be changed when the two-admin rule cannot be fetched, and fetches it again', async () => {
  let isServerDown = true
  const rule = { isOn: false, delayHours: 24, treasuries: [], signer: { address: null, next: null, approved: null } }
  vi.stubGlobal('fetch', async (url: string) => {
    if (url === '/api/admin/settings/chain_id') return Response.json(setting)
    return isServerDown || !url.endsWith('/protected-changes')
      ? new Response('', { status: 503 })
      : Response.json({ ...rule, changes: [] })
  })
  render(
    <ReauthenticationContext value={async () => {}}>
      <QueryClientProvider client={createQueryClient()}>
        <ChainPanel />
      </QueryClientProvider>
    </ReauthenticationContext>,
  )
  const reason = 'The chain can be changed when the two-admin rule has been fetched.'
  await screen.findByText(reason)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Update chain' }).disabled).toBe(true)
  isServerDown = false
  await userEvent.setup().click(screen.getByRole('button', { name: 'Try again' }))
  await expect.poll(() => screen.queryByText(reason)).toBeNull()
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Update chain' }).disabled).toBe(false)
})

const listToasts = () => systemToasts.snapshot().shown.map(({ item }) => item.title)

test('ChainPanel: changes the chain, with an optional description, when the two-admin rule is off', async () => {
  const { user, sent, text } = await openDialog({ isOn: false })
  expect(text).toContain('Change to Polygon?')
  await user.click(screen.getByRole('button', { name: 'Change chain' }))
  await expect.poll(listToasts).toEqual(['Chain Configuration Updated'])
  expect(sent).toEqual([{ value: '137', description: '' }])
})

test('ChainPanel: proposes the change, with a reason, when the two-admin rule is on', async () => {
  const { user, sent, text } = await openDialog({ isOn: true })
  expect(text).toContain('Propose a change to Polygon?')
  expect(text).toContain('Nothing changes until another admin has approved it')
  await user.click(screen.getByRole('button', { name: 'Propose' }))
  expect(await screen.findByText('Enter a reason.')).toBeDefined()
  expect(sent).toEqual([])
  await user.type(screen.getByLabelText('Reason'), 'Cheaper')
  await user.click(screen.getByRole('button', { name: 'Propose' }))
  await expect.poll(listToasts).toEqual(['Change Proposed'])
  expect(sent).toEqual([{ value: '137', description: 'Cheaper' }])
})
