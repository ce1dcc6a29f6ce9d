import type { Alert } from '@tocsin/protocol'

export interface IssuedDelivery {
  seq: number
  at: Date
  /**
   * The log index of the alert or of its outcome. A client that reconnects resumes after this
   * index.
   */
  logIndex: number
  /** True if the alert was sent before and is sent again with its outcome. */
  isOutcome: boolean
  alert: Alert
}

/** Deliveries of one transaction, in order. */
export interface IssuedBatch {
  /** The last `seq` before this transaction, 0 if it writes the first delivery. */
  previousSeq: number
  /** The last `seq` of this transaction. */
  lastSeq: number
  deliveries(): readonly IssuedDelivery[]
}

/**
 * Number of batches that are stored. A live stream that is further behind reads from the database.
 */
const MAX_STORED_BATCHES = 8

/**
 * Stores the newest deliveries that this instance has committed, so that its live stream need not
 * read them from the database. They are still sent only when the notification of the commit
 * arrives.
 */
export class IssuedDeliveries {
  readonly #batches: IssuedBatch[] = []
  readonly #committing = new Set<Promise<void>>()
  #generation = 0
  /** Returns the number of connections of this instance to which its live stream writes. */
  countReceivers = () => 0
  /** Called when a commit begins, before its alerts are written to the connections. */
  onCommit = () => {}

  /**
   * Registers a commit that has begun.
   * @param committing resolves after the commit, to null if the transaction has no deliveries
   */
  registerCommit(committing: Promise<IssuedBatch | null>): void {
    this.onCommit()
    const generation = this.#generation
    const completion = committing.then(
      (batch) => {
        this.#committing.delete(completion)
        if (batch && generation === this.#generation) this.#keep(batch)
      },
      () => void this.#committing.delete(completion),
    )
    this.#committing.add(completion)
  }

  #keep(batch: IssuedBatch): void {
    this.#batches.push(batch)
    if (this.#batches.length > MAX_STORED_BATCHES) this.#batches.shift()
  }

  /**
   * Returns null if no commit is running. Otherwise resolves when the running commits have ended.
   * This is needed because a notification can arrive before the response to the commit.
   */
  waitForCommits(): Promise<unknown> | null {
    return this.#committing.size === 0 ? null : Promise.all(this.#committing)
  }

  /**
   * Returns all deliveries of the transaction directly after `seq`. Deletes them and all older
   * batches. Returns null if that transaction is not stored or its notification has not arrived
   * yet.
   * @param announcedSeq the newest `seq` whose notification has arrived
   */
  drainAfter(seq: number, announcedSeq: number): readonly IssuedDelivery[] | null {
    const batchIndex = this.#batches.findIndex(
      ({ previousSeq, lastSeq }) => previousSeq === seq && lastSeq <= announcedSeq,
    )
    return batchIndex < 0
      ? null
      : (this.#batches
          .splice(0, batchIndex + 1)
          .at(-1)
          ?.deliveries() ?? null)
  }

  /**
   * Deletes the stored deliveries, and does not store the deliveries of running commits. Call this
   * when deliveries were lost, or when alerts have got inclusion proofs that the stored deliveries
   * do not contain.
   */
  clear(): void {
    this.#generation += 1
    this.#batches.length = 0
  }
}
