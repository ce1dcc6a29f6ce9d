import type { SignClient } from '@walletconnect/sign-client'
import { getAddress, numberToHex } from 'viem'
import { z } from 'zod'
import { pairing } from './pairing.ts'
import { ProviderError } from './provider-error.ts'
import { WalletError } from './wallet-error.ts'

/** What of the library is used here. */
export type RelayClient = Pick<InstanceType<typeof SignClient>, 'connect' | 'disconnect' | 'on' | 'request' | 'session'>
type Session = ReturnType<RelayClient['session']['getAll']>[number]
type Listener = (value: unknown) => void

interface RemoteWalletParts {
  /** Loads the library; nobody is asked for anything yet. */
  open(): Promise<RelayClient>
  /** The chains that the wallet is asked to agree to, the one that payments are made on first. */
  chainIds: readonly number[]
  /** Such wallets sign and send. What the chain says is asked elsewhere. */
  read(call: { chainId: number; method: string; params: unknown }): Promise<unknown>
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

/**
 * The topic of the session. Without it there is none to go on with, and the library is not loaded.
 */
const storageKey = 'remoteWallet'
const relayPatienceMs = 12_000
const namespace = 'eip155'

const signing = ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction', 'wallet_watchAsset']
const moving = ['wallet_switchEthereumChain', 'wallet_addEthereumChain']
const events = ['accountsChanged', 'chainChanged']

const call = z.object({ method: z.string(), params: z.unknown().optional() })
const chainParams = z.array(z.looseObject({ chainId: z.string() })).min(1)
const peerError = z.looseObject({ code: z.number(), message: z.string() })
/** CAIP-10 */
const agreedAccount = /^eip155:(\d+):(0x[0-9a-fA-F]{40})$/
/** CAIP-10, or the address alone: what wallets tell of in events. */
const accountId = z.string().regex(/^(eip155:\d+:)?0x[0-9a-fA-F]{40}$/)

/**
 * A wallet on another device as an EIP-1193 provider. Sealed messages reach it through a relay
 * (WalletConnect 2, CAIP-2 namespace `eip155`). What its owner has agreed to is a session, which
 * outlives the page.
 */
export class RemoteWallet {
  readonly #parts: RemoteWalletParts
  readonly #listeners = new Map<string, Set<Listener>>()
  #client: Promise<RelayClient> | null = null
  #session: Session | null = null
  #restoring: Promise<void> | null = null
  #chainId: number
  /** Of the accounts that the wallet has agreed to, the one that it shows. */
  #shown: string | null = null

  constructor(parts: RemoteWalletParts) {
    this.#parts = parts
    this.#chainId = parts.chainIds[0] ?? 1
  }

  on(event: string, listener: Listener): void {
    const listeners = this.#listeners.get(event) ?? new Set()
    this.#listeners.set(event, listeners.add(listener))
  }

  removeListener(event: string, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener)
  }

