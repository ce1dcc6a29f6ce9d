// @vitest-environment happy-dom
import type { PublicConfig } from '@tocsin/protocol'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { checkProvider } from './checked-provider.ts'
import { startWallet } from './engine.ts'
import { disconnectedFlag, WalletStore, walletStorageKey } from './wallet-store.ts'

// `interceptWalletAnnouncements` adds listeners to the window and does not remove them. A page
// calls it once, but these tests simulate several pages.
vi.mock('./check-announcements.ts', () => ({ interceptWalletAnnouncements: () => {} }))

const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const pollMs = 3000
// Cast: the engine reads only these fields of the configuration.
const config = {
  chain: { id: 31337, name: 'Local Chain', rpcUrl: null, confirmations: 1, isReadable: true },
  token: { address: '0x5FbDB2315678afecb367f032d93F642f64180aa3', symbol: 'ITO', decimals: 18 },
} as unknown as PublicConfig

const encodeUint256 = (value: number) => `0x${value.toString(16).padStart(64, '0')}`

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  localStorage.clear()
})

/**
 * Announces a wallet (EIP-6963). `answerAccounts` sets the responses to `eth_accounts`; the last of
 * them is repeated. `balances` has the balance of each token by its address in lower case.
 * `answerNative` sets the response to `eth_getBalance`.
 */
function announceWallet(name = 'Wallet') {
  const requests: string[] = []
  const accounts: unknown[] = [[account]]
  const balances = new Map<string, Promise<string>>()
  let nativeBalance: string | null = '0x0'
  const request = async ({ method, params }: { method: string; params?: [{ to: string }] }): Promise<unknown> => {
    requests.push(method)
    if (method === 'eth_accounts') return accounts.length > 1 ? accounts.shift() : accounts[0]
    if (method === 'eth_chainId') return '0x7a69'
    if (method === 'eth_getBalance') return nativeBalance
    if (method === 'eth_call') return balances.get(params?.[0].to.toLowerCase() ?? '') ?? null
    return null
  }
  const provider = checkProvider({ request, on: () => {}, removeListener: () => {} })
  const info = { uuid: `uuid-${name}`, rdns: `test.${name}`, name, icon: 'data:image/svg+xml,' }
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } }))
  window.addEventListener('eip6963:requestProvider', announce)
  onTestFinished(() => window.removeEventListener('eip6963:requestProvider', announce))
  const answerAccounts = (...answers: unknown[]) => accounts.splice(0, accounts.length, ...answers)
  const answerNative = (answer: string | null) => {
    nativeBalance = answer
  }
  return { requests, answerAccounts, answerNative, balances }
}

/** Starts the wallet code as a page does. */
async function openPage(store = new WalletStore()) {
  const engineStart = startWallet(config, store)
  await vi.advanceTimersByTimeAsync(pollMs)
  return { engine: await engineStart, status: () => store.snapshot().status, store }
}

async function connectWallet() {
  const wallet = announceWallet()
  const page = await openPage()
  expect(page.status(), 'the wallet has authorized an account before').toBe('connected')
  return { ...wallet, ...page }
}

test('startWallet: shows a locked wallet as disconnected, keeps its permission, and reconnects it after unlock and reload', async () => {
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

test('startWallet: revokes the permission and does not reconnect after a reload when the user disconnects', async () => {
  const { engine, status, requests } = await connectWallet()
  await engine.disconnect()
  expect(status()).toBe('disconnected')
  expect(requests).toContain('wallet_revokePermissions')
  expect(localStorage.getItem(disconnectedFlag)).not.toBeNull()
  expect((await openPage()).status()).toBe('disconnected')
})

test.each<[string, (wallet: Awaited<ReturnType<typeof connectWallet>>) => void]>([
  ['the user disconnects', ({ engine }) => void engine.disconnect()],
  ['the wallet is locked', ({ answerAccounts }) => answerAccounts([])],
  [
    'the user disconnects in another tab',
    () => window.dispatchEvent(new StorageEvent('storage', { key: disconnectedFlag, newValue: 'true' })),
  ],
])('startWallet: does not switch to another authorized wallet when %s', async (_when, act) => {
  const wallet = announceWallet()
  const otherWallet = announceWallet('Other')
  const page = await openPage()
  expect(page.store.snapshot()).toMatchObject({ status: 'connected', walletName: 'Wallet' })
  act({ ...wallet, ...page })
  await vi.advanceTimersByTimeAsync(pollMs)
  expect(page.status()).toBe('disconnected')
  expect(otherWallet.requests).not.toContain('wallet_revokePermissions')
})

test('startWallet: clears the error of an earlier start when the wallet code is loaded', async () => {
  const store = new WalletStore()
  store.update({ hasFailed: true })
  await openPage(store)
  expect(store.snapshot().hasFailed).toBe(false)
})

test('startWallet: connects an authorized wallet when the stored id of the last wallet is invalid', async () => {
  localStorage.setItem(`${walletStorageKey}.recentConnectorId`, 'invalid')
  expect((await connectWallet()).status()).toBe('connected')
})

test('startWallet: keeps the balance of the new token when the read of the old token responds later', async () => {
  const { engine, store, balances } = await connectWallet()
  const newToken = `0x${'ab'.repeat(20)}`
  let answerOldRead = (_balance: string) => {}
  const oldBalance = new Promise<string>((resolve) => {
    answerOldRead = resolve
  })
  balances.set(config.token.address.toLowerCase(), oldBalance)
  balances.set(newToken, Promise.resolve(encodeUint256(2)))
  const readOfOldToken = engine.refreshBalance()
  engine.updateConfig({ ...config, token: { ...config.token, address: newToken } })
  await vi.advanceTimersByTimeAsync(pollMs)
  expect(store.snapshot().balanceWei).toBe(2n)
  answerOldRead(encodeUint256(1))
  await readOfOldToken
  expect(store.snapshot().balanceWei).toBe(2n)
})

test('startWallet: reads the balances again when only the read of the native coin has failed', async () => {
  const { engine, store, answerNative, balances } = await connectWallet()
  balances.set(config.token.address.toLowerCase(), Promise.resolve(encodeUint256(1)))
  answerNative(null)
  void engine.refreshBalance()
  await vi.advanceTimersByTimeAsync(pollMs / 2)
  expect(store.snapshot()).toMatchObject({ balanceWei: 1n, nativeWei: null })
  answerNative('0x2')
  await vi.advanceTimersByTimeAsync(pollMs)
  expect(store.snapshot()).toMatchObject({ balanceWei: 1n, nativeWei: 2n })
})
