import type { Alert } from '@tocsin/protocol'

export interface Delivered {
  seq: number
  at: Date
  /** The client's resume position: the log index of the alert, or of its outcome. */
  logIndex: number
  /** True if the alert was sent before, and is sent again with its outcome. */
  isOutcome: boolean
  alert: Alert
}

/** Deliveries of one transaction, in order. */
export interface IssuedBatch {
  /** The last `seq` before this transaction, 0 if there was none. */
  after: number
  /** The last `seq` of these. */
  last: number
  deliveries(): readonly Delivered[]
}

/** A live stream that is further behind reads from the database. */
const MAX_KEPT = 8

/**
 * The newest deliveries that this instance has committed itself, so that its live stream need not
 * read them from the database. The notification of the commit still decides when they are sent.
 */
export class IssuedDeliveries {
  readonly #kept: IssuedBatch[] = []
  readonly #committing = new Set<Promise<void>>()
  #generation = 0
  /** The connections of this instance to which its live stream writes. */
  countReceivers = () => 0
  /** Called when a commit begins, before its alerts are written to the connections. */
  onCommit = () => {}

  /** @param committing resolves after the commit, to null if it broadcast nothing */
  expect(committing: Promise<IssuedBatch | null>): void {
    this.onCommit()
    const generation = this.#generation
    const settled = committing.then(
      (batch) => {
        this.#committing.delete(settled)
        if (batch && generation === this.#generation) this.#keep(batch)
      },
      () => void this.#committing.delete(settled),
    )
    this.#committing.add(settled)
  }

  #keep(batch: IssuedBatch): void {
    this.#kept.push(batch)
    if (this.#kept.length > MAX_KEPT) this.#kept.shift()
  }

  /**
   * Null if no commit is open. Otherwise resolves when those that are have ended, because a
   * notification can arrive before the answer to the commit.
   */
  settled(): Promise<unknown> | null {
    return this.#committing.size === 0 ? null : Promise.all(this.#committing)
  }

  /**
   * Returns the deliveries directly after `seq`, or null if they are not known. Returns a whole
   * transaction at once, whose notification must have arrived, up to `announced`.
   */
  drainAfter(seq: number, announced: number): readonly Delivered[] | null {
    const at = this.#kept.findIndex(({ after, last }) => after === seq && last <= announced)
    return at < 0
      ? null
      : (this.#kept
          .splice(0, at + 1)
          .at(-1)
          ?.deliveries() ?? null)
  }

  /** Forgets everything up to now, because the alerts have changed since. */
  clear(): void {
    this.#generation += 1
    this.#kept.length = 0
  }
}
