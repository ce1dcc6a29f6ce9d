import type { PublicConfig } from '@tocsin/protocol'
import { browserStorage } from '../browser-storage.ts'
import type { Funds, PaymentPath, ReceiptOutcome, TokenPayment } from './token-payment.ts'

type WalletStatus = 'disconnected' | 'connecting' | 'reconnecting' | 'connected'

/**
 * A wallet that announced itself (EIP-6963). `icon` is a data URI for an `<img>`; a remote one is
 * on another device.
 */
export type FoundWallet = { uid: string; name: string; icon: string | null; isRecent: boolean; isRemote: boolean }

export type WalletState = {
  /**
   * 'reconnecting' also stands for not knowing yet: there is a wallet to restore, and the wallet
   * code is still loading.
   */
  status: WalletStatus
  /** Checksummed (EIP-55). */
  address: string | null
  chainId: number | null
  walletName: string | null
  /** Null while they are still looked for. */
  wallets: readonly FoundWallet[] | null
  /** What is needed to look for wallets could not be loaded. */
  hasFailed: boolean
  /** ITO in base units; null while unknown. */
  balanceWei: bigint | null
  /** The chain's own coin, for the network fee. */
  nativeWei: bigint | null
  isRefreshing: boolean
}

/** Set while the person wants no wallet: it was disconnected by hand. */
export const disconnectedFlag = 'walletManuallyDisconnected'

/**
 * wagmi's own key of the wallet that was connected last: without one there is nothing to restore,
 * and nothing to wait for.
 */
export const walletStorageKey = 'wallet'
const isRestorable =
  browserStorage.getItem(`${walletStorageKey}.recentConnectorId`) != null &&
  browserStorage.getItem(disconnectedFlag) === null

const unknownWallet: WalletState = {
  status: isRestorable ? 'reconnecting' : 'disconnected',
  address: null,
  chainId: null,
  walletName: null,
  wallets: null,
  hasFailed: false,
  balanceWei: null,
  nativeWei: null,
  isRefreshing: false,
}

/**
 * What a connected wallet can do. Every method throws a WalletError that carries the sentence to
 * show.
 */
export interface WalletEngine {
  /**
   * The operator's configuration has changed, the payment chain for one: reads what belongs to it
   * again.
   */
  follow(config: PublicConfig): void
  connect(uid: string): Promise<string>
  disconnect(): Promise<void>
  /**
   * @throws WalletError with "Failed to switch to {chain}" or "Failed to add {chain} to the wallet"
   */
  switchNetwork(chainId: number): Promise<void>
  refreshBalance(): Promise<void>
  /** Signs exactly these bytes (personal_sign). */
  sign(message: string): Promise<string>
  readFunds(payment: TokenPayment, path: PaymentPath): Promise<Funds>
  /**
   * Sends one ERC-20 transfer, or one approval, of exactly this amount and answers the transaction
   * hash.
   */
  send(payment: TokenPayment, path: PaymentPath): Promise<string>
  /** Waits for the block; a sped-up transaction gets a new hash, told through `onReplaced`. */
  followTransaction(chainId: number, hash: string, onReplaced: (hash: string) => void): Promise<ReceiptOutcome>
  /** Offers the token for the wallet's list (EIP-747). */
  watchToken(): Promise<void>
}

/** The wallet's state outside React: the engine writes it, `useWallet` reads it. */
export class WalletStore {
  #state = unknownWallet
  readonly #listeners = new Set<() => void>()

  snapshot = (): WalletState => this.#state

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  update(change: Partial<WalletState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}

export const walletStore = new WalletStore()
