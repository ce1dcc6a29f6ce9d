import type { SignClient } from '@walletconnect/sign-client'
import { getAddress, numberToHex } from 'viem'
import { z } from 'zod'
import { pairing } from './pairing.ts'
import { ProviderError } from './provider-error.ts'
import { WalletError } from './wallet-error.ts'

/** The members of the WalletConnect client that RemoteWallet uses. */
export type RelayClient = Pick<InstanceType<typeof SignClient>, 'connect' | 'disconnect' | 'on' | 'request' | 'session'>
type Session = ReturnType<RelayClient['session']['getAll']>[number]
type Listener = (value: unknown) => void

interface RemoteWalletOptions {
  /** Loads the WalletConnect library. Does not contact a wallet. */
  open(): Promise<RelayClient>
  /** The chains to request in the session, the payment chain first. */
  chainIds: readonly number[]
  /** Executes read-only methods without the wallet, which is only used to sign and send. */
  read(call: { chainId: number; method: string; params: unknown }): Promise<unknown>
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
}

/** Storage key of the session topic. If no topic is stored, there is no session to restore. */
const storageKey = 'remoteWallet'
const relayTimeoutMs = 12_000
const namespace = 'eip155'

const signMethods = ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction', 'wallet_watchAsset']
const chainMethods = ['wallet_switchEthereumChain', 'wallet_addEthereumChain']
const sessionEvents = ['accountsChanged', 'chainChanged']

const callSchema = z.object({ method: z.string(), params: z.unknown().optional() })
const chainParams = z.array(z.looseObject({ chainId: z.string() })).min(1)
const peerErrorSchema = z.looseObject({ code: z.number(), message: z.string() })
/** CAIP-10 */
const approvedAccountPattern = /^eip155:(\d+):(0x[0-9a-fA-F]{40})$/
/** An account in a wallet event: a CAIP-10 id or a plain address. Wallets send both. */
const accountIdSchema = z.string().regex(/^(eip155:\d+:)?0x[0-9a-fA-F]{40}$/)

/**
 * EIP-1193 provider for a wallet on another device, through an encrypted WalletConnect 2 session
 * (CAIP-2 namespace `eip155`). The session outlives the page.
 */
export class RemoteWallet {
  readonly #options: RemoteWalletOptions
  readonly #listeners = new Map<string, Set<Listener>>()
  #client: Promise<RelayClient> | null = null
  #session: Session | null = null
  #restoring: Promise<void> | null = null
  #chainId: number
  /** The approved account that is active in the wallet. Null until the wallet reports one. */
  #activeAddress: string | null = null

