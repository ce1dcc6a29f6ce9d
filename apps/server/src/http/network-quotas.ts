import { Quotas } from '../quota.ts'
import { getSite, SITE_FACTOR } from './network.ts'

/** Limits each network, and with a larger quota all IPv6 networks of a site (a /48) together. */
export class NetworkQuotas {
  readonly #networks: Quotas
  readonly #sites: Quotas

  constructor(limit: number, windowMs: number) {
    this.#networks = new Quotas(limit, windowMs)
    this.#sites = new Quotas(SITE_FACTOR * limit, windowMs)
  }

  /**
   * Consumes one use of the quota. Returns false if the quota of the network or its site is used
   * up. `nowMs` is the time of a monotonic clock.
   */
  consume(network: string, nowMs: number): boolean {
    if (this.waitMs(network, nowMs) > 0) return false
    const site = getSite(network)
    if (site !== null) this.#sites.consume(site, nowMs)
    return this.#networks.consume(network, nowMs)
  }

  /** Milliseconds until the quota of the network has a use left, or 0 if it has one now. */
  waitMs(network: string, nowMs: number): number {
    const site = getSite(network)
    return Math.max(this.#networks.waitMs(network, nowMs), site === null ? 0 : this.#sites.waitMs(site, nowMs))
  }

  deleteIdle(nowMs: number): void {
    this.#networks.deleteIdle(nowMs)
    this.#sites.deleteIdle(nowMs)
  }
}
