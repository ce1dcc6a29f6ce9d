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

  /** Uses one, or as many; false when the window's are used up. `nowMs` is of a clock that never steps back. */
  take(nowMs: number, count = 1): boolean {
    if (nowMs >= this.#windowEndsAtMs) {
      this.#windowEndsAtMs = nowMs + this.#windowMs
      this.#used = 0
    }
    this.#used += count
    return this.#used <= this.#limit
  }

  isIdle(nowMs: number): boolean {
    return nowMs >= this.#windowEndsAtMs
  }
}

/** A quota for each key; those whose window has passed are forgotten. */
export class Quotas {
  readonly #byKey = new Map<string, Quota>()
  readonly #limit: number
  readonly #windowMs: number

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  take(key: string, nowMs: number, count = 1): boolean {
    const quota = this.#byKey.get(key) ?? new Quota(this.#limit, this.#windowMs)
    this.#byKey.set(key, quota)
    return quota.take(nowMs, count)
  }

  forgetIdle(nowMs: number): void {
    for (const [key, quota] of this.#byKey) if (quota.isIdle(nowMs)) this.#byKey.delete(key)
  }
}
