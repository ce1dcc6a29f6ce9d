import type { QueryClient } from '@tanstack/react-query'
import { type Chain, getChain, type PublicConfig } from '@tocsin/protocol'
import { call } from '../api.ts'
import { type Confirmed, NotConfirmed } from '../confirmed.ts'
import { tellOtherTabs } from '../other-tabs.ts'
import { queries } from '../queries.ts'
import { shortHex } from '../ui/short-hex.ts'
import { toast } from '../ui/toast.tsx'
import { flashConnectedHash } from './connected-hash.ts'
import { isRejection, WalletError } from './wallet-error.ts'
import { type WalletEngine, walletStore } from './wallet-store.ts'
import { walletWords } from './wallet-words.ts'

export type WalletActions = Omit<WalletEngine, 'sign' | 'connect' | 'follow' | 'switchNetwork'> & {
  /** To the chain that payments are made on, unless another one is named. */
  switchNetwork(chainId?: number): Promise<void>
  /** Shows the wallets to choose from. */
  openConnect(): void
  /** @throws WalletError, also when the person refused */
  connect(uid: string): Promise<void>
  /**
   * Proves the connected wallet for this session: the server's message, signed, sent back
   * (EIP-4361).
   */
  prove(): Promise<void>
}

let engine: Promise<WalletEngine> | undefined

/**
 * The wallet code is heavy: it is loaded once, beside the page, when the first page that needs it
 * is shown.
 */
export async function loadEngine(config: PublicConfig): Promise<void> {
  const isFirst = engine === undefined
  engine ??= import('./engine.ts').then(({ startWallet }) => startWallet(config, walletStore))
  const loaded = await engine
  if (!isFirst) loaded.follow(config)
}

/**
 * @throws WalletError when the wallet code is not there: no page has asked for it, or it could not
 *   be loaded or started
 */
export async function loadedEngine(): Promise<WalletEngine> {
  const loaded = await engine?.catch(() => null)
  if (!loaded) throw new WalletError('other', 'Ethereum provider or signer not available')
  return loaded
}

/** What the page can do with the wallet, with the toasts that say how it came out. */
export function createWalletActions(
  queryClient: QueryClient,
  confirmed: Confirmed,
  openConnect: () => void,
): WalletActions {
  return {
    openConnect,
    connect,
    disconnect,
    switchNetwork: async (chainId) =>
      switchNetwork(getChain(chainId ?? (await queryClient.ensureQueryData(queries.config)).chain.id)),
    async prove() {
      await proveWallet(confirmed)
      tellOtherTabs('session')
      await queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
    },
    refreshBalance: async () => (await loadedEngine()).refreshBalance(),
    readFunds: async (payment, path) => (await loadedEngine()).readFunds(payment, path),
    send: async (payment, path) => (await loadedEngine()).send(payment, path),
    followTransaction: async (chainId, hash, onReplaced) =>
      (await loadedEngine()).followTransaction(chainId, hash, onReplaced),
    watchToken: async () => (await loadedEngine()).watchToken(),
  }
}

async function connect(uid: string): Promise<void> {
  try {
    const address = await (await loadedEngine()).connect(uid)
    toast({ title: 'Wallet Connected', description: shortHex(address), variant: 'success' })
    flashConnectedHash()
  } catch (error) {
    const ours = error instanceof WalletError && !isRejection(error) ? error.message : 'Failed to connect wallet'
    toast({ title: 'Connection Failed', description: walletWords(error) ?? ours, variant: 'destructive' })
    throw error
  }
}

async function disconnect(): Promise<void> {
  await (await loadedEngine()).disconnect()
  toast({ title: 'Wallet Disconnected', description: 'Your wallet has been disconnected successfully' })
}

async function switchNetwork({ id, name: chainName }: Chain): Promise<void> {
  try {
    await (await loadedEngine()).switchNetwork(id)
    toast({
      title: 'Network Switched',
      description: `Successfully switched to ${chainName}.`,
      variant: 'success',
    })
  } catch (error) {
    const words = walletWords(error)
    const isNotAdded = error instanceof WalletError && error.kind === 'chain_not_added'
    const description = isNotAdded
      ? [error.message, ...(words === null ? [] : [words])].join(': ')
      : (words ?? `Failed to switch to ${chainName}. Please try manually.`)
    toast({ title: 'Network Switch Failed', description, variant: 'destructive' })
  }
}

async function proveWallet(confirmed: Confirmed): Promise<void> {
  const { address } = walletStore.snapshot()
  if (address === null) throw new WalletError('unauthorized', 'Wallet not connected')
  const { message } = await askForChallenge(confirmed, address)
  const signature = await (await loadedEngine()).sign(message)
  await call('proveWallet', { body: { message, signature } })
}

/**
 * A wallet that is new to the account will open it from then on, so the server may first want to
 * know who is there.
 * @throws WalletError when the person would not say
 */
export async function askForChallenge(confirmed: Confirmed, walletAddress: string): Promise<{ message: string }> {
  try {
    return await confirmed(() => call('createChallenge', { body: { walletAddress } }))
  } catch (error) {
    throw error instanceof NotConfirmed ? new WalletError('rejected', error.message) : error
  }
}
