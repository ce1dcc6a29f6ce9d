import type { Outbox } from './outbox.ts'

/** One socket's membership in the stream and its right to read, as they were last read. */
export class Membership {
  #outbox: Outbox | null = null
  #walletAddress: string | null = null
  #entitledUntilMs = 0
  #stopExpiry: () => void = () => {}
  #changes = 0
  #rechecking: Outbox | null = null

  /** The outbox of the stream, or null while this socket may not receive it. */
  get outbox(): Outbox | null {
    return this.#outbox
  }

  /** End of the right to read, checked at every send. */
  get entitledUntilMs(): number {
    return this.#entitledUntilMs
  }

  /** Number of possible changes of the rights. Rights read before the last one are out of date. */
  get changes(): number {
    return this.#changes
  }

  join(outbox: Outbox, walletAddress: string | null): void {
    this.#outbox = outbox
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
    this.#outbox = null
    this.#entitledUntilMs = 0
  }

  recordChange(): void {
    this.#changes += 1
  }

  /** Returns null if the socket is not in the stream or its rights are already being read again. */
  startRecheck(): { outbox: Outbox; walletAddress: string | null } | null {
    const outbox = this.#outbox
    const walletAddress = this.#walletAddress
    if (!outbox || this.#rechecking === outbox) return null
    this.#rechecking = outbox
    return { outbox, walletAddress }
  }

  /** Returns false if the socket has left that stream in the meantime. */
  finishRecheck(outbox: Outbox): boolean {
    if (this.#outbox !== outbox) return false
    this.#rechecking = null
    return true
  }
}
