import { expect, type Locator, type Page } from '@playwright/test'
import type { PublicConfig } from '@tocsin/protocol'
import { testAccount } from '@tocsin/testkit'
import { createWalletClient, type Hex, http, publicActions, toHex } from 'viem'
import { foundry } from 'viem/chains'
import { RPC_TIMEOUT_MS } from './local-chain.ts'

export interface ScriptedWallet {
  address: string
  /** The requested methods, in order. */
  requestedMethods: string[]
  /** The parameters of `eth_sendTransaction` requests, in order. */
  sentTransactions: { to?: Hex; data?: Hex; value?: Hex; from?: Hex }[]
  /** Rejects the next request of this method, by default with user rejection (EIP-1193, 4001). */
  rejectNext(method: string, error?: { code: number; message: string; data?: unknown }): void
  /**
   * Responds to the next request of `method` with `response` or, if it is a function, with its
   * result. A promise that never settles simulates a wallet that hangs.
   */
  respondNext(method: string, response: unknown): void
  /** Switches the wallet's chain. A silent switch emits no `chainChanged`. */
  switchChain(chainId: number, options?: { isSilent: boolean }): Promise<void>
  /** Switches the connected account and emits `accountsChanged`. */
  switchAccount(index: number): Promise<void>
}

/** The identifier that the wallet announces (EIP-6963, `rdns`). */
const walletId = 'test.scripted.wallet'

/**
 * Installs a wallet in the page that announces itself like a browser extension (EIP-6963) and is
 * backed by an account of the local chain. It approves every request unless a response is scripted.
 * Call before the first navigation.
 * @param isConnected the site already has the wallet's permission, so each page restores the
 *   connection
 */
export async function installWallet(
  page: Page,
  { chainUrl, accountIndex, isConnected = false }: { chainUrl: string; accountIndex: number; isConnected?: boolean },
): Promise<ScriptedWallet> {
  let account = testAccount(accountIndex)
  let chainId: number = foundry.id
  const client = createWalletClient({ chain: foundry, transport: http(chainUrl, { timeout: RPC_TIMEOUT_MS }) }).extend(
    publicActions,
  )
  const requestedMethods: string[] = []
  const sentTransactions: ScriptedWallet['sentTransactions'] = []
  const rejections = new Map<string, { code: number; message: string; data?: unknown }>()
  const responses = new Map<string, unknown>()
  let connected = isConnected
  const emit = (event: string, value: unknown) =>
    page.evaluate((detail) => window.dispatchEvent(new CustomEvent('scripted-wallet', { detail })), { event, value })

  const respondToRequest = async (method: string, params: unknown[]): Promise<unknown> => {
    requestedMethods.push(method)
    if (method === 'eth_sendTransaction') sentTransactions.push(params[0] as ScriptedWallet['sentTransactions'][number])
    const rejection = rejections.get(method)
    if (rejection) {
      rejections.delete(method)
      throw rejection
    }
    if (responses.has(method)) {
      const response = responses.get(method)
      responses.delete(method)
      return typeof response === 'function' ? response() : response
    }
    switch (method) {
      case 'eth_requestAccounts':
        connected = true
        return [account.address]
      case 'eth_accounts':
        return connected ? [account.address] : []
      case 'eth_chainId':
        return toHex(chainId)
      case 'wallet_requestPermissions':
        connected = true
        return [{ parentCapability: 'eth_accounts' }]
      case 'wallet_revokePermissions':
        connected = false
        return null
      case 'wallet_addEthereumChain':
      case 'wallet_switchEthereumChain':
        chainId = Number((params[0] as { chainId: Hex }).chainId)
        await emit('chainChanged', toHex(chainId))
        return null
      case 'personal_sign':
        return account.signMessage({ message: { raw: params[0] as Hex } })
      case 'eth_sendTransaction': {
        const { to, data, value } = params[0] as { to: Hex; data?: Hex; value?: Hex }
        return client.sendTransaction({ account, to, ...(data ? { data } : {}), value: BigInt(value ?? '0x0') })
      }
      default:
        return client.request({ method, params } as Parameters<typeof client.request>[0])
    }
  }
  await page.exposeFunction('requestScriptedWallet', async (method: string, params: unknown[]) => {
    try {
      return { result: await respondToRequest(method, params) }
    } catch (error) {
      const { code = -32603, message = 'failed', data } = error as { code?: number; message?: string; data?: unknown }
      return { error: { code, message, data } }
    }
  })
  // esbuild-based TypeScript loaders wrap named functions in a `__name` helper, which does not
  // exist in the page.
  await page.addInitScript('globalThis.__name ??= (value) => value')
  await page.addInitScript(announceWallet, walletId)
  if (isConnected) await page.addInitScript(rememberWallet, walletId)
  return {
    address: account.address,
    requestedMethods,
    sentTransactions,
    rejectNext: (method, error = { code: 4001, message: 'User rejected the request.' }) => {
      rejections.set(method, error)
    },
    respondNext: (method, response) => responses.set(method, response),
    async switchChain(id, options) {
      chainId = id
      if (!options?.isSilent) await emit('chainChanged', toHex(id))
    },
    async switchAccount(index) {
      account = testAccount(index)
      await emit('accountsChanged', [account.address])
    },
  }
}

