/**
 * A wallet on another device that is waited for. `link` is what it has to read, null until the
 * relay knows of it.
 */
export type OpenPairing = { link: string | null; cancel: () => void }

/** Holds the pairing that is under way; the list of wallets shows it in its place. */
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

  /** Where one is under way: whoever waits for it hears that it was stopped. */
  cancel = (): void => this.#open?.cancel()
}

export const pairing = new Pairing()
