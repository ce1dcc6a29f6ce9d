import type { Page } from '@playwright/test'

/**
 * Names of the responses that the wallet can be set to give to every request. There is one of each
 * kind that the page can distinguish: no value, a wrong value, no accounts, no response, an error,
 * an exception and no function. checked-provider.test.ts covers every wrong value of every method.
 * The responses themselves are created in the page, because most of them cannot be serialized.
 */
export const hostileResponses = [
  'undefined',
  'list of nonsense',
  'empty list',
  'hang',
  'throw undefined',
  'throw before the promise',
  'no request function',
] as const
type HostileResponse = (typeof hostileResponses)[number] | 'honest'

export const hostileWalletName = 'Hostile Wallet'
const storageKey = 'hostileWallet'

/**
 * Announces a wallet (EIP-6963) whose responses are set with `setHostileResponse`, valid ones at
 * first. Also announces several malformed providers. Call before the first navigation.
 */
export async function installHostileWallet(page: Page, account: string): Promise<void> {
  // esbuild-based TypeScript loaders wrap named functions in a `__name` helper, which does not
  // exist in the page.
  await page.addInitScript('globalThis.__name ??= (value) => value')
  await page.addInitScript(announceHostileWallet, { account, name: hostileWalletName, storageKey })
}

/**
 * Sets the response to all following requests.
 * @param emits whether the wallet also emits its events with invalid values
 */
export async function setHostileResponse(page: Page, response: HostileResponse, { emits = false } = {}): Promise<void> {
  await page.evaluate(
    ([key, value, withEvents]) => {
      localStorage.setItem(key, value)
      if (withEvents) window.dispatchEvent(new Event('hostile-wallet'))
    },
    [storageKey, response, emits] as const,
  )
}

/** Runs in the page. */
function announceHostileWallet({ account, name, storageKey }: { account: string; name: string; storageKey: string }) {
  const listeners: ((value: unknown) => void)[] = []
  const readCurrentResponse = () => localStorage.getItem(storageKey) ?? 'honest'
  const validResponses: Record<string, unknown> = {
    eth_accounts: [account],
    eth_requestAccounts: [account],
    eth_chainId: '0x7a69',
    eth_getBalance: '0x0',
    eth_call: '0x',
  }
  const values: Record<string, unknown> = {
    undefined: undefined,
    null: null,
    'empty list': [],
    'list of null': [null],
    'list of nonsense': ['0x12', 5, {}],
    number: 42,
    object: { address: account },
    string: 'yes',
  }
  const request = ({ method }: { method: string }): unknown => {
    const response = readCurrentResponse()
    if (response === 'honest') return Promise.resolve(validResponses[method] ?? null)
    if (response === 'hang') return new Promise(() => {})
    if (response === 'throw undefined') return Promise.reject(undefined)
    if (response === 'throw before the promise') throw new Error('no')
    return values[response]
  }
  const provider = {
    get request() {
      return readCurrentResponse() === 'no request function' ? undefined : request
    },
    on: (_event: string, listener: (value: unknown) => void) => listeners.push(listener),
  }
  window.addEventListener('hostile-wallet', () => {
    for (const listener of listeners) for (const value of Object.values(values)) listener(value)
  })
  const info = { uuid: '7d0a3e0c-93b8-4c5b-8f0e-0f6b2f3a9b11', name, icon: 7, rdns: 'test.hostile.wallet' }
  const unusableProviders = [
    undefined,
    null,
    5,
    {},
    { info },
    { info: null, provider },
    { info: { ...info, rdns: 1 }, provider },
  ]
  const announce = () => {
    for (const detail of [...unusableProviders, { info, provider }]) {
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    }
  }
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}