  constructor(options: RemoteWalletOptions) {
    this.#options = options
    this.#chainId = options.chainIds[0] ?? 1
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
    const { method, params = [] } = callSchema.parse(input)
    this.#restoring ??= this.#restore().catch(() => {
      // The library could not be loaded. The next request tries again.
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
        // The session is the permission, so there is no separate request for permissions.
        throw new ProviderError(4200, 'Use eth_requestAccounts for this wallet.')
      case 'wallet_revokePermissions':
        return this.#disconnect()
      case 'wallet_switchEthereumChain':
        return this.#switchTo(chainParams.parse(params)[0]?.chainId ?? '', params)
      default:
        if (signMethods.includes(method) || chainMethods.includes(method)) return this.#sendToWallet(method, params)
        return this.#options.read({ chainId: this.#chainId, method, params })
    }
  }

  /** Shows a pairing link and waits until the user approves the session in the wallet. */
  async #pair(): Promise<void> {
    let stopPairing: (error: Error) => void = () => {}
    const pairingStop = new Promise<never>((_resolve, reject) => {
      stopPairing = reject
    })
    const cancel = () => stopPairing(new WalletError('rejected', pairingCancelledMessage))
    const timer = setTimeout(() => stopPairing(new WalletError('offline', relayUnreachableMessage)), relayTimeoutMs)
    pairing.show({ link: null, cancel })
    let sessionApproval: Promise<Session> | undefined
    try {
      const { uri = null, approval } = await Promise.race([ignoreLateError(this.#propose()), pairingStop])
      clearTimeout(timer)
      pairing.show({ link: uri, cancel })
      sessionApproval = approval()
      this.#startSession(await Promise.race([sessionApproval, pairingStop]))
    } catch (error) {
      // The user can still approve in the wallet. End that session, because no page uses it.
      sessionApproval?.then(({ topic }) => this.#endRemoteSession(topic)).catch(() => {})
      throw toProviderError(error)
    } finally {
      clearTimeout(timer)
      pairing.show(null)
    }
  }

  async #propose() {
    const client = await this.#open()
    const chains = this.#options.chainIds.map((id) => `${namespace}:${id}`)
    return client.connect({
      optionalNamespaces: {
        [namespace]: { chains, methods: [...signMethods, ...chainMethods], events: sessionEvents },
      },
    })
  }

  #startSession(session: Session): void {
    this.#session = session
    this.#options.storage.setItem(storageKey, session.topic)
    const approvedIds = this.#approvedAccounts().map(({ chainId }) => chainId)
    this.#setChain(this.#options.chainIds.find((id) => approvedIds.includes(id)) ?? approvedIds[0] ?? this.#chainId)
    this.#emit('accountsChanged', this.#accounts())
  }

  /** Restores the session of an earlier page. */
  async #restore(): Promise<void> {
    const topic = this.#options.storage.getItem(storageKey)
    if (topic === null) return
    const client = await this.#open()
    const session = client.session.getAll().find((one) => one.topic === topic)
    if (session && session.expiry * 1000 > Date.now()) this.#startSession(session)
    else this.#options.storage.removeItem(storageKey)
  }

  async #disconnect(): Promise<null> {
    const session = this.#session
    if (session === null) return null
    this.#endSession()
    await this.#endRemoteSession(session.topic)
    return null
  }

  async #endRemoteSession(topic: string): Promise<void> {
    const client = await this.#open()
    // Do not await: disconnecting must work while the relay is unreachable.
    client.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } }).catch(() => {})
  }

  #endSession(): void {
    this.#session = null
    this.#activeAddress = null
    this.#options.storage.removeItem(storageKey)
    this.#emit('accountsChanged', [])
  }

  async #sendToWallet(method: string, params: unknown): Promise<unknown> {
    if (this.#session === null) throw new ProviderError(4100, 'This account is not connected to this site.')
    const { topic } = this.#session
    const client = await this.#open()
    try {
      return await client.request({ topic, chainId: `${namespace}:${this.#chainId}`, request: { method, params } })
    } catch (error) {
      throw toProviderError(error)
    }
  }

  /**
   * Switches the chain. If the session contains an approved account on the chain, no request is
   * sent to the wallet. Otherwise the wallet asks the user.
   */
  async #switchTo(chainId: string, params: unknown): Promise<null> {
    const id = Number(chainId)
    if (!this.#approvedAccounts().some((account) => account.chainId === id)) {
      const methods = this.#session?.namespaces[namespace]?.methods ?? []
      if (!methods.includes('wallet_switchEthereumChain'))
        throw new ProviderError(4902, `Unrecognized chain ${chainId}.`)
      await this.#sendToWallet('wallet_switchEthereumChain', params)
    }
    this.#setChain(id)
    return null
  }

  #setChain(id: number): void {
    if (!Number.isSafeInteger(id) || id === this.#chainId) return
    this.#chainId = id
    this.#emit('chainChanged', numberToHex(id))
  }

  #accounts(): string[] {
    const addresses = [...new Set(this.#approvedAccounts().map(({ address }) => address))]
    return addresses.sort((a, b) => Number(b === this.#activeAddress) - Number(a === this.#activeAddress))
  }

  #approvedAccounts(): { chainId: number; address: string }[] {
    const accounts = this.#session?.namespaces[namespace]?.accounts ?? []
    return accounts.flatMap((account) => {
      const [, chainId, address] = approvedAccountPattern.exec(account) ?? []
      return chainId && address ? [{ chainId: Number(chainId), address: getAddress(address) }] : []
    })
  }

  #open(): Promise<RelayClient> {
    this.#client ??= this.#options.open().then(
      (client) => {
        this.#listen(client)
        return client
      },
      (error) => {
        // Clear the cached promise, so that the next call tries again.
        this.#client = null
        throw error
      },
    )
    return this.#client
  }

  #listen(client: RelayClient): void {
    const isOwnTopic = (topic: string) => topic === this.#session?.topic
    const endIfOwn = ({ topic }: { topic: string }) => {
      if (isOwnTopic(topic)) this.#endSession()
    }
    client.on('session_delete', endIfOwn)
    client.on('session_expire', endIfOwn)
    client.on('session_update', ({ topic, params: { namespaces } }) => {
      if (this.#session === null || !isOwnTopic(topic)) return
      this.#session = { ...this.#session, namespaces }
      this.#emit('accountsChanged', this.#accounts())
    })
    client.on('session_event', ({ topic, params: { event } }) => {
      if (!isOwnTopic(topic)) return
      if (event.name === 'chainChanged') this.#setChain(Number(event.data))
      if (event.name === 'accountsChanged') this.#setActiveAddress(event.data)
    })
  }

  #setActiveAddress(accounts: unknown): void {
    const [firstAccount] = z.array(accountIdSchema).safeParse(accounts).data ?? []
    if (firstAccount === undefined) return
    this.#activeAddress = getAddress(`0x${firstAccount.slice(-40)}`)
    this.#emit('accountsChanged', this.#accounts())
  }

  #emit(event: string, value: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(value)
  }
}

const pairingCancelledMessage = 'Connection cancelled. Nothing was sent.'
const relayUnreachableMessage = 'The WalletConnect relay can’t be reached. Try again, or use a wallet in this browser.'

/** Prevents an unhandled rejection if `work` rejects after the caller has stopped waiting. */
function ignoreLateError<Value>(work: Promise<Value>): Promise<Value> {
  work.catch(() => {})
  return work
}

/** Converts errors of the peer. WalletConnect's rejection codes (5000 to 5099) become 4001. */
function toProviderError(error: unknown): Error {
  if (error instanceof ProviderError || error instanceof WalletError) return error
  const { data } = peerErrorSchema.safeParse(error)
  if (!data) return error instanceof Error ? error : new ProviderError(-32603, 'The wallet did not respond.')
  return new ProviderError(data.code >= 5000 && data.code < 5100 ? 4001 : data.code, data.message)
}
