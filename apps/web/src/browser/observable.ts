/** A store outside React that notifies its subscribers of each change, for useSyncExternalStore. */
export class Observable {
  readonly #listeners = new Set<() => void>()

  /** Returns a function that unsubscribes. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  protected notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
