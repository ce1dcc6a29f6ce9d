/** Counts uses per network in a time window, in memory, so that IP addresses are not stored. */
export class NetworkQuota {
  readonly #windowMs: number
  readonly #used = new Map<string, { count: number; endsAtMs: number }>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Counts one use. Returns false if the network has reached the limit. */
  consume(network: string, allowed: number, now: Date): boolean {
    for (const [known, { endsAtMs }] of this.#used) if (endsAtMs <= now.getTime()) this.#used.delete(known)
    const used = this.#used.get(network) ?? { count: 0, endsAtMs: now.getTime() + this.#windowMs }
    if (used.count >= allowed) return false
    this.#used.set(network, { ...used, count: used.count + 1 })
    return true
  }
}
