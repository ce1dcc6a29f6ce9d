import type { Alert } from '@tocsin/protocol'

/** `fresh`: just issued. `missed`: issued while the client was away. `update`: an alert that it has, again, mostly with its proof. */
export type Arrival = 'fresh' | 'missed' | 'update'

/** Ids that are remembered: the server goes back a thousand deliveries at most. */
const MAX_REMEMBERED = 20_000

/** Tells alerts that are new from those that come again, and counts what was missed. */
export class Arrivals {
  readonly #seen = new Set<string>()
  #highestIndex: number | null
  #missed = 0
  #isLive = false

  constructor(lastIndex: number | null) {
    this.#highestIndex = lastIndex
  }

  get highestIndex(): number | null {
    return this.#highestIndex
  }

  /** A connection begins: what comes before `live` was missed. */
  begin(): void {
    this.#isLive = false
    this.#missed = 0
  }

  /**
   * An alert as it was sent out. Its updates are not for here: one may overtake it, and the cursor must not.
   * @param isKnown whether the application has the alert from elsewhere
   */
  take({ id, logIndex }: Alert, isKnown: boolean): Arrival {
    this.#highestIndex = Math.max(this.#highestIndex ?? 0, logIndex)
    if (this.#seen.has(id) || isKnown) return 'update'
    this.#remember(id)
    if (this.#isLive) return 'fresh'
    this.#missed += 1
    return 'missed'
  }

  /** Everything up to there is had or given up. A gap that was not filled may be another log’s: its indexes begin anew. */
  reach(lastIndex: number | null, recovered: boolean): void {
    if (!recovered || lastIndex === null) this.#highestIndex = recovered ? this.#highestIndex : lastIndex
    else this.#highestIndex = Math.max(this.#highestIndex ?? 0, lastIndex)
  }

  /** @returns how many were missed */
  end(): number {
    this.#isLive = true
    return this.#missed
  }

  /** Oldest first out. */
  #remember(id: string): void {
    this.#seen.add(id)
    if (this.#seen.size <= MAX_REMEMBERED) return
    const [oldest] = this.#seen
    if (oldest !== undefined) this.#seen.delete(oldest)
  }
}
