import { MINUTE_MS } from './durations.ts'
import type { Venue } from './tick.ts'

/**
 * The `prediction` of a signal, see docs/signal-protocol.md. Times are text in ISO 8601, in UTC.
 */
export interface Prediction {
  metric: 'maxExcursion' | 'volume' | 'realisedVariance' | 'spread'
  comparison: 'gte'
  threshold: number
  venue: Venue
  market: string
  other?: { venue: Venue; market: string }
  candleSeconds: 60
  startsAt: string
  horizonSeconds: number
  resolveBy: string
}

export interface MarketName {
  venue: Venue
  market: string
}

/**
 * Minimum time between the alert and the start of its prediction. The alert is signed in this time.
 */
const SIGNING_MS = 5_000
const RESOLVE_SECONDS = 900

/** Kraken's REST API has its own codes for two assets; its WebSocket API uses the common ones. */
const KRAKEN_CODES: Record<string, string> = { BTC: 'XBT', DOGE: 'XDG' }

/**
 * Returns the symbol that the exchange's candles use for a market with a canonical name: `BTCUSDT`,
 * `BTC-USD`, `XBTUSD`.
 */
export function formatSymbol({ venue, market }: MarketName): string {
  const [base = '', quote = ''] = market.split('/')
  if (venue === 'coinbase' || venue === 'okx') return `${base}-${quote}`
  return venue === 'kraken' ? (KRAKEN_CODES[base] ?? base) + (KRAKEN_CODES[quote] ?? quote) : base + quote
}

/** Returns the first whole minute at least five seconds after the alert. */
export function computeStartTime(observedAt: number): number {
  return Math.ceil((observedAt + SIGNING_MS) / MINUTE_MS) * MINUTE_MS
}

/**
 * Rounds to three significant digits. Null if docs/signal-protocol.md does not allow the result as
 * a threshold.
 */
export function roundThreshold(value: number): number | null {
  const rounded = Number(value.toPrecision(3))
  return rounded >= 1e-6 && rounded <= 1e15 && Number(rounded.toFixed(12)) === rounded ? rounded : null
}

export function predict(
  metric: Prediction['metric'],
  threshold: number,
  marketName: MarketName,
  observedAt: number,
  horizonSeconds: number,
  other?: MarketName,
): Prediction | null {
  const roundedThreshold = roundThreshold(threshold)
  if (roundedThreshold === null) return null
  const startsAt = computeStartTime(observedAt)
  return {
    metric,
    comparison: 'gte',
    threshold: roundedThreshold,
    venue: marketName.venue,
    market: formatSymbol(marketName),
    ...(other === undefined ? {} : { other: { venue: other.venue, market: formatSymbol(other) } }),
    candleSeconds: 60,
    startsAt: new Date(startsAt).toISOString(),
    horizonSeconds,
    resolveBy: new Date(startsAt + (horizonSeconds + RESOLVE_SECONDS) * 1000).toISOString(),
  }
}

export function computeEndTime(prediction: Prediction): number {
  return Date.parse(prediction.startsAt) + prediction.horizonSeconds * 1000
}
