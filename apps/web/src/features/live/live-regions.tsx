import { useSyncExternalStore } from 'react'

type Texts = { polite: string; assertive: string }

/** Stores the current texts of the two live regions. */
class LiveRegionStore {
  #texts: Texts = { polite: '', assertive: '' }
  #listener: (() => void) | null = null

  snapshot = (): Texts => this.#texts

  subscribe = (listener: () => void): (() => void) => {
    this.#listener = listener
    return () => {
      this.#listener = null
      // The next account that signs in must not get the texts of this account.
      this.#texts = { polite: '', assertive: '' }
    }
  }

  announce(region: keyof Texts, text: string): void {
    // Screen readers announce only changes, so a repeated text gets a no-break space at the end.
    const isRepeated = this.#texts[region] === text
    this.#texts = { ...this.#texts, [region]: isRepeated ? `${text}\u00a0` : text }
    this.#listener?.()
  }
}

const store = new LiveRegionStore()

/**
 * Announces a text to screen readers. `assertive` interrupts the screen reader, so use it only for
 * critical alerts and failed proofs.
 */
export function announce(region: keyof Texts, text: string): void {
  store.announce(region, text)
}

/**
 * The two live regions. Mount them once, when the page loads: if a live region is added together
 * with its text, the text is not announced.
 */
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
