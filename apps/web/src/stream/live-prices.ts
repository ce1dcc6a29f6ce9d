import { queryOptions } from '@tanstack/react-query'
import type { LivePrices } from '@tocsin/protocol'
import { marketKey } from '@tocsin/protocol/market-key'
import { useSyncExternalStore } from 'react'
import { call } from '../api/api.ts'
import { Observable } from '../browser/observable.ts'
import { streamStatus } from './stream-status.ts'

export interface LatestPrice {
  /** The price as a decimal. */
  price: string
  /** Time of the trade by this page's clock, which may differ from the server's. */
  atMs: number
}

const pollMs = 30_000

/** The newest price of each market. Prices come from an API call at first, then from the stream. */
export class LivePriceStore extends Observable {
  readonly #prices = new Map<string, LatestPrice & { tradedMs: number }>()

  apply({ at, prices }: LivePrices, receivedMs: number): void {
    const clockOffsetMs = receivedMs - Date.parse(at)
    for (const { venue, market, price, at: tradedAt } of prices) {
      const tradedMs = Date.parse(tradedAt)
      const key = marketKey({ venue, market })
      // Compare times of the exchange: the clock of this page can be set back.
      if (tradedMs >= (this.#prices.get(key)?.tradedMs ?? 0))
        this.#prices.set(key, { price, tradedMs, atMs: tradedMs + clockOffsetMs })
    }
    this.notify()
  }

  /** Removes all prices, because the plan has ended. */
  clear(): void {
    this.#prices.clear()
    this.notify()
  }

  find(key: string): LatestPrice | null {
    return this.#prices.get(key) ?? null
  }
}

export const livePrices = new LivePriceStore()

export function useLatestPrice(market: { venue: string; market: string } | null): LatestPrice | null {
  const readPrice = () => (market === null ? null : livePrices.find(marketKey(market)))
  return useSyncExternalStore(livePrices.subscribe, readPrice, readPrice)
}

/**
 * Loads the newest prices into `livePrices`. The result is true if the server has a source of
 * prices and the account has a plan. Polls every 30 seconds while the stream is not live, unless
 * the result is false.
 */
export const livePricesQuery = queryOptions({
  queryKey: ['/api/market/prices'],
  queryFn: async ({ signal }) => {
    const newestPrices = await call('livePrices', { signal })
    if (newestPrices) livePrices.apply(newestPrices, Date.now())
    return newestPrices !== null
  },
  refetchInterval: ({ state }) => (state.data === false || streamStatus.snapshot().state === 'live' ? false : pollMs),
})
