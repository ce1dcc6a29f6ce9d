/** Counts what happens within a window of time. */
export class Quota {
  #windowEndsAtMs = 0
  #used = 0
  readonly #limit: number
  readonly #windowMs: number

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  /** Uses one; false when the window's are used up. `nowMs` is of a clock that never steps back. */
  take(nowMs: number): boolean {
    if (nowMs >= this.#windowEndsAtMs) {
      this.#windowEndsAtMs = nowMs + this.#windowMs
      this.#used = 0
    }
    this.#used += 1
    return this.#used <= this.#limit
  }

  isIdle(nowMs: number): boolean {
    return nowMs >= this.#windowEndsAtMs
  }
}
