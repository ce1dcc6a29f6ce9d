import { useSyncExternalStore } from 'react'

type Said = { polite: string; assertive: string }

/** What the two live regions say now. */
class LiveRegionStore {
  #said: Said = { polite: '', assertive: '' }
  #listener: (() => void) | null = null

  snapshot = (): Said => this.#said

  subscribe = (listener: () => void): (() => void) => {
    this.#listener = listener
    return () => {
      this.#listener = null
    }
  }

  say(region: keyof Said, words: string): void {
    // The same words again are news only as another text.
    const isRepeated = this.#said[region] === words
    this.#said = { ...this.#said, [region]: isRepeated ? `${words}\u00a0` : words }
    this.#listener?.()
  }
}

const store = new LiveRegionStore()

/** Reads something to screen readers: `assertive` interrupts, and is for critical alerts and failed proofs alone. */
export function announce(region: keyof Said, words: string): void {
  store.say(region, words)
}

/** Mount once, with the page: a region that comes together with its words is not read. */
export function LiveRegions() {
  const { polite, assertive } = useSyncExternalStore(store.subscribe, store.snapshot)
  return (
    <div className="sr-only">
      <p aria-live="polite" aria-atomic data-live-region="polite">
        {polite}
      </p>
      <p aria-live="assertive" aria-atomic data-live-region="assertive">
        {assertive}
      </p>
    </div>
  )
}
