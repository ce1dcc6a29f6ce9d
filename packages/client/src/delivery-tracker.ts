import type { Alert } from '@tocsin/protocol'

/**
 * `fresh`: just issued. `missed`: issued while the client was disconnected. `update`: an alert that
 * the client already has, usually with its proof.
 */
export type Delivery = 'fresh' | 'missed' | 'update'

/** Maximum number of ids in memory. A backfill has at most 1,000 deliveries. */
const MAX_REMEMBERED = 20_000

/** Deduplicates alerts, counts missed alerts and stores the resume position. */
export class DeliveryTracker {
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

  /** Must be called when a connection is opened. Alerts count as missed until `endBackfill`. */
  startBackfill(): void {
    this.#isLive = false
    this.#missed = 0
  }

  /**
   * Classifies an alert and moves the cursor to it. Callers must not pass updates: an update can
   * arrive before its alert, and would move the cursor past that alert.
   * @param isKnown whether the application has the alert from another source
   */
  classify({ id, logIndex }: Alert, isKnown: boolean): Delivery {
    this.#highestIndex = Math.max(this.#highestIndex ?? 0, logIndex)
    if (this.#seen.has(id) || isKnown) return 'update'
    this.#remember(id)
    if (this.#isLive) return 'fresh'
    this.#missed += 1
    return 'missed'
  }

  /**
   * Moves the cursor to the server's position. If `recovered` is false, the cursor takes that
   * position even if it is lower, because the indexes may belong to another log.
   */
  moveCursor(lastIndex: number | null, recovered: boolean): void {
    if (!recovered) this.#highestIndex = lastIndex
    else if (lastIndex !== null) this.#highestIndex = Math.max(this.#highestIndex ?? 0, lastIndex)
  }

  /** @returns the number of missed alerts */
  endBackfill(): number {
    this.#isLive = true
    return this.#missed
  }

  /** Evicts the oldest id when full. */
  #remember(id: string): void {
    this.#seen.add(id)
    if (this.#seen.size <= MAX_REMEMBERED) return
    const [oldest] = this.#seen
    if (oldest !== undefined) this.#seen.delete(oldest)
  }
}
