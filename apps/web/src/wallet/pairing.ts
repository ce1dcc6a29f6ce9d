import { Observable } from '../browser/observable.ts'

/**
 * A pending pairing with a wallet on another device. `link` is null until the relay provides it.
 */
export type OpenPairing = { link: string | null; cancel: () => void }

/** Holds the pending pairing. The wallet list shows it instead of the wallets. */
class Pairing extends Observable {
  #open: OpenPairing | null = null

  snapshot = (): OpenPairing | null => this.#open

  show(openPairing: OpenPairing | null): void {
    this.#open = openPairing
    this.notify()
  }

  /** Cancels the pending pairing, if any. The request to connect rejects with a WalletError. */
  cancel = (): void => this.#open?.cancel()
}

export const pairing = new Pairing()
