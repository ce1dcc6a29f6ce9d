import type { Page } from '@playwright/test'

/**
 * What the wallet answers to every call, or how it fails. Named, because most of it can't be passed
 * to a page.
 */
export const hostileResponses = [
  'undefined',
  'null',
  'empty list',
  'list of null',
  'list of nonsense',
  'number',
  'object',
  'string',
  'hang',
  'throw undefined',
  'throw a string',
  'throw before the promise',
  'no request function',
] as const
export type HostileResponse = (typeof hostileResponses)[number] | 'honest'

export const hostileWalletName = 'Hostile Wallet'
const answerKey = 'hostileWallet'

/**
 * Announces a wallet (EIP-6963) that answers as told, at first honestly for one account. Beside it
 * stand announcements that are none. Call before the first navigation.
 */
export async function installHostileWallet(page: Page, account: string): Promise<void> {
  // Loaders of TypeScript wrap named functions in a helper of this name, which a page does not
  // have.
  await page.addInitScript('globalThis.__name ??= (value) => value')
  await page.addInitScript(announceHostileWallet, { account, name: hostileWalletName, answerKey })
}

/** From the next call on. @param emits whether its events say such things too */
export async function setHostileResponse(page: Page, answer: HostileResponse, { emits = false } = {}): Promise<void> {
  await page.evaluate(
    ([key, value, withEvents]) => {
      localStorage.setItem(key, value)
      if (withEvents) window.dispatchEvent(new Event('hostile-wallet'))
    },
    [answerKey, answer, emits] as const,
  )
}

/** Runs in the page. */
function announceHostileWallet({ account, name, answerKey }: { account: string; name: string; answerKey: string }) {
  const listeners: ((value: unknown) => void)[] = []
  const told = () => localStorage.getItem(answerKey) ?? 'honest'
  const honest: Record<string, unknown> = {
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
    const answer = told()
    if (answer === 'honest') return Promise.resolve(honest[method] ?? null)
    if (answer === 'hang') return new Promise(() => {})
    if (answer === 'throw undefined') return Promise.reject(undefined)
    if (answer === 'throw a string') return Promise.reject('no')
    if (answer === 'throw before the promise') throw new Error('no')
    return values[answer]
  }
  const provider = {
    get request() {
      return told() === 'no request function' ? undefined : request
    },
    on: (_event: string, listener: (value: unknown) => void) => listeners.push(listener),
  }
  window.addEventListener('hostile-wallet', () => {
    for (const listener of listeners) for (const value of Object.values(values)) listener(value)
  })
  const info = { uuid: '7d0a3e0c-93b8-4c5b-8f0e-0f6b2f3a9b11', name, icon: 7, rdns: 'test.hostile.wallet' }
  const unusable = [
    undefined,
    null,
    5,
    {},
    { info },
    { info: null, provider },
    { info: { ...info, rdns: 1 }, provider },
  ]
  const announce = () => {
    for (const detail of [...unusable, { info, provider }]) {
      window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    }
  }
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}