/**
 * Runs in the page before its scripts. Stores the id of the last used wallet, as the page does when
 * a wallet connects.
 */
function rememberWallet(id: string): void {
  localStorage.setItem('wallet.recentConnectorId', JSON.stringify(id))
}

/**
 * Connects the scripted wallet if the page asks for a wallet. If the page offers neither the
 * demo wallet nor WalletConnect, it connects to the scripted wallet without asking the user: the
 * button of the wallet in the dialog is disabled, and the dialog closes by itself.
 */
export async function connectScriptedWallet(page: Page): Promise<void> {
  const connect = await waitForWalletState(page)
  // Request it in the page, so that the response is the one that the page gets.
  const config: Pick<PublicConfig, 'demo' | 'walletConnect'> = await page.evaluate(async () =>
    (await fetch('/api/config')).json(),
  )
  // Click only if the button is still there: a connection that is restored late removes it.
  const isAsking = await connect.evaluateAll((buttons: HTMLElement[]) => {
    buttons[0]?.click()
    return buttons.length > 0
  })
  if (!isAsking || (!config.demo && config.walletConnect === null)) return
  await page.getByRole('dialog').getByRole('button', { name: 'Scripted Wallet' }).click()
}

const findBalance = (page: Page) => page.getByRole('banner').getByRole('button', { name: /^Balance / })

/**
 * Waits until the page has restored its wallet connection or has found no stored connection.
 * Callers cannot wait for alerts instead, because the dashboard shows alerts earlier.
 * @returns the button that connects a wallet
 */
export async function waitForWalletState(page: Page): Promise<Locator> {
  const connect = page.getByRole('main').getByRole('button', { name: 'Connect Wallet' })
  await expect(connect.or(findBalance(page))).toBeVisible()
  return connect
}

/** Connects the scripted wallet on the dashboard if the page has not restored its connection. */
export async function openConnectedDashboard(page: Page): Promise<void> {
  await connectScriptedWallet(page)
  await expect(findBalance(page)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Market Insights Dashboard' })).toBeVisible()
}

/** Runs in the page. */
function announceWallet(id: string): void {
  type RequestWallet = (
    method: string,
    params: unknown[],
  ) => Promise<{ result?: unknown; error?: { code: number; message: string; data?: unknown } }>
  const { requestScriptedWallet } = window as unknown as { requestScriptedWallet: RequestWallet }
  const listeners: Record<string, ((value: unknown) => void)[]> = {}
  const provider = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      const { result, error } = await requestScriptedWallet(method, params)
      if (error) throw Object.assign(new Error(error.message), { code: error.code, data: error.data })
      return result
    },
    on(name: string, listener: (value: unknown) => void) {
      listeners[name] = [...(listeners[name] ?? []), listener]
    },
    removeListener(name: string, listener: (value: unknown) => void) {
      listeners[name] = (listeners[name] ?? []).filter((one) => one !== listener)
    },
  }
  window.addEventListener('scripted-wallet', (notification) => {
    const { event, value } = (notification as CustomEvent<{ event: string; value: unknown }>).detail
    for (const listener of listeners[event] ?? []) listener(value)
  })
  const info = {
    uuid: 'b6a1f4a8-2a52-4b43-9d0e-3f1c5c1f7f10',
    name: 'Scripted Wallet',
    icon: 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"%3E%3Crect width="32" height="32" fill="%23333"/%3E%3C/svg%3E',
    rdns: id,
  }
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}
