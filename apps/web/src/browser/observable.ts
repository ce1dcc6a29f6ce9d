/** An object outside React whose readers are told about each change. For useSyncExternalStore. */
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
