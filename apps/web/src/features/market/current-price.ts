import { useQuery } from '@tanstack/react-query'
import { staleAfterMs } from '@tocsin/protocol/market-key'
import { type LatestPrice, livePricesQuery, useLatestPrice } from '../../stream/live-prices.ts'
import { useNow } from '../../ui/now.ts'
import type { IssuePrice, VenueMarket } from './issue-price.ts'
import { computePercentChange } from './price-texts.ts'

/** Allows for the difference between the clocks of the exchange and the server. */
const maxFutureMs = 10_000

/**
 * The newest price of the market that an alert is about: `now` with the change since issue in
 * percent, or `old` if the price is out of date.
 */
export type CurrentPrice =
  | { kind: 'none' }
  | { kind: 'old'; seen: LatestPrice }
  | { kind: 'now'; seen: LatestPrice; change: number | null }

export function useCurrentPrice(issue: (VenueMarket & Partial<IssuePrice>) | null): CurrentPrice {
  const { data: hasPrices } = useQuery({ ...livePricesQuery, enabled: issue !== null })
  // If the subscription or the session has ended, ignore prices that this page received earlier.
  const seenPrice = useLatestPrice(hasPrices === true ? issue : null)
  const isStale = useNow((nowMs) => {
    const ageMs = nowMs - (seenPrice?.atMs ?? nowMs)
    // A time in the future means that the clock of this page was set back, so the age is unknown.
    return ageMs > staleAfterMs || ageMs < -maxFutureMs
  })
  return createCurrentPrice(issue, seenPrice, isStale)
}

export function createCurrentPrice(
  issue: Partial<IssuePrice> | null,
  seenPrice: LatestPrice | null,
  isStale: boolean,
): CurrentPrice {
  if (issue === null || seenPrice === null) return { kind: 'none' }
  return isStale
    ? { kind: 'old', seen: seenPrice }
    : {
        kind: 'now',
        seen: seenPrice,
        change: issue.price === undefined ? null : computePercentChange(issue.price, seenPrice.price),
      }
}
