// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { defaultPreferences, listPermissions } from '@tocsin/protocol'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../../api/queries.ts'
import { AuthProvider } from '../../session/auth.tsx'
import { streamStatus } from '../../stream/stream-status.ts'
import { walletStore } from '../../wallet/wallet-store.ts'
import { announcements } from '../live/announcements.ts'
import { useNotLiveReason } from './not-live-reason.ts'
import { Stream } from './signed-in-layout.tsx'

afterEach(() => {
  cleanup()
  walletStore.update({ address: null })
  vi.unstubAllGlobals()
  localStorage.clear()
})

const address = '0x71C7656EC7ab88b098defB751B7401B5f6d8976F'

/** Renders a part of the page for a member of staff without a plan. */
function renderForStaff(role: 'support' | 'publisher', provedWallets: string[], part: ReactNode) {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }))
  walletStore.update({ address })
  const client = createQueryClient()
  // Only these fields are read.
  const user = { id: 'u1', isAdmin: true, permissions: listPermissions(role), provedWallets }
  client.setQueryData<object>(queries.currentUser.queryKey, { success: true, user })
  client.setQueryData(queries.activeSubscription('u1').queryKey, null)
  client.setQueryData(queries.preferences.queryKey, defaultPreferences)
  client.setQueryData(queries.recentAlerts.queryKey, [])
  return render(
    <QueryClientProvider client={client}>
      <AuthProvider>{part}</AuthProvider>
    </QueryClientProvider>,
  )
}

const Reason = () => useNotLiveReason()

test.each([
  ['support', 'Not live: no plan'],
  ['publisher', 'Not live: verify wallet'],
] as const)('useNotLiveReason: for the role %s with neither a plan nor a proved wallet, says “%s”', (role, reason) => {
  expect(renderForStaff(role, [], <Reason />).container.textContent).toBe(reason)
})

test.each([
  ['opens no stream', 'support', false],
  ['opens a stream', 'publisher', true],
] as const)('Stream: %s for the role %s with a proved wallet and no plan', async (_what, role, isWanted) => {
  renderForStaff(role, [address], <Stream />)
  expect(streamStatus.snapshot().isNeeded).toBe(isWanted)
  // Unmount the component before the code of the stream is loaded, so that no socket is opened.
  cleanup()
  await import('../../stream/account-stream.ts')
})

test('Stream: discards announcements that nothing has shown when the account leaves its pages', () => {
  renderForStaff('support', [], <Stream />)
  announcements.push({ kind: 'caught_up', count: 3 })
  cleanup()
  const shownKinds: string[] = []
  announcements.listen(({ kind }) => shownKinds.push(kind))()
  expect(shownKinds).toEqual([])
})
