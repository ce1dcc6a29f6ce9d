/**
 * Maximum time in ms that items wait. A browser that draws nothing, for example because the tab was
 * hidden after an item arrived, runs no animation frames.
 */
const longestWaitMs = 100

/**
 * Collects items and passes those of one animation frame to `apply` together, in the order of their
 * arrival. In a hidden tab each item is passed on immediately, because browsers run no animation
 * frames there and delay timers by up to a minute.
 */
export class FrameBatch<Item> {
  readonly #apply: (items: readonly Item[]) => void
  #waiting: Item[] = []
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(apply: (items: readonly Item[]) => void) {
    this.#apply = apply
  }

  /** The items that have not been passed on yet. */
  get waiting(): readonly Item[] {
    return this.#waiting
  }

  add(item: Item): void {
    this.#waiting.push(item)
    if (document.hidden) this.flush()
    else if (this.#waiting.length === 1) {
      this.#frame = requestAnimationFrame(() => this.flush())
      this.#timer = setTimeout(() => this.flush(), longestWaitMs)
    }
  }

  /** Passes the waiting items on now. */
  flush(): void {
    if (this.#waiting.length === 0) return
    cancelAnimationFrame(this.#frame)
    clearTimeout(this.#timer)
    const items = this.#waiting
    this.#waiting = []
    this.#apply(items)
  }
}
