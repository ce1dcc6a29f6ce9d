import type { FastifyRateLimitStore } from '@fastify/rate-limit'
import { setNewest } from '../set-newest.ts'
import { getSite, SITE_FACTOR } from './network.ts'

const MAX_KEYS = 5_000

/**
 * Counts requests in fixed windows by a monotonic clock. Replaces the store of @fastify/rate-limit,
 * whose windows use the wall clock: if the clock is set back, a window lasts until the clock has
 * caught up. If a key ends with an IPv6 /64, its requests also count for the /48 that contains it,
 * whose limit is SITE_FACTOR times as high.
 */
export class RateLimitStore implements FastifyRateLimitStore {
  readonly #windows = new Map<string, { count: number; endsAtMs: number }>()
  readonly #nowMs: () => number

  constructor(_options: unknown, nowMs = () => performance.now()) {
    this.#nowMs = nowMs
  }

  incr(
    key: string,
    callback: (error: Error | null, result?: { ttl: number; current: number }) => void,
    windowMs = 60_000,
  ): void {
    const nowMs = this.#nowMs()
    const networkWindow = this.#count(key, nowMs, windowMs)
    const siteKey = getSite(key)
    const siteWindow = siteKey === null ? null : this.#count(siteKey, nowMs, windowMs)
    const siteCount = siteWindow === null ? 0 : Math.ceil(siteWindow.count / SITE_FACTOR)
    const { endsAtMs } = siteWindow !== null && siteCount > networkWindow.count ? siteWindow : networkWindow
    callback(null, { current: Math.max(networkWindow.count, siteCount), ttl: endsAtMs - nowMs })
  }

  #count(key: string, nowMs: number, windowMs: number): { count: number; endsAtMs: number } {
    const storedWindow = this.#windows.get(key)
    const window =
      storedWindow && storedWindow.endsAtMs > nowMs ? storedWindow : { count: 0, endsAtMs: nowMs + windowMs }
    window.count += 1
    setNewest(this.#windows, key, window, MAX_KEYS)
    return window
  }

  child(): RateLimitStore {
    return new RateLimitStore(undefined, this.#nowMs)
  }
}
