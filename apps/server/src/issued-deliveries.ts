import type { Alert } from '@tocsin/protocol'

export interface Delivered {
  seq: number
  at: Date
  /** Position from which a client resumes: the log index of the alert, or of its outcome. */
  logIndex: number
  /** True if the alert was sent before and is sent again with its outcome. */
  isOutcome: boolean
  alert: Alert
}

/** Deliveries of one transaction, in order. */
export interface IssuedBatch {
  /** The last `seq` before this transaction, 0 if it writes the first delivery. */
  after: number
  /** The last `seq` of this transaction. */
  last: number
  deliveries(): readonly Delivered[]
}

/**
 * Number of batches that are stored. A live stream that is further behind reads from the database.
 */
const MAX_KEPT = 8

/**
 * Stores the newest deliveries that this instance has committed, so that its live stream need not
 * read them from the database. They are still sent only when the notification of the commit
 * arrives.
 */
export class IssuedDeliveries {
  readonly #kept: IssuedBatch[] = []
  readonly #committing = new Set<Promise<void>>()
  #generation = 0
  /** Returns the number of connections of this instance to which its live stream writes. */
  countReceivers = () => 0
  /** Called when a commit begins, before its alerts are written to the connections. */
  onCommit = () => {}

  /**
   * Registers a commit that has begun.
   * @param committing resolves after the commit, to null if nothing was broadcast
   */
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
   * Returns null if no commit is running. Otherwise resolves when the running commits have ended.
   * This is needed because a notification can arrive before the response to the commit.
   */
  settled(): Promise<unknown> | null {
    return this.#committing.size === 0 ? null : Promise.all(this.#committing)
  }

  /**
   * Returns the deliveries directly after `seq`, or null if they are not stored. Returns all
   * deliveries of a transaction together. Its notification must have arrived, so its last `seq` is
   * at most `announced`.
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

  /**
   * Deletes the stored deliveries and ignores commits that are running, because the alerts have
   * changed since.
   */
  clear(): void {
    this.#generation += 1
    this.#kept.length = 0
  }
}