  /**
   * @throws ProviderError with the codes of EIP-1193 and EIP-1474, WalletError while no wallet is
   *   paired
   */
  async request(input: unknown): Promise<unknown> {
    const { method, params = [] } = call.parse(input)
    this.#restoring ??= this.#restore().catch(() => {
      // The library could not be loaded: until it can, nobody is paired.
      this.#restoring = null
    })
    await this.#restoring
    switch (method) {
      case 'eth_accounts':
        return this.#accounts()
      case 'eth_requestAccounts':
        if (this.#session === null) await this.#pair()
        return this.#accounts()
      case 'eth_chainId':
        return numberToHex(this.#chainId)
      case 'wallet_requestPermissions':
        // Agreeing to a session is the permission.
        throw new ProviderError(4200, 'This wallet is asked with eth_requestAccounts.')
      case 'wallet_revokePermissions':
        return this.#leave()
      case 'wallet_switchEthereumChain':
        return this.#switchTo(chainParams.parse(params)[0]?.chainId ?? '', params)
      default:
        if (signing.includes(method) || moving.includes(method)) return this.#ask(method, params)
        return this.#parts.read({ chainId: this.#chainId, method, params })
    }
  }

  /** Shows a link for the wallet and waits until its owner agrees. */
  async #pair(): Promise<void> {
    let stop: (error: Error) => void = () => {}
    const stopped = new Promise<never>((_resolve, reject) => {
      stop = reject
    })
    const cancel = () => stop(new WalletError('rejected', cancelled))
    const timer = setTimeout(() => stop(new WalletError('offline', noRelay)), relayPatienceMs)
    pairing.show({ link: null, cancel })
    try {
      const { uri = null, approval } = await Promise.race([ended(this.#offer()), stopped])
      clearTimeout(timer)
      pairing.show({ link: uri, cancel })
      this.#begin(await Promise.race([ended(approval()), stopped]))
    } catch (error) {
      throw asThrown(error)
    } finally {
      clearTimeout(timer)
      pairing.show(null)
    }
  }

  async #offer() {
    const client = await this.#open()
    const chains = this.#parts.chainIds.map((id) => `${namespace}:${id}`)
    return client.connect({ optionalNamespaces: { [namespace]: { chains, methods: [...signing, ...moving], events } } })
  }

  #begin(session: Session): void {
    this.#session = session
    this.#parts.storage.setItem(storageKey, session.topic)
    const agreed = this.#agreed().map(({ chainId }) => chainId)
    this.#moveTo(this.#parts.chainIds.find((id) => agreed.includes(id)) ?? agreed[0] ?? this.#chainId)
    this.#emit('accountsChanged', this.#accounts())
  }

  /** Goes on with the session that an earlier page has begun. */
  async #restore(): Promise<void> {
    const topic = this.#parts.storage.getItem(storageKey)
    if (topic === null) return
    const client = await this.#open()
    const session = client.session.getAll().find((one) => one.topic === topic)
    if (session && session.expiry * 1000 > Date.now()) this.#begin(session)
    else this.#parts.storage.removeItem(storageKey)
  }

  async #leave(): Promise<null> {
    const session = this.#session
    if (session === null) return null
    this.#forget()
    const client = await this.#open()
    // Not waited for: a relay that is away must hold up nobody who leaves.
    client.disconnect({ topic: session.topic, reason: { code: 6000, message: 'User disconnected.' } }).catch(() => {})
    return null
  }

  #forget(): void {
    this.#session = null
    this.#shown = null
    this.#parts.storage.removeItem(storageKey)
    this.#emit('accountsChanged', [])
  }

  async #ask(method: string, params: unknown): Promise<unknown> {
    if (this.#session === null) throw new ProviderError(4100, 'This account is not connected to this site.')
    const { topic } = this.#session
    const client = await this.#open()
    try {
      return await client.request({ topic, chainId: `${namespace}:${this.#chainId}`, request: { method, params } })
    } catch (error) {
      throw asThrown(error)
    }
  }

  /**
   * A chain that the wallet has agreed to is only a matter of where it is asked; for any other one
   * its owner is.
   */
  async #switchTo(chainId: string, params: unknown): Promise<null> {
    const id = Number(chainId)
    if (!this.#agreed().some((account) => account.chainId === id)) {
      const methods = this.#session?.namespaces[namespace]?.methods ?? []
      if (!methods.includes('wallet_switchEthereumChain'))
        throw new ProviderError(4902, `Unrecognized chain ${chainId}.`)
      await this.#ask('wallet_switchEthereumChain', params)
    }
    this.#moveTo(id)
    return null
  }

  #moveTo(id: number): void {
    if (!Number.isSafeInteger(id) || id === this.#chainId) return
    this.#chainId = id
    this.#emit('chainChanged', numberToHex(id))
  }

  #accounts(): string[] {
    const addresses = [...new Set(this.#agreed().map(({ address }) => address))]
    return addresses.sort((a, b) => Number(b === this.#shown) - Number(a === this.#shown))
  }

  #agreed(): { chainId: number; address: string }[] {
    const accounts = this.#session?.namespaces[namespace]?.accounts ?? []
    return accounts.flatMap((account) => {
      const [, chainId, address] = agreedAccount.exec(account) ?? []
      return chainId && address ? [{ chainId: Number(chainId), address: getAddress(address) }] : []
    })
  }

  #open(): Promise<RelayClient> {
    this.#client ??= this.#parts.open().then(
      (client) => {
        this.#follow(client)
        return client
      },
      (error) => {
        // Loaded in vain once is no reason not to try again.
        this.#client = null
        throw error
      },
    )
    return this.#client
  }

  #follow(client: RelayClient): void {
    const isOurs = (topic: string) => topic === this.#session?.topic
    const end = ({ topic }: { topic: string }) => {
      if (isOurs(topic)) this.#forget()
    }
    client.on('session_delete', end)
    client.on('session_expire', end)
    client.on('session_update', ({ topic, params: { namespaces } }) => {
      if (this.#session === null || !isOurs(topic)) return
      this.#session = { ...this.#session, namespaces }
      this.#emit('accountsChanged', this.#accounts())
    })
    client.on('session_event', ({ topic, params: { event } }) => {
      if (!isOurs(topic)) return
      if (event.name === 'chainChanged') this.#moveTo(Number(event.data))
      if (event.name === 'accountsChanged') this.#show(event.data)
    })
  }

  #show(accounts: unknown): void {
    const [first] = z.array(accountId).safeParse(accounts).data ?? []
    if (first === undefined) return
    this.#shown = getAddress(`0x${first.slice(-40)}`)
    this.#emit('accountsChanged', this.#accounts())
  }

  #emit(event: string, value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value)
  }
}

const cancelled = 'Connecting was stopped. Nothing was sent.'
const noRelay =
  'The WalletConnect relay can’t be reached, so no wallet on another device can be asked. Try again, or use a wallet of this browser.'

/** Whoever has stopped waiting is not told any more that it failed. */
function ended<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => {})
  return work
}

/** Wallets say no with codes of their own protocol (5000 and on), which mean what 4001 means. */
function asThrown(error: unknown): Error {
  if (error instanceof ProviderError || error instanceof WalletError) return error
  const { data } = peerError.safeParse(error)
  if (!data) return error instanceof Error ? error : new ProviderError(-32603, 'The wallet did not answer.')
  return new ProviderError(data.code >= 5000 && data.code < 5100 ? 4001 : data.code, data.message)
}
