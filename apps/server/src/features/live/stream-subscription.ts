import type { SendQueue } from './send-queue.ts'

/** One socket's subscription to the stream and its right to read, as they were last read. */
export class StreamSubscription {
  #sendQueue: SendQueue | null = null
  #walletAddress: string | null = null
  #entitledUntilMs = 0
  #stopExpiry: () => void = () => {}
  #changes = 0
  #recheckedQueue: SendQueue | null = null
  #recheckWaits: (() => void)[] = []

  /** The send queue of the stream, or null while this socket may not receive it. */
  get sendQueue(): SendQueue | null {
    return this.#sendQueue
  }

  /** End of the right to read, checked at every send. */
  get entitledUntilMs(): number {
    return this.#entitledUntilMs
  }

  /** Number of possible changes of the rights. A read during which it increases is outdated. */
  get changes(): number {
    return this.#changes
  }

  join(sendQueue: SendQueue, walletAddress: string | null): void {
    this.#sendQueue = sendQueue
    this.#walletAddress = walletAddress
  }

  /**
   * Sets the end of the right to read.
   * @param stopExpiry stops the timer that runs until `entitledUntilMs`
   */
  setEnd(entitledUntilMs: number, stopExpiry: () => void): void {
    this.#stopExpiry()
    this.#entitledUntilMs = entitledUntilMs
    this.#stopExpiry = stopExpiry
  }

  leave(): void {
    this.#stopExpiry()
    this.#sendQueue = null
    this.#entitledUntilMs = 0
    this.#endRecheckWaits()
  }

  recordChange(): void {
    this.#changes += 1
  }

  /** Returns null if the socket is not in the stream or its rights are already being read again. */
  startRecheck(): { sendQueue: SendQueue; walletAddress: string | null } | null {
    const sendQueue = this.#sendQueue
    const walletAddress = this.#walletAddress
    if (!sendQueue || this.#recheckedQueue === sendQueue) return null
    this.#recheckedQueue = sendQueue
    return { sendQueue, walletAddress }
  }

  /** Returns false if the socket has left or rejoined the stream since the recheck started. */
  finishRecheck(sendQueue: SendQueue): boolean {
    if (this.#sendQueue !== sendQueue) return false
    this.#recheckedQueue = null
    this.#endRecheckWaits()
    return true
  }

  /** Resolves when the rights are not being read again, or the socket has left the stream. */
  async waitForRecheck(sendQueue: SendQueue): Promise<void> {
    while (this.#sendQueue === sendQueue && this.#recheckedQueue === sendQueue) {
      await new Promise<void>((resolve) => this.#recheckWaits.push(resolve))
    }
  }

  #endRecheckWaits(): void {
    for (const endWait of this.#recheckWaits.splice(0)) endWait()
  }
}
