// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'
import { createQueryClient } from '../api/queries.ts'
import { ConnectDialog } from './connect-dialog.tsx'
import { walletStore } from './wallet-store.ts'

afterEach(cleanup)

function Page({ connect }: { connect: (uid: string) => Promise<void> }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Connect
      </button>
      <ConnectDialog open={isOpen} onOpenChange={setIsOpen} connect={connect} />
    </>
  )
}

test('ConnectDialog: requests the connection to the only wallet again when it opens after a disconnect', async () => {
  walletStore.update({ wallets: [{ uid: 'w-1', name: 'Wallet', icon: null, isRecent: false, isRemote: false }] })
  const requestedIds: string[] = []
  const connect = async (uid: string) => {
    requestedIds.push(uid)
    walletStore.update({ status: 'connected' })
  }
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Page connect={connect} />
    </QueryClientProvider>,
  )
  for (const expectedIds of [['w-1'], ['w-1', 'w-1']]) {
    walletStore.update({ status: 'disconnected' })
    fireEvent.click(screen.getByText('Connect'))
    await expect.poll(() => requestedIds).toEqual(expectedIds)
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  }
})
