import { getChain, type PublicConfig } from '@tocsin/protocol'
import {
  createWalletClient,
  decodeFunctionData,
  defineChain,
  erc20Abi,
  getAddress,
  type HDAccount,
  type Hex,
  hexToString,
  http,
  isAddressEqual,
  numberToHex,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { z } from 'zod'
import { browserStorage } from '../browser/browser-storage.ts'
import { formatAmount } from './amount.ts'
import { demoRequests } from './demo-requests.ts'
import { ProviderError } from './provider-error.ts'

/** The well-known public mnemonic of development chains. */
const mnemonic = 'test test test test test test test test test test test junk'
/**
 * Precomputed addresses of the mnemonic. Deriving a key is slow, so it happens only for signing.
 */
const accounts = [
  { addressIndex: 1, address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' },
  { addressIndex: 2, address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' },
  { addressIndex: 3, address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906' },
]
const storageKey = 'demoWallet'

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="6" fill="#1f292f"/>' +
    '<path d="M6 11h18a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2V9.5a2.5 2.5 0 0 1 2.5-2.5H22" fill="none" stroke="#ecf1f3" stroke-width="2"/>' +
    '<path d="M20.5 14.5 24 18l-3.5 3.5L17 18Z" fill="#19e5e5"/></svg>',
)}`

export const demoWalletInfo = {
  uuid: '6f0e5a35-31a0-4d5e-9f2c-7bb1d1a4c0de',
  name: 'Demo Wallet',
  icon,
  rdns: 'app.tocsin.demo-wallet',
}

const hexSchema = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value))
const callSchema = z.object({ method: z.string(), params: z.unknown().optional() })
const signParams = z.tuple([hexSchema, z.string()])
const typedDataParams = z.tuple([z.string(), z.string()])
const typedDataSchema = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
})
const sendParams = z
  .array(z.object({ to: hexSchema.optional(), data: hexSchema.optional(), value: hexSchema.optional() }))
  .min(1)
const chainParams = z.tuple([z.looseObject({ chainId: hexSchema })])
const rpcAnswerSchema = z.object({
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
})

/** Announces the Demo Wallet like an extension (EIP-6963): now and on every provider request. */
export function announceDemoWallet(config: PublicConfig): void {
  const detail = Object.freeze({ info: demoWalletInfo, provider: new DemoProvider(config) })
  const announce = () => window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
  window.addEventListener('eip6963:requestProvider', announce)
  announce()
}

type Listener = (value: unknown) => void

/** EIP-1193 provider for the demo's chain. Asks the user before connecting, signing or sending. */
class DemoProvider {
  readonly #config: PublicConfig
  readonly #url = `${location.origin}/dev/chain`
  readonly #listeners = new Map<string, Set<Listener>>()
  #connected = readConnectedIndex()

  constructor(config: PublicConfig) {
    this.#config = config
  }

  on(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners.add(listener))
  }

  removeListener(event: string, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener)
  }

  async request(input: unknown): Promise<unknown> {
    const { method, params } = callSchema.parse(input)
    switch (method) {
      case 'eth_accounts':
        return this.#accounts()
      case 'eth_requestAccounts':
        return this.#connected === null ? this.#connect() : this.#accounts()
      case 'wallet_requestPermissions':
        return [createPermission(await this.#connect())]
      case 'wallet_getPermissions':
        return this.#connected === null ? [] : [createPermission(this.#accounts())]
      case 'wallet_revokePermissions':
        return this.#setConnected(null)
      case 'personal_sign':
        return this.#sign(signParams.parse(params))
      case 'eth_signTypedData_v4':
        return this.#signTypedData(typedDataParams.parse(params))
      case 'eth_sendTransaction':
        return this.#send(sendParams.parse(params)[0] ?? {})
      case 'wallet_switchEthereumChain':
      case 'wallet_addEthereumChain':
        return this.#switchTo(chainParams.parse(params)[0].chainId)
      default:
        return this.#forward(method, params)
    }
  }

  #accounts(): string[] {
    const account = this.#connected === null ? undefined : accounts[this.#connected]
    return account ? [account.address] : []
  }

  async #connect(): Promise<string[]> {
    const addresses = accounts.map(({ address }) => address)
    this.#setConnected(await demoRequests.ask({ kind: 'connect', accounts: addresses, chosen: this.#connected ?? 0 }))
    return this.#accounts()
  }

  #setConnected(index: number | null): null {
    const hasChanged = index !== this.#connected
    this.#connected = index
    if (index === null) browserStorage.removeItem(storageKey)
    else browserStorage.setItem(storageKey, String(index))
    if (hasChanged) this.#emit('accountsChanged', this.#accounts())
    return null
  }

  async #sign([message, address]: [Hex, string]): Promise<Hex> {
    const account = this.#requireAccount(address)
    await demoRequests.ask({ kind: 'sign', account: account.address, text: hexToString(message) })
    return account.signMessage({ message: { raw: message } })
  }

  async #signTypedData([address, json]: [string, string]): Promise<Hex> {
    const account = this.#requireAccount(address)
    const data = typedDataSchema.parse(JSON.parse(json))
    await demoRequests.ask({ kind: 'sign', account: account.address, text: JSON.stringify(data.message, null, 2) })
    return account.signTypedData(data)
  }

  async #send({ to, data, value }: z.infer<typeof sendParams>[number]): Promise<Hex> {
    const account = this.#requireAccount(this.#accounts()[0] ?? '')
    if (!to) throw new ProviderError(4200, 'Demo Wallet does not deploy contracts.')
    await demoRequests.ask({ kind: 'send', account: account.address, ...this.#describe(to, data, value) })
    const { id, name, nativeCurrency } = getChain(this.#config.chain.id)
    const chain = defineChain({ id, name, nativeCurrency, rpcUrls: { default: { http: [this.#url] } } })
    const client = createWalletClient({ account, chain, transport: http(this.#url) })
    return client.sendTransaction({ to, ...(data ? { data } : {}), ...(value ? { value: BigInt(value) } : {}) })
  }

  /**
   * Describes a transaction for the confirmation: amount and recipient of a token transfer, or the
   * raw data of another transaction.
   */
  #describe(to: Hex, data: Hex | undefined, value: Hex | undefined) {
    const transfer = decodeTransfer(data)
    if (!transfer) {
      const { symbol } = getChain(this.#config.chain.id).nativeCurrency
      return {
        to: getAddress(to),
        amount: `${formatAmount(BigInt(value ?? 0), 6)} ${symbol}`,
        contract: null,
        data: data ?? null,
      }
    }
    const isIto = isAddressEqual(to, getAddress(this.#config.token.address))
    const unit = isIto ? this.#config.token.symbol : 'of an unknown token'
    return {
      to: transfer.to,
      amount: `${formatAmount(transfer.amountWei, 2)} ${unit}`,
      contract: getAddress(to),
      data: null,
    }
  }

  async #switchTo(chainId: Hex): Promise<null> {
    if (Number(chainId) !== this.#config.chain.id) {
      throw new ProviderError(4902, `Unrecognized chain ID ${chainId}. Demo Wallet supports only the demo's chain.`)
    }
    this.#emit('chainChanged', numberToHex(this.#config.chain.id))
    return null
  }

  #requireAccount(address: string): HDAccount {
    const account = accounts.find((candidate) => candidate.address.toLowerCase() === address.toLowerCase())
    if (!account || !this.#accounts().includes(account.address)) {
      throw new ProviderError(4100, 'This account is not connected to this site.')
    }
    return mnemonicToAccount(mnemonic, { addressIndex: account.addressIndex })
  }

  async #forward(method: string, params: unknown): Promise<unknown> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: params ?? [] }),
    }).catch(() => null)
    if (!response?.ok) throw new ProviderError(4900, 'The demo chain does not respond.')
    const { result, error } = rpcAnswerSchema.parse(await response.json())
    if (error) throw new ProviderError(error.code, error.message)
    return result
  }

  #emit(event: string, value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value)
  }
}

function createPermission(accounts: string[]) {
  return { parentCapability: 'eth_accounts', caveats: [{ type: 'restrictReturnedAccounts', value: accounts }] }
}

function decodeTransfer(data: Hex | undefined): { to: string; amountWei: bigint } | null {
  if (!data) return null
  try {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data })
    return functionName === 'transfer' ? { to: args[0], amountWei: args[1] } : null
  } catch {
    return null
  }
}

function readConnectedIndex(): number | null {
  const index = Number(browserStorage.getItem(storageKey) ?? Number.NaN)
  return Number.isInteger(index) && index >= 0 && index < accounts.length ? index : null
}
