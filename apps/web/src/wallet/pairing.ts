/**
 * A pending pairing with a wallet on another device. `link` is null until the relay provides it.
 */
export type OpenPairing = { link: string | null; cancel: () => void }

/** Holds the pending pairing. The wallet list shows it instead of the wallets. */
class Pairing {
  #open: OpenPairing | null = null
  readonly #listeners = new Set<() => void>()

  snapshot = (): OpenPairing | null => this.#open

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  show(open: OpenPairing | null): void {
    this.#open = open
    for (const listener of this.#listeners) listener()
  }

  /** Cancels the pending pairing, if any. Its request rejects with a WalletError. */
  cancel = (): void => this.#open?.cancel()
}

export const pairing = new Pairing()
