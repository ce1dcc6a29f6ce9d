import type { QueryClient } from '@tanstack/react-query'
import type { PublicConfig } from '@tocsin/protocol'
import { call } from '../api.ts'
import { type Confirmed, NotConfirmed } from '../confirmed.ts'
import { tellOtherTabs } from '../other-tabs.ts'
import { queries } from '../queries.ts'
import { shortHex } from '../ui/short-hex.ts'
import { toast } from '../ui/toast.tsx'
import { flashConnectedHash } from './connected-hash.ts'
import { isRejection, WalletError } from './wallet-error.ts'
import { type WalletEngine, walletStore } from './wallet-store.ts'

export type WalletActions = Omit<WalletEngine, 'sign' | 'connect'> & {
  /** Shows the wallets to choose from. */
  openConnect(): void
  /** @throws WalletError, also when the person refused */
  connect(uid: string): Promise<void>
  /** Proves the connected wallet for this session: the server's message, signed, sent back (EIP-4361). */
  prove(): Promise<void>
}

let engine: Promise<WalletEngine> | undefined

/** The wallet code is heavy: it is loaded once, beside the page, when the first page that needs it is shown. */
export function loadEngine(config: PublicConfig): Promise<WalletEngine> {
  engine ??= import('./engine.ts').then(({ startWallet }) => startWallet(config, walletStore))
  return engine
}

/** @throws WalletError when no page has asked for the wallet code */
export async function loadedEngine(): Promise<WalletEngine> {
  if (!engine) throw new WalletError('other', 'Ethereum provider or signer not available')
  return engine
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
    switchNetwork: async () => switchNetwork((await queryClient.ensureQueryData(queries.config)).chain.name),
    async prove() {
      await proveWallet(confirmed)
      tellOtherTabs('session')
      await queryClient.invalidateQueries({ queryKey: queries.currentUser.queryKey })
    },
    refreshBalance: async () => (await loadedEngine()).refreshBalance(),
    payTreasury: async (amountWei) => (await loadedEngine()).payTreasury(amountWei),
    waitForReceipt: async (hash, onReplaced) => (await loadedEngine()).waitForReceipt(hash, onReplaced),
    estimateFeeWei: async (amountWei) => (await loadedEngine()).estimateFeeWei(amountWei),
    watchToken: async () => (await loadedEngine()).watchToken(),
  }
}

async function connect(uid: string): Promise<void> {
  try {
    const address = await (await loadedEngine()).connect(uid)
    toast({ title: 'Wallet Connected', description: shortHex(address), variant: 'success' })
    flashConnectedHash()
  } catch (error) {
    if (!isRejection(error)) {
      const description = error instanceof WalletError ? error.message : 'Failed to connect wallet'
      toast({ title: 'Connection Failed', description, variant: 'destructive' })
    }
    throw error
  }
}

async function disconnect(): Promise<void> {
  await (await loadedEngine()).disconnect()
  toast({ title: 'Wallet Disconnected', description: 'Your wallet has been disconnected successfully' })
}

async function switchNetwork(chainName: string): Promise<void> {
  try {
    await (await loadedEngine()).switchNetwork()
    toast({ title: 'Network Switched', description: `Successfully switched to ${chainName}.`, variant: 'success' })
  } catch (error) {
    if (isRejection(error)) return
    const isNotAdded = error instanceof WalletError && error.kind === 'chain_not_added'
    const description = isNotAdded ? error.message : `Failed to switch to ${chainName}. Please try manually.`
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
 * A wallet that is new to the account will open it from then on, so the server may first want to know who is there.
 * @throws WalletError when the person would not say
 */
export async function askForChallenge(confirmed: Confirmed, walletAddress: string): Promise<{ message: string }> {
  try {
    return await confirmed(() => call('createChallenge', { body: { walletAddress } }))
  } catch (error) {
    throw error instanceof NotConfirmed ? new WalletError('rejected', error.message) : error
  }
}
