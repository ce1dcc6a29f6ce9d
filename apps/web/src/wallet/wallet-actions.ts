import type { QueryClient } from '@tanstack/react-query'
import { type Chain, getChain, type PublicConfig } from '@tocsin/protocol'
import { call } from '../api/api.ts'
import { queries } from '../api/queries.ts'
import { notifyOtherTabs } from '../browser/other-tabs.ts'
import { yieldToBrowser } from '../browser/yield-to-browser.ts'
import { ReauthenticationDeclined, type WithReauthentication } from '../session/reauthentication.ts'
import { shortenHex } from '../ui/short-hex.ts'
import { toast } from '../ui/toast.tsx'
import { isRejection, WalletError } from './wallet-error.ts'
import { formatWalletMessage } from './wallet-message.ts'
import { type WalletEngine, walletStore } from './wallet-store.ts'

export type WalletActions = Omit<WalletEngine, 'sign' | 'connect' | 'updateConfig' | 'switchNetwork'> & {
  /** Switches to the given chain, by default the payment chain. */
  switchNetwork(chainId?: number): Promise<void>
  /** Opens the dialog with the list of wallets. */
  openConnect(): void
  /** @throws WalletError, including when the user rejects */
  connect(uid: string): Promise<void>
  /**
   * Proves the connected wallet to this session with a signed message (EIP-4361). Opens no request
   * once the signal is aborted.
   */
  prove(signal?: AbortSignal): Promise<void>
}

let engine: Promise<WalletEngine> | undefined

/**
 * Lazy loads the large wallet code once, or again after a failure. Later calls update its
 * configuration.
 */
export async function loadEngine(config: PublicConfig): Promise<void> {
  const isFirst = engine === undefined
  engine ??= startEngine(config).catch((error) => {
    engine = undefined
    throw error
  })
  const loadedEngine = await engine
  if (!isFirst) loadedEngine.updateConfig(config)
}

/** Requests, evaluates and starts the wallet code in separate tasks. */
async function startEngine(config: PublicConfig): Promise<WalletEngine> {
  await yieldToBrowser()
  const { startWallet } = await import('./engine.ts')
  await yieldToBrowser()
  return startWallet(config, walletStore)
}

/** @throws WalletError if the wallet code was not requested, or could not be loaded or started */
export async function getEngine(): Promise<WalletEngine> {
  const loadedEngine = await engine?.catch(() => null)
  if (!loadedEngine) throw new WalletError('other', 'Ethereum provider or signer not available')
  return loadedEngine
}

/** The wallet actions of the app, with toasts for their results. */
export function createWalletActions(
  queryClient: QueryClient,
  withReauthentication: WithReauthentication,
  openConnect: () => void,
): WalletActions {
  return {
    openConnect,
    connect,
    disconnect,
    switchNetwork: async (chainId) =>
      switchNetwork(getChain(chainId ?? (await queryClient.ensureQueryData(queries.config)).chain.id)),
    async prove(signal) {
      await proveWallet(withReauthentication, signal)
      notifyOtherTabs('session')
      await queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
    },
    refreshBalance: async () => (await getEngine()).refreshBalance(),
    readFunds: async (payment, path) => (await getEngine()).readFunds(payment, path),
    send: async (payment, path, signal) => (await getEngine()).send(payment, path, signal),
    followTransaction: async (chainId, hash, onReplaced) =>
      (await getEngine()).followTransaction(chainId, hash, onReplaced),
    watchToken: async () => (await getEngine()).watchToken(),
  }
}

async function connect(uid: string): Promise<void> {
  try {
    const address = await (await getEngine()).connect(uid)
    toast({ title: 'Wallet Connected', description: shortenHex(address), variant: 'success' })
    flashConnectedHash()
  } catch (error) {
    const fallback = error instanceof WalletError && !isRejection(error) ? error.message : 'Failed to connect wallet'
    toast({ title: 'Connection Failed', description: formatWalletMessage(error) ?? fallback, variant: 'destructive' })
    throw error
  }
}

async function disconnect(): Promise<void> {
  await (await getEngine()).disconnect()
  toast({ title: 'Wallet Disconnected', description: 'Your wallet has been disconnected successfully' })
}

async function switchNetwork({ id, name: chainName }: Chain): Promise<void> {
  try {
    await (await getEngine()).switchNetwork(id)
    toast({
      title: 'Network Switched',
      description: `Successfully switched to ${chainName}.`,
      variant: 'success',
    })
  } catch (error) {
    const reason = formatWalletMessage(error)
    const isNotAdded = error instanceof WalletError && error.kind === 'chain_not_added'
    const description = isNotAdded
      ? [error.message, ...(reason === null ? [] : [reason])].join(': ')
      : (reason ?? `Failed to switch to ${chainName}. Please try manually.`)
    toast({ title: 'Network Switch Failed', description, variant: 'destructive' })
  }
}

async function proveWallet(withReauthentication: WithReauthentication, signal?: AbortSignal): Promise<void> {
  const { address } = walletStore.snapshot()
  if (address === null) throw new WalletError('unauthorized', 'Wallet not connected')
  const { message } = await requestChallenge(withReauthentication, address)
  const signature = await (await getEngine()).sign(message, signal)
  await call('proveWallet', { body: { message, signature } })
}

/**
 * Requests a challenge for a wallet. A new wallet can sign in to the account afterwards, so the
 * server may require the user to confirm their identity first.
 * @throws WalletError if the user cancels the confirmation
 */
export async function requestChallenge(
  withReauthentication: WithReauthentication,
  walletAddress: string,
): Promise<{ message: string }> {
  try {
    return await withReauthentication(() => call('createChallenge', { body: { walletAddress } }))
  } catch (error) {
    throw error instanceof ReauthenticationDeclined ? new WalletError('rejected', error.message) : error
  }
}

const connectedHash = '#wallet-connected'
const hashShownMs = 1500

/**
 * Sets the URL hash to #wallet-connected for a moment, then restores the previous hash. The product
 * specification requires this.
 */
function flashConnectedHash(): void {
  const previousHash = location.hash
  replaceHash(connectedHash)
  setTimeout(() => {
    if (location.hash === connectedHash) replaceHash(previousHash)
  }, hashShownMs)
}

function replaceHash(hash: string): void {
  history.replaceState(history.state, '', `${location.pathname}${location.search}${hash}`)
}
