import { itoTokenAbi } from '@tocsin/contracts/abi'
import type { PublicConfig } from '@tocsin/protocol'
import { type Address, type Chain, type EIP1193Provider, encodeFunctionData, getAddress, type Hex } from 'viem'
import { type Config, type Connector, createConfig, createStorage, injected } from 'wagmi'
import {
  connect,
  disconnect,
  estimateFeesPerGas,
  estimateGas,
  getBalance,
  getConnection,
  readContract,
  reconnect,
  signMessage,
  waitForTransactionReceipt,
  watchAsset,
  watchConnection,
  watchConnectors,
  writeContract,
} from 'wagmi/actions'
import { explainError } from './explain-error.ts'
import { chooseTransport, describeNetwork, isServedHere, type WalletCall } from './network.ts'
import { switchNetwork } from './switch-network.ts'
import { WalletError } from './wallet-error.ts'
import {
  disconnectedFlag,
  type FoundWallet,
  type ReceiptOutcome,
  type WalletEngine,
  type WalletStore,
  walletStorageKey,
} from './wallet-store.ts'

const accountPollMs = 3000
/** A wallet that does not say within this time whether the site may see it is one to connect by hand. */
const restorePatienceMs = 5000
const receiptTimeoutMs = 10 * 60_000
const demoWalletId = 'app.tocsin.demo-wallet'

