/** A rate limit: counts events within a fixed time window. */
export class Quota {
  #windowEndsAtMs = 0
  #used = 0
  readonly #limit: number
  readonly #windowMs: number

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  /**
   * Consumes `count` uses. Returns false and consumes nothing if fewer are left in the window.
   * `nowMs` is the time of a monotonic clock.
   */
  consume(nowMs: number, count = 1): boolean {
    if (nowMs >= this.#windowEndsAtMs) {
      this.#windowEndsAtMs = nowMs + this.#windowMs
      this.#used = 0
    }
    if (this.#used + count > this.#limit) return false
    this.#used += count
    return true
  }

  /** True if `count` uses are left in the window. */
  canConsume(nowMs: number, count: number): boolean {
    return (this.isIdle(nowMs) ? 0 : this.#used) + count <= this.#limit
  }

  /** Milliseconds until a use is available, or 0 if one is available now. */
  waitMs(nowMs: number): number {
    return this.#used < this.#limit ? 0 : Math.max(0, this.#windowEndsAtMs - nowMs)
  }

  /** Milliseconds until the window ends. */
  windowRemainingMs(nowMs: number): number {
    return Math.max(0, this.#windowEndsAtMs - nowMs)
  }

  isIdle(nowMs: number): boolean {
    return nowMs >= this.#windowEndsAtMs
  }
}

/** One quota for each key. `deleteIdle` deletes those whose window has ended. */
export class Quotas {
  readonly #byKey = new Map<string, Quota>()
  readonly #limit: number
  readonly #windowMs: number

  constructor(limit: number, windowMs: number) {
    this.#limit = limit
    this.#windowMs = windowMs
  }

  consume(key: string, nowMs: number, count = 1): boolean {
    const quota = this.#byKey.get(key) ?? new Quota(this.#limit, this.#windowMs)
    this.#byKey.set(key, quota)
    return quota.consume(nowMs, count)
  }

  /** Milliseconds until the key has a use available, or 0 if it has one now. */
  waitMs(key: string, nowMs: number): number {
    return this.#byKey.get(key)?.waitMs(nowMs) ?? 0
  }

  /** Milliseconds until the window of the key ends. */
  windowRemainingMs(key: string, nowMs: number): number {
    return this.#byKey.get(key)?.windowRemainingMs(nowMs) ?? 0
  }

  deleteIdle(nowMs: number): void {
    for (const [key, quota] of this.#byKey) if (quota.isIdle(nowMs)) this.#byKey.delete(key)
  }
}
