import type { PublicConfig } from '@tocsin/protocol'
import type { EIP1193Provider } from 'viem'
import { signMessage } from 'viem/actions'
import {
  type Config,
  type Connector,
  type CreateConnectorFn,
  createConfig,
  createStorage,
  deserialize,
  injected,
} from 'wagmi'
import {
  connect,
  disconnect,
  getConnection,
  getConnectorClient,
  reconnect,
  watchAsset,
  watchConnection,
  watchConnectors,
} from 'wagmi/actions'
import { browserStorage } from '../browser/browser-storage.ts'
import { yieldToBrowser } from '../browser/yield-to-browser.ts'
import { pollAccount } from './account-poll.ts'
import { interceptWalletAnnouncements } from './check-announcements.ts'
import { checkProvider } from './checked-provider.ts'
import { explainError } from './explain-error.ts'
import { chooseTransport, describeNetwork, findServerRpcUrl, type WalletCall } from './network.ts'
import { switchNetwork } from './switch-network.ts'
import { TokenChain } from './token-chain.ts'
import type { Funds, PaymentPath, ReceiptOutcome, TokenPayment } from './token-payment.ts'
import { WalletError } from './wallet-error.ts'
import {
  disconnectedFlag,
  type FoundWallet,
  type WalletEngine,
  type WalletStore,
  walletStorageKey,
} from './wallet-store.ts'

/**
 * Maximum time in ms that `restore` waits for the connection of the last used wallet. After this
 * time, the wallet is shown as disconnected until its connection is restored.
 */
const restoreTimeoutMs = 5000
/** Ids of the wallets that this page announces itself. These wallets never set window.ethereum. */
const demoWalletId = 'app.tocsin.demo-wallet'
const remoteWalletId = 'org.walletconnect'

/**
 * Discovers the browser's wallets and restores the last connection unless the user disconnected.
 */
export async function startWallet(config: PublicConfig, store: WalletStore): Promise<WalletEngine> {
  interceptWalletAnnouncements()
  if (config.demo) await installDemoWallet(config)
  if (config.walletConnect) await installRemoteWallet(config, config.walletConnect)
  // Run each step as a separate task, because the page is being rendered while its wallet is
  // restored.
  await yieldToBrowser()
  const engine = new WagmiEngine(config, store)
  await yieldToBrowser()
  await engine.restore()
  store.update({ hasFailed: false })
  return engine
}

async function installDemoWallet(config: PublicConfig): Promise<void> {
  const [{ announceDemoWallet }, { mountDemoWalletWindow }] = await Promise.all([
    import('./demo-wallet.ts'),
    import('./demo-wallet-window.tsx'),
  ])
  mountDemoWalletWindow()
  announceDemoWallet(config)
}

async function installRemoteWallet(config: PublicConfig, relay: NonNullable<PublicConfig['walletConnect']>) {
  const { announceRemoteWallet } = await import('./announce-remote-wallet.ts')
  announceRemoteWallet(config, relay)
}

class WagmiEngine implements WalletEngine {
  #config: PublicConfig
  readonly #store: WalletStore
  /**
   * Manages wallets and the connection only. Chain access goes through `TokenChain`, because the
   * operator can change the payment chain at run time.
   */
  readonly #wagmi: Config
  #isRestoring = true
  /** Polls in a row with an invalid response. */
  #invalidPolls = 0