/** Starts following the browser's wallets and restores the last connection, unless it was ended by hand. */
export async function startWallet(config: PublicConfig, store: WalletStore): Promise<WalletEngine> {
  if (config.demo) await installDemoWallet(config)
  const engine = new WagmiEngine(config, store)
  await engine.restore()
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

class WagmiEngine implements WalletEngine {
  readonly #config: PublicConfig
  readonly #store: WalletStore
  readonly #chain: Chain
  readonly #wagmi: Config
  #isRestoring = true

  constructor(config: PublicConfig, store: WalletStore) {
    this.#config = config
    this.#store = store
    this.#chain = describeNetwork(config)
    const request = async (call: WalletCall) => (await this.#provider()).request(call)
    this.#wagmi = createConfig({
      chains: [this.#chain],
      connectors: [injected()],
      transports: { [this.#chain.id]: chooseTransport(config, request) },
      storage: createStorage({ storage: localStorage, key: walletStorageKey }),
    })
  }

  async restore(): Promise<void> {
    watchConnectors(this.#wagmi, { onChange: () => void this.#followArrivals() })
    watchConnection(this.#wagmi, { onChange: () => this.#publishConnection() })
    setInterval(() => void this.#pollAccount(), accountPollMs)
    await this.#publishWallets()
    if (localStorage.getItem(disconnectedFlag) === null) {
      const patience = new Promise((resolve) => setTimeout(resolve, restorePatienceMs))
      await Promise.race([reconnect(this.#wagmi), patience])
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
      localStorage.removeItem(disconnectedFlag)
      await this.#publishWallets()
      return account
    } catch (error) {
      throw this.#explain(error, 'Failed to connect wallet')
    }
  }

  async disconnect(): Promise<void> {
    localStorage.setItem(disconnectedFlag, 'true')
    // Also asks the wallet to forget the permission (EIP-2255), where it can.
    await disconnect(this.#wagmi)
  }

  async switchNetwork(): Promise<void> {
    await switchNetwork(await this.#provider(), this.#chain)
    // A wallet that switches without an event would leave the page behind.
    getConnection(this.#wagmi).connector?.onChainChanged(String(this.#chain.id))
  }

  async refreshBalance(): Promise<void> {
    const { address, chainId } = this.#store.snapshot()
    // Read through a wallet that is elsewhere, the balance of another chain's contract would come back.
    if (address === null || (chainId !== this.#chain.id && !isServedHere(this.#config))) {
      return this.#store.update({ balanceWei: null, nativeWei: null })
    }
    this.#store.update({ isRefreshing: true })
    const owner = getAddress(address)
    const [balanceWei, nativeWei] = await Promise.all([
      readContract(this.#wagmi, { ...this.#token, functionName: 'balanceOf', args: [owner] }).catch(() => null),
      getBalance(this.#wagmi, { address: owner, chainId: this.#chain.id }).then(
        ({ value }) => value,
        () => null,
      ),
    ])
    const isCurrent = this.#store.snapshot().address === address
    this.#store.update({ isRefreshing: false, ...(isCurrent ? { balanceWei, nativeWei } : {}) })
  }

  async sign(message: string): Promise<string> {
    try {
      return await signMessage(this.#wagmi, { message })
    } catch (error) {
      throw this.#explain(error, 'Your wallet did not sign the message.')
    }
  }

  async payTreasury(amountWei: bigint): Promise<string> {
    try {
      const hash: unknown = await writeContract(this.#wagmi, {
        ...this.#token,
        functionName: 'transfer',
        args: [getAddress(this.#config.treasury), amountWei],
      })
      if (isHash(hash)) return hash
    } catch (error) {
      throw this.#explain(error, 'Token transfer failed')
    }
    throw new WalletError('other', 'Your wallet gave no transaction. Look there first before you try again.')
  }

  async waitForReceipt(hash: string, onReplaced: (hash: string) => void): Promise<ReceiptOutcome> {
    let isCancelled = false
    const receipt = await waitForTransactionReceipt(this.#wagmi, {
      hash: asHex(hash),
      chainId: this.#chain.id,
      timeout: receiptTimeoutMs,
      pollingInterval: 1000,
      onReplaced: ({ reason, transaction }) => {
        isCancelled = reason === 'cancelled'
        if (!isCancelled) onReplaced(transaction.hash)
      },
    })
    if (isCancelled) return 'cancelled'
    return receipt.status
  }

  async estimateFeeWei(amountWei: bigint): Promise<bigint> {
    const args = [getAddress(this.#config.treasury), amountWei] as const
    const [gas, fees] = await Promise.all([
      estimateGas(this.#wagmi, {
        account: getAddress(this.#store.snapshot().address ?? ''),
        to: this.#token.address,
        data: encodeFunctionData({ abi: itoTokenAbi, functionName: 'transfer', args }),
        chainId: this.#chain.id,
      }),
      estimateFeesPerGas(this.#wagmi, { chainId: this.#chain.id }),
    ])
    return gas * (fees.maxFeePerGas ?? 0n)
  }

  async watchToken(): Promise<void> {
    const { address, symbol, decimals } = this.#config.token
    await watchAsset(this.#wagmi, { type: 'ERC20', options: { address, symbol, decimals } })
  }

  get #token() {
    const address: Address = getAddress(this.#config.token.address)
    return { abi: itoTokenAbi, address, chainId: this.#chain.id } as const
  }

  async #provider(): Promise<EIP1193Provider> {
    const connector = getConnection(this.#wagmi).connector
    if (!connector) throw new WalletError('unauthorized', 'Wallet not connected')
    return (await connector.getProvider()) as EIP1193Provider
  }

  async #publishWallets(): Promise<void> {
    const recentId = await this.#wagmi.storage?.getItem('recentConnectorId')
    const found = listedConnectors(this.#wagmi.connectors).map((connector) =>
      describeWallet(connector, connector.id === recentId),
    )
    this.#store.update({ wallets: found.sort((a, b) => Number(b.isRecent) - Number(a.isRecent)) })
  }

  /** A wallet may announce itself after the page has looked; the one used last is restored even then. */
  async #followArrivals(): Promise<void> {
    await this.#publishWallets()
    const isFree = getConnection(this.#wagmi).status === 'disconnected'
    const isWanted = localStorage.getItem(disconnectedFlag) === null
    if (isFree && isWanted && this.#store.snapshot().wallets?.some((wallet) => wallet.isRecent)) {
      await reconnect(this.#wagmi)
    }
  }

  #publishConnection(): void {
    // While the last connection is restored, nobody is connecting anything.
    if (this.#isRestoring) return
    const { status, address, chainId, connector } = getConnection(this.#wagmi)
    const before = this.#store.snapshot()
    const connected = status === 'connected' ? { address, chainId, walletName: connector.name } : noConnection
    const isOther = connected.address !== before.address || connected.chainId !== before.chainId
    const shown = status === 'reconnecting' ? 'disconnected' : status
    this.#store.update({ status: shown, ...connected, ...(isOther ? { balanceWei: null, nativeWei: null } : {}) })
    if (isOther && connected.address !== null) void this.refreshBalance()
  }

  /** Some wallets lock or drop an account without an event. */
  async #pollAccount(): Promise<void> {
    if (this.#store.snapshot().status !== 'connected') return
    try {
      const accounts = await (await this.#provider()).request({ method: 'eth_accounts' })
      if (accounts.length === 0) await disconnect(this.#wagmi)
    } catch {
      // A wallet that does not answer now is asked again in three seconds.
    }
  }

  #explain(error: unknown, fallback: string): WalletError {
    return explainError(error, this.#chain.name, fallback)
  }
}

const noConnection = { address: null, chainId: null, walletName: null }

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value)
}

/** A wallet that only fills window.ethereum is listed when none announced itself (EIP-6963): it may be any of those. */
function listedConnectors(connectors: readonly Connector[]): Connector[] {
  const announced = connectors.filter((connector) => connector.id !== 'injected')
  const isAlone = announced.every((connector) => connector.id === demoWalletId)
  return isAlone && 'ethereum' in window ? [...connectors] : announced
}

function describeWallet({ id, uid, name, icon }: Connector, isRecent: boolean): FoundWallet {
  // Only data URIs: an icon from elsewhere would tell its host who visits.
  return {
    uid,
    name: id === 'injected' ? 'Browser wallet' : name,
    icon: icon?.startsWith('data:image/') ? icon.trim() : null,
    isRecent,
  }
}

function asHex(hash: string): Hex {
  return `0x${hash.replace(/^0x/, '')}`
}
