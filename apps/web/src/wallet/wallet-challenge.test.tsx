// @vitest-environment happy-dom
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import type { PublicConfig } from '@tocsin/protocol'
import { afterEach, expect, test, vi } from 'vitest'
import { createQueryClient, queries } from '../api/queries.ts'
// Loaded before the test, because the panel is lazy loaded and the test uses fake timers.
import './pairing-panel.tsx'
import { type RelayClient, RemoteWallet } from './remote-wallet.ts'
import { WalletChallenge } from './wallet-challenge.tsx'
import type { WalletStore } from './wallet-store.ts'

/** An engine with a remote wallet that does not approve the connection. */
vi.mock('./engine.ts', () => ({
  startWallet: async (_config: PublicConfig, store: WalletStore) => {
    const client = { connect: async () => ({ uri: 'wc:link', approval: () => new Promise(() => {}) }), on: () => {} }
    const wallet = new RemoteWallet({
      // Cast: a pairing uses only these members of the client.
      open: async () => client as unknown as RelayClient,
      chainIds: [1],
      read: async () => null,
      storage: localStorage,
    })
    store.update({ wallets: [{ uid: 'remote', name: 'WalletConnect', icon: null, isRecent: false, isRemote: true }] })
    return { connect: () => wallet.request({ method: 'eth_requestAccounts' }) }
  },
}))

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

test('WalletChallenge: removes the QR code when the wallet has not responded within two minutes', async () => {
  const queryClient = createQueryClient()
  // Cast: the fake engine does not use the configuration.
  queryClient.setQueryData(queries.config.queryKey, {} as PublicConfig)
  const task = { challenge: async () => ({ message: '' }), answer: async () => {} }
  render(
    <QueryClientProvider client={queryClient}>
      <WalletChallenge task={task} hint="Signing is free." />
    </QueryClientProvider>,
  )
  const wallet = await screen.findByRole('button', { name: 'WalletConnect' })
  // Time out without waiting for two minutes.
  vi.useFakeTimers()
  fireEvent.click(wallet)
  await act(() => vi.advanceTimersByTimeAsync(1000))
  expect(screen.getByRole('img', { name: 'QR code for your wallet' })).toBeDefined()
  await act(() => vi.advanceTimersByTimeAsync(120_000))
  expect(screen.getByRole('alert').textContent).toContain('Your wallet did not respond.')
  expect(screen.queryByRole('img', { name: 'QR code for your wallet' })).toBeNull()
})
