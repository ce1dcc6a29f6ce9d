import { queryOptions, useQuery } from '@tanstack/react-query'
import type { Alert, MarketCandles } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { call } from '../../api/api.ts'
import { livePricesQuery } from '../../stream/live-prices.ts'
import { useNow } from '../../ui/now.ts'
import { toHorizon } from '../prediction/outcome-state.ts'
import type { VenueMarket } from './issue-price.ts'

export type CandleRow = MarketCandles['candles'][number]
/** Times in milliseconds since the epoch, at whole minutes. `to` is exclusive. */
export type ChartRange = { from: number; to: number }

const stepMs = 10 * MINUTE_MS
/**
 * Time in ms from the end of a minute until the exchange, the engine and the server have published
 * its candle.
 */
const candleDelayMs = 12_000
const jitterMs = 5_000

const rangeBeforeMs = 34 * MINUTE_MS
const rangeAfterMs = 10 * MINUTE_MS
const maxRangeMs = 6 * HOUR_MS

/**
 * Returns the range of a chart: from 34 minutes before the alert until now (rounded up to ten
 * minutes), but at most until six hours after the alert. The range always contains the prediction
 * and the ten minutes after it.
 */
export function createChartRange(
  { createdAt, prediction }: Pick<Alert, 'createdAt' | 'prediction'>,
  nowMs: number,
): ChartRange {
  const issuedMs = Math.floor(Date.parse(createdAt) / MINUTE_MS) * MINUTE_MS
  const endMs = prediction ? toHorizon(prediction).to : issuedMs
  const minEndMs = Math.ceil(endMs / MINUTE_MS) * MINUTE_MS + rangeAfterMs
  const currentEndMs = Math.min(Math.ceil(nowMs / stepMs) * stepMs, issuedMs + maxRangeMs)
  return { from: issuedMs - rangeBeforeMs, to: Math.max(minEndMs, currentEndMs) }
}

/** Returns the range of `createChartRange`. Its end moves in steps of ten minutes. */
export function useChartRange(alert: Pick<Alert, 'createdAt' | 'prediction'>): ChartRange {
  const steps = useNow((nowMs) => Math.ceil(nowMs / stepMs))
  return createChartRange(alert, steps * stepMs)
}

const candlesQuery = ({ venue, market }: VenueMarket, { from, to }: ChartRange) =>
  queryOptions({
    queryKey: ['/api/market/candles', venue, market, from, to],
    queryFn: async ({ signal }) => {
      const query = { venue, market, from: from / 1_000, to: to / 1_000 }
      return (await call('marketCandles', { query, signal }))?.candles ?? null
    },
    staleTime: MINUTE_MS,
    // Keep the previous rows only if they are of the same market.
    placeholderData: (rows, query) => (query?.queryKey[1] === venue && query.queryKey[2] === market ? rows : undefined),
    refetchInterval: () =>
      Date.now() > to + candleDelayMs
        ? false
        : MINUTE_MS - ((Date.now() - candleDelayMs) % MINUTE_MS) + Math.random() * jitterMs,
  })

export type CandlesState = { kind: 'none' } | { kind: 'pending' } | { kind: 'read'; rows: readonly CandleRow[] }

/**
 * Loads the candles of a market. The state is `none` if the operator has no source of candles, the
 * user has no subscription, or the source lacks the market.
 */
export function useCandles(venueMarket: VenueMarket | null, range: ChartRange): CandlesState {
  const { data: hasSource = false } = useQuery({ ...livePricesQuery, enabled: venueMarket !== null })
  const isEnabled = venueMarket !== null && hasSource
  const { data, isLoading } = useQuery({
    ...candlesQuery(venueMarket ?? { venue: '', market: '' }, range),
    enabled: isEnabled,
  })
  if (!isEnabled) return { kind: 'none' }
  if (isLoading) return { kind: 'pending' }
  return data && data.length > 1 ? { kind: 'read', rows: data } : { kind: 'none' }
}
