import { getSite, SITE_FACTOR } from '../../http/network.ts'

/**
 * Counts uses of each network in a time window. The counts are in memory, so that IP addresses are
 * not stored.
 */
export class NetworkQuota {
  readonly #windowMs: number
  readonly #used = new Map<string, { count: number; endsAtMs: number }>()

  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  /** Counts one use. Returns false if the network or its site has reached the limit. */
  consume(network: string, maxCount: number, now: Date): boolean {
    for (const [known, { endsAtMs }] of this.#used) if (endsAtMs <= now.getTime()) this.#used.delete(known)
    const site = getSite(network)
    if (this.#countOf(network) >= maxCount) return false
    if (site !== null && this.#countOf(site) >= SITE_FACTOR * maxCount) return false
    for (const key of listKeys(network)) {
      const endsAtMs = this.#used.get(key)?.endsAtMs ?? now.getTime() + this.#windowMs
      this.#used.set(key, { count: this.#countOf(key) + 1, endsAtMs })
    }
    return true
  }

  /** Returns a use that `consume` has counted. */
  refund(network: string): void {
    for (const key of listKeys(network)) {
      const use = this.#used.get(key)
      if (use) use.count -= 1
    }
  }

  #countOf(key: string): number {
    return this.#used.get(key)?.count ?? 0
  }
}

/** Returns the keys under which uses of the network are counted: the network and its site. */
function listKeys(network: string): string[] {
  const site = getSite(network)
  return site === null ? [network] : [network, site]
}
