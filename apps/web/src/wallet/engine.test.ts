// @vitest-environment happy-dom
import type { PublicConfig } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { checkProvider } from './checked-provider.ts'
import { startWallet } from './engine.ts'
import { disconnectedFlag, WalletStore } from './wallet-store.ts'

// `checkAnnouncements` adds listeners to the window and does not remove them. A page calls it once,
// but these tests simulate several pages.
vi.mock('./check-announcements.ts', () => ({ checkAnnouncements: () => {} }))

const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const pollMs = 3000
// Cast: the engine reads only these fields of the configuration.
const config = {
  chain: { id: 31337, name: 'Local Chain', rpcUrl: null, confirmations: 1, isReadable: true },
  token: { address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', symbol: 'ITO', decimals: 18 },
} as unknown as PublicConfig

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  localStorage.clear()
})

/**
 * Announces a wallet (EIP-6963). `answerAccounts` sets the responses to `eth_accounts`; the last of
 * them is repeated.
 */
function announceWallet() {
  const requests: string[] = []
  const accounts: unknown[] = [[account]]
  const request = async ({ method }: { method: string }): Promise<unknown> => {
    requests.push(method)
    if (method === 'eth_accounts') return accounts.length > 1 ? accounts.shift() : accounts[0]
    if (method === 'eth_chainId') return '0x7a69'
    return null
  }
  const provider = checkProvider({ request, on: () => {}, removeListener: () => {} })
  const info = { uuid: 'w-1', rdns: 'test.wallet', name: 'Wallet', icon: 'data:image/svg+xml,' }
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  window.addEventListener('eip6963:requestProvider', announce)
  onTestFinished(() => window.removeEventListener('eip6963:requestProvider', announce))
  return { requests, answerAccounts: (...answers: unknown[]) => accounts.splice(0, accounts.length, ...answers) }
}

/** Starts the wallet code as a page does. */
async function openPage() {
  const store = new WalletStore()
  const engineStart = startWallet(config, store)
  await vi.advanceTimersByTimeAsync(pollMs)
  return { engine: await engineStart, status: () => store.snapshot().status }
}

async function connectWallet() {
  const wallet = announceWallet()
  const page = await openPage()
  expect(page.status(), 'the wallet has authorized an account before').toBe('connected')
  return { ...wallet, ...page }
}

test('startWallet: shows a locked wallet as disconnected, keeps its permission and restores it after a reload', async () => {
  const { status, requests, answerAccounts } = await connectWallet()
  answerAccounts([])
  await vi.advanceTimersByTimeAsync(pollMs)
  expect(status()).toBe('disconnected')
  expect(requests).not.toContain('wallet_revokePermissions')
  answerAccounts([account])
  expect((await openPage()).status()).toBe('connected')
})

test('startWallet: shows a wallet as disconnected after two invalid responses in a row, and not after one', async () => {
  const { status, requests, answerAccounts } = await connectWallet()
  answerAccounts('invalid', [account], 'invalid', [account])
  await vi.advanceTimersByTimeAsync(4 * pollMs)
  expect(status()).toBe('connected')
  answerAccounts('invalid', 'invalid', [account])
  await vi.advanceTimersByTimeAsync(2 * pollMs)
  expect(status()).toBe('disconnected')
  expect(requests).not.toContain('wallet_revokePermissions')
})

test('startWallet: revokes the permission and restores nothing when the user disconnects', async () => {
  const { engine, status, requests } = await connectWallet()
  await engine.disconnect()
  expect(status()).toBe('disconnected')
  expect(requests).toContain('wallet_revokePermissions')
  expect(localStorage.getItem(disconnectedFlag)).not.toBeNull()
  expect((await openPage()).status()).toBe('disconnected')
})