  constructor(config: PublicConfig, store: WalletStore) {
    this.#config = config
    this.#store = store
    const chain = describeNetwork(config.chain.id, config)
    const request = async (call: WalletCall) => (await this.#provider()).request(call)
    this.#wagmi = createConfig({
      chains: [chain],
      connectors: [createCheckedInjected()],
      transports: { [chain.id]: chooseTransport(chain.id, config, request) },
      storage: createStorage({ storage: browserStorage, key: walletStorageKey, deserialize: parseStoredItem }),
    })
  }

  updateConfig(config: PublicConfig): void {
    const previousConfig = this.#config
    this.#config = config
    if (previousConfig.chain.id === config.chain.id && previousConfig.token.address === config.token.address) return
    this.#store.update({ balanceWei: null, nativeWei: null })
    void this.refreshBalance()
  }

  async restore(): Promise<void> {
    watchConnectors(this.#wagmi, { onChange: () => void this.#onWalletsAnnounced() })
    watchConnection(this.#wagmi, { onChange: () => this.#publishConnection() })
    pollAccount(() => this.#pollWallet())
    window.addEventListener('storage', ({ key, newValue }) => {
      // The user disconnected in another tab.
      if (key === disconnectedFlag && newValue !== null) void disconnect(this.#wagmi)
    })
    await this.#publishWallets()
    if (browserStorage.getItem(disconnectedFlag) === null) {
      const timeout = new Promise((resolve) => setTimeout(resolve, restoreTimeoutMs))
      await Promise.race([reconnect(this.#wagmi), timeout])
      await yieldToBrowser()
    }
    this.#isRestoring = false
    this.#publishConnection()
  }

  async connect(uid: string): Promise<string> {
    const connector = this.#wagmi.connectors.find((candidate) => candidate.uid === uid)
    if (!connector) throw new WalletError('other', 'Failed to connect wallet')
    try {
      if (getConnection(this.#wagmi).connector?.uid === uid) await disconnect(this.#wagmi)
      const { accounts } = await connect(this.#wagmi, { connector })
      const [account] = accounts
      if (!account) throw new WalletError('no_accounts', 'No accounts found')
      browserStorage.removeItem(disconnectedFlag)
      await this.#publishWallets()
      return account
    } catch (error) {
      throw this.#explain(error, 'Failed to connect wallet')
    }
  }

  async disconnect(): Promise<void> {
    browserStorage.setItem(disconnectedFlag, 'true')
    // Also revokes the wallet permission (EIP-2255) if the wallet supports it.
    await disconnect(this.#wagmi)
  }

  async switchNetwork(chainId: number): Promise<void> {
    await switchNetwork(await this.#provider(), describeNetwork(chainId, this.#config))
    // Some wallets switch without an event, so update the state here.
    getConnection(this.#wagmi).connector?.onChainChanged(String(chainId))
  }

  async refreshBalance(): Promise<void> {
    const { address } = this.#store.snapshot()
    const { chain, token } = this.#config
    if (address === null || !this.#canReadBalance()) {
      return this.#store.update({ balanceWei: null, nativeWei: null })
    }
    this.#store.update({ isRefreshing: true })
    await yieldToBrowser()
    const reader = this.#tokenChain(chain.id)
    const [balanceWei, nativeWei] = await Promise.all([
      reader.readBalance(token.address, address),
      reader.readNative(address),
    ])
    const isCurrent =
      this.#store.snapshot().address === address &&
      this.#config.chain.id === chain.id &&
      this.#config.token.address === token.address
    this.#store.update({ isRefreshing: false, ...(isCurrent ? { balanceWei, nativeWei } : {}) })
  }

  /**
   * True if the balance can be read: the wallet is on the payment chain, or this site has an RPC
   * endpoint for that chain. A wallet on another chain would read a contract of the wrong chain.
   */
  #canReadBalance(): boolean {
    const { id } = this.#config.chain
    return this.#store.snapshot().chainId === id || findServerRpcUrl(id, this.#config) !== null
  }

  async sign(message: string, signal?: AbortSignal): Promise<string> {
    try {
      // This call requests accounts and chain from the wallet, so the user may stop in the
      // meantime.
      const client = await getConnectorClient(this.#wagmi)
      signal?.throwIfAborted()
      return await signMessage(client, { message })
    } catch (error) {
      throw this.#explain(error, 'Your wallet did not sign the message.')
    }
  }

  async readFunds(payment: TokenPayment, path: PaymentPath): Promise<Funds> {
    return this.#tokenChain(payment.chainId).readFunds(payment, path)
  }

  async send(payment: TokenPayment, path: PaymentPath, signal: AbortSignal): Promise<string> {
    return this.#tokenChain(payment.chainId).send(payment, path, signal)
  }

  async followTransaction(chainId: number, hash: string, onReplaced: (hash: string) => void): Promise<ReceiptOutcome> {
    return this.#tokenChain(chainId).waitForReceipt(hash, onReplaced)
  }

  async watchToken(): Promise<void> {
    const { address, symbol, decimals } = this.#config.token
    await watchAsset(this.#wagmi, { type: 'ERC20', options: { address, symbol, decimals } })
  }

  #tokenChain(chainId: number): TokenChain {
    return new TokenChain(chainId, this.#config, () => this.#provider())
  }

  async #provider(): Promise<EIP1193Provider> {
    const connector = getConnection(this.#wagmi).connector
    if (!connector) throw new WalletError('unauthorized', 'Wallet not connected')
    const wallet = await connector.getProvider()
    if (typeof wallet !== 'object' || wallet === null) throw new WalletError('unauthorized', 'Wallet not connected')
    return checkProvider(wallet)
  }

  async #publishWallets(): Promise<void> {
    const recentId = await this.#wagmi.storage?.getItem('recentConnectorId')
    const foundWallets = filterConnectors(this.#wagmi.connectors).map((connector) =>
      describeWallet(connector, connector.id === recentId),
    )
    const getRank = ({ isRecent, isRemote }: FoundWallet) => (isRecent ? 0 : isRemote ? 2 : 1)
    this.#store.update({ wallets: foundWallets.sort((a, b) => getRank(a) - getRank(b)) })
  }

  /**
   * Publishes the announced wallets. Restores the last used wallet even if it is announced late.
   */
  async #onWalletsAnnounced(): Promise<void> {
    await this.#publishWallets()
    const isDisconnected = getConnection(this.#wagmi).status === 'disconnected'
    const mayReconnect = browserStorage.getItem(disconnectedFlag) === null
    if (isDisconnected && mayReconnect && this.#store.snapshot().wallets?.some((wallet) => wallet.isRecent)) {
      await reconnect(this.#wagmi)
    }
  }

  #publishConnection(): void {
    // Do not show the states of the automatic reconnect.
    if (this.#isRestoring) return
    const { status, address, chainId, connector } = getConnection(this.#wagmi)
    if (status === 'connected') this.#forgetOtherConnections()
    const previousState = this.#store.snapshot()
    // A wallet may lose its accounts while connecting. The connection then has no address.
    const isConnected = status === 'connected' && address !== undefined && Number.isSafeInteger(chainId)
    const connection = isConnected ? { address, chainId, walletName: connector.name } : noConnection
    const hasChanged = connection.address !== previousState.address || connection.chainId !== previousState.chainId
    const shownStatus = status === 'connecting' || isConnected ? status : 'disconnected'
    this.#store.update({
      status: shownStatus,
      ...connection,
      ...(hasChanged ? { balanceWei: null, nativeWei: null } : {}),
    })
    if (hasChanged && connection.address !== null) void this.refreshBalance()
  }

  /**
   * Forgets the connections of other authorized wallets, without revoking their permissions. When
   * the current wallet is locked or disconnected, wagmi would switch to one of them.
   */
  #forgetOtherConnections(): void {
    const { connections, current } = this.#wagmi.state
    const connection = connections.get(current ?? '')
    if (!connection || connections.size === 1) return
    const uid = connection.connector.uid
    this.#wagmi.setState((state) => ({ ...state, connections: new Map([[uid, connection]]) }))
  }

  /** Detects changes without an event: some wallets lock or switch account or chain silently. */
  async #pollWallet(): Promise<void> {
    const { status, balanceWei, nativeWei, isRefreshing } = this.#store.snapshot()
    if (status !== 'connected') return
    // If a balance is unknown, an earlier read has failed, so read again. Do not wait for the
    // result: detecting another account is more important.
    const isBalanceUnknown = balanceWei === null || nativeWei === null
    if (isBalanceUnknown && !isRefreshing && this.#canReadBalance()) void this.refreshBalance()
    try {
      const provider = await this.#provider()
      const previousConnection = getConnection(this.#wagmi)
      const accounts = await provider.request({ method: 'eth_accounts' })
      const [account] = accounts
      if (account === undefined) return this.#resetConnection()
      const chainId = Number(await provider.request({ method: 'eth_chainId' }))
      this.#invalidPolls = 0
      const { connector, address, chainId: knownChainId } = getConnection(this.#wagmi)
      // If an event arrived during the requests, it is newer than the responses. Ignore the
      // responses.
      if (address !== previousConnection.address || knownChainId !== previousConnection.chainId) return
      if (account.toLowerCase() !== address?.toLowerCase()) connector?.onAccountsChanged(accounts)
      if (chainId !== knownChainId && Number.isSafeInteger(chainId)) connector?.onChainChanged(String(chainId))
    } catch (error) {
      // Treat the second invalid response in a row as no accounts. After other errors, the next
      // poll retries.
      if (!(error instanceof WalletError) || error.kind !== 'invalid_response') return
      this.#invalidPolls += 1
      if (this.#invalidPolls > 1) this.#resetConnection()
    }
  }

  /**
   * Shows the wallet as disconnected. Keeps the permission and the stored connection, unlike
   * `disconnect`, so that the connection is restored when the wallet has accounts again.
   */
  #resetConnection(): void {
    this.#invalidPolls = 0
    getConnection(this.#wagmi).connector?.onDisconnect()
  }

  #explain(error: unknown, fallback: string): WalletError {
    return explainError(error, this.#config.chain.name, fallback)
  }
}

const noConnection = { address: null, chainId: null, walletName: null }

/**
 * Parses an item of local storage. Returns null for an invalid item: an error would end every start
 * of the wallet code.
 */
function parseStoredItem(text: string): unknown {
  try {
    return deserialize(text)
  } catch {
    return null
  }
}

/**
 * Omits window.ethereum if a wallet of the browser has announced itself (EIP-6963), because
 * window.ethereum may be the same wallet.
 */
function filterConnectors(connectors: readonly Connector[]): Connector[] {
  const announcedConnectors = connectors.filter((connector) => connector.id !== 'injected')
  const isOnlyInjected = announcedConnectors.every(({ id }) => id === demoWalletId || id === remoteWalletId)
  return isOnlyInjected && 'ethereum' in window ? [...connectors] : announcedConnectors
}

/** Connector for window.ethereum, with the same checks as announced wallets. */
function createCheckedInjected(): CreateConnectorFn {
  const createUncheckedConnector = injected()
  return (setup) => {
    const connector = createUncheckedConnector(setup)
    const getProvider = async () => {
      const wallet: unknown = await connector.getProvider()
      return typeof wallet === 'object' && wallet !== null ? checkProvider(wallet) : undefined
    }
    return { ...connector, getProvider }
  }
}

function describeWallet({ id, uid, name, icon }: Connector, isRecent: boolean): FoundWallet {
  return {
    uid,
    name: id === 'injected' ? 'Browser wallet' : name,
    icon: icon ?? null,
    isRecent,
    isRemote: id === remoteWalletId,
  }
}
