import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import type { Alert, MarketCandles } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { call } from '../../api/api.ts'
import { livePricesQuery } from '../../stream/live-prices.ts'
import { useNow } from '../../ui/now.ts'
import type { MarketPlace } from './issue-price.ts'

export type CandleRow = MarketCandles['candles'][number]
/** Milliseconds; whole minutes, `to` exclusive. */
export type ChartRange = { from: number; to: number }

const stepMs = 10 * MINUTE_MS
/** The exchange, the engine and the server publish a candle this long after its minute. */
const readyMs = 12_000
const jitterMs = 5_000

const beforeMs = 34 * MINUTE_MS
const restMs = 10 * MINUTE_MS
const longestMs = 6 * HOUR_MS

/**
 * From 34 minutes before the alert until now, at most six hours after it, and at least until the
 * end of its prediction.
 */
export function chartRangeOf(
  { createdAt, prediction }: Pick<Alert, 'createdAt' | 'prediction'>,
  nowMs: number,
): ChartRange {
  const issuedMs = Math.floor(Date.parse(createdAt) / MINUTE_MS) * MINUTE_MS
  const endMs = prediction ? Date.parse(prediction.startsAt) + prediction.horizonSeconds * 1_000 : issuedMs
  const leastMs = Math.ceil(endMs / MINUTE_MS) * MINUTE_MS + restMs
  const shownMs = Math.min(Math.ceil(nowMs / stepMs) * stepMs, issuedMs + longestMs)
  return { from: issuedMs - beforeMs, to: Math.max(leastMs, shownMs) }
}

/** The range of `chartRangeOf`, which grows in steps. */
export function useChartRange(alert: Pick<Alert, 'createdAt' | 'prediction'>): ChartRange {
  const steps = useNow((nowMs) => Math.ceil(nowMs / stepMs))
  return chartRangeOf(alert, steps * stepMs)
}

const candlesQuery = ({ venue, market }: MarketPlace, { from, to }: ChartRange) =>
  queryOptions({
    queryKey: ['/api/market/candles', venue, market, from, to],
    queryFn: async ({ signal }) => {
      const query = { venue, market, from: from / 1_000, to: to / 1_000 }
      return (await call('marketCandles', { query, signal }))?.candles ?? null
    },
    staleTime: MINUTE_MS,
    placeholderData: keepPreviousData,
    refetchInterval: () =>
      Date.now() > to + readyMs ? false : MINUTE_MS - ((Date.now() - readyMs) % MINUTE_MS) + Math.random() * jitterMs,
  })

export type CandlesState = { kind: 'none' } | { kind: 'pending' } | { kind: 'read'; rows: readonly CandleRow[] }

/** `none` without a source of the operator, without a plan, and for markets that it lacks. */
export function useCandles(place: MarketPlace | null, range: ChartRange): CandlesState {
  const { data: hasSource = false } = useQuery({ ...livePricesQuery, enabled: place !== null })
  const isEnabled = place !== null && hasSource
  const { data, isLoading } = useQuery({
    ...candlesQuery(place ?? { venue: '', market: '' }, range),
    enabled: isEnabled,
  })
  if (!isEnabled) return { kind: 'none' }
  if (isLoading) return { kind: 'pending' }
  return data && data.length > 1 ? { kind: 'read', rows: data } : { kind: 'none' }
}
