import type { Page } from '@playwright/test'
import { testAccount } from '@tocsin/testkit'
import { createWalletClient, type Hex, http, publicActions, toHex } from 'viem'
import { foundry } from 'viem/chains'

export interface ScriptedWallet {
  address: string
  /** What the wallet was asked, in order. */
  requests: string[]
  /** The transactions that it was asked to send, in order, as they were asked. */
  sent: { to?: Hex; data?: Hex; value?: Hex; from?: Hex }[]
  /**
   * Makes the next request of this kind fail as a person's refusal does (EIP-1193, 4001), or with
   * an error of one's own.
   */
  rejectNext(method: string, error?: { code: number; message: string; data?: unknown }): void
  /**
   * Gives this instead of an answer to the next request of this kind, or what it returns when
   * asked; a promise that never settles is a wallet that hangs.
   */
  respondNext(method: string, answer: unknown): void
  /**
   * Moves the wallet to another chain, as its owner would in its own window; a careless one does
   * not tell the page.
   */
  switchChain(chainId: number, options?: { isSilent: boolean }): Promise<void>
  /** Shows the site another account of the same wallet. */
  switchAccount(index: number): Promise<void>
}

/**
 * Puts a wallet into the page that announces itself as an installed extension does (EIP-6963) and
 * is backed by an account of the local chain. It agrees to everything unless told otherwise. Call
 * before the first navigation.
 */
export async function installWallet(
  page: Page,
  { chainUrl, accountIndex }: { chainUrl: string; accountIndex: number },
): Promise<ScriptedWallet> {
  let account = testAccount(accountIndex)
  let chainId: number = foundry.id
  const client = createWalletClient({ chain: foundry, transport: http(chainUrl) }).extend(publicActions)
  const requests: string[] = []
  const sent: ScriptedWallet['sent'] = []
  const rejections = new Map<string, { code: number; message: string; data?: unknown }>()
  const answers = new Map<string, unknown>()
  let connected = false
  const emit = (event: string, value: unknown) =>
    page.evaluate((detail) => window.dispatchEvent(new CustomEvent('scripted-wallet', { detail })), { event, value })

  const answer = async (method: string, params: unknown[]): Promise<unknown> => {
    requests.push(method)
    if (method === 'eth_sendTransaction') sent.push(params[0] as ScriptedWallet['sent'][number])
    const rejection = rejections.get(method)
    if (rejection) {
      rejections.delete(method)
      throw rejection
    }
    if (answers.has(method)) {
      const given = answers.get(method)
      answers.delete(method)
      return typeof given === 'function' ? given() : given
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
  await page.exposeFunction('askScriptedWallet', async (method: string, params: unknown[]) => {
    try {
      return { result: await answer(method, params) }
    } catch (error) {
      const { code = -32603, message = 'failed', data } = error as { code?: number; message?: string; data?: unknown }
      return { error: { code, message, data } }
    }
  })
  // Loaders of TypeScript wrap named functions in a helper of this name, which a page does not
  // have.
  await page.addInitScript('globalThis.__name ??= (value) => value')
  await page.addInitScript(announceWallet)
  return {
    address: account.address,
    requests,
    sent,
    rejectNext: (method, error = { code: 4001, message: 'User rejected the request.' }) => {
      rejections.set(method, error)
    },
    respondNext: (method, given) => answers.set(method, given),
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

/** Runs in the page. */
function announceWallet(): void {
  type Ask = (
    method: string,
    params: unknown[],
  ) => Promise<{ result?: unknown; error?: { code: number; message: string; data?: unknown } }>
  const { askScriptedWallet } = window as unknown as { askScriptedWallet: Ask }
  const listeners: Record<string, ((value: unknown) => void)[]> = {}
  const provider = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      const { result, error } = await askScriptedWallet(method, params)
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
  window.addEventListener('scripted-wallet', (happened) => {
    const { event, value } = (happened as CustomEvent<{ event: string; value: unknown }>).detail
    for (const listener of listeners[event] ?? []) listener(value)
  })
  const info = {
    uuid: 'b6a1f4a8-2a52-4b43-9d0e-3f1c5c1f7f10',
    name: 'Scripted Wallet',
    icon: 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"%3E%3Crect width="32" height="32" fill="%23333"/%3E%3C/svg%3E',
    rdns: 'test.scripted.wallet',
  }
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}
