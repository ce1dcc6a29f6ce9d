import type { PublicConfig } from '@tocsin/protocol'
import { browserStorage } from '../browser/browser-storage.ts'
import { Observable } from '../browser/observable.ts'
import type { Funds, PaymentPath, ReceiptOutcome, TokenPayment } from './token-payment.ts'

type WalletStatus = 'disconnected' | 'connecting' | 'reconnecting' | 'connected'

/** A discovered wallet (EIP-6963). `icon` is a data URI. A remote wallet is on another device. */
export type FoundWallet = { uid: string; name: string; icon: string | null; isRecent: boolean; isRemote: boolean }

export type WalletState = {
  /**
   * 'reconnecting' includes the time until the wallet code is loaded, if there is a wallet to
   * restore.
   */
  status: WalletStatus
  /** Checksummed (EIP-55). */
  address: string | null
  chainId: number | null
  walletName: string | null
  /** Null until the first discovery. */
  wallets: readonly FoundWallet[] | null
  /** True if the configuration or the wallet code could not be loaded. */
  hasFailed: boolean
  /** Balance of the payment token (ITO) in base units; null while unknown. */
  balanceWei: bigint | null
  /** Balance of the chain's native coin; null while unknown. */
  nativeWei: bigint | null
  isRefreshing: boolean
}

/** Storage key that is set while the user has disconnected the wallet manually. */
export const disconnectedFlag = 'walletManuallyDisconnected'

/**
 * Prefix of wagmi's storage keys. A connection can be restored only if wagmi has stored the id of
 * its last connector under this prefix.
 */
export const walletStorageKey = 'wallet'
const isRestorable =
  browserStorage.getItem(`${walletStorageKey}.recentConnectorId`) != null &&
  browserStorage.getItem(disconnectedFlag) === null

const initialState: WalletState = {
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

/** The operations of a wallet. Methods throw a WalletError with a message for the user. */
export interface WalletEngine {
  /**
   * Applies a changed server configuration. Refetches the balances if the chain or token changed.
   */
  updateConfig(config: PublicConfig): void
  connect(uid: string): Promise<string>
  disconnect(): Promise<void>
  /**
   * @throws WalletError with "Failed to switch to {chain}" or "Failed to add {chain} to the wallet"
   */
  switchNetwork(chainId: number): Promise<void>
  refreshBalance(): Promise<void>
  /** Signs the unchanged message (personal_sign). Opens no request once the signal is aborted. */
  sign(message: string, signal?: AbortSignal): Promise<string>
  readFunds(payment: TokenPayment, path: PaymentPath): Promise<Funds>
  /**
   * Sends one ERC-20 transfer or approval of exactly the payment's amount. Returns the transaction
   * hash. Opens no request once the signal is aborted.
   */
  send(payment: TokenPayment, path: PaymentPath, signal: AbortSignal): Promise<string>
  /**
   * Waits for the receipt of a transaction. Calls `onReplaced` with the new hash if the user
   * replaces the transaction in the wallet, for example to pay a higher fee.
   */
  followTransaction(chainId: number, hash: string, onReplaced: (hash: string) => void): Promise<ReceiptOutcome>
  /** Asks the wallet to add the token to its list (EIP-747). */
  watchToken(): Promise<void>
}

/** The wallet state outside React. The engine writes it, `useWallet` reads it. */
export class WalletStore extends Observable {
  #state = initialState

  snapshot = (): WalletState => this.#state

  update(change: Partial<WalletState>): void {
    this.#state = { ...this.#state, ...change }
    this.notify()
  }
}

export const walletStore = new WalletStore()
