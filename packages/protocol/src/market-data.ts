import { z } from 'zod'
import { isoTime } from './primitives.ts'

/** The newest price of a market. */
export const livePrice = z.object({
  venue: z.string(),
  /** The market as the source names it, for example `BTC/USDT`. */
  market: z.string(),
  price: z.string(),
  /** The exchange's time of the trade. */
  at: isoTime,
})
export type LivePrice = z.infer<typeof livePrice>

/** `at`: the server's time, so that the age of a price does not depend on the reader's clock. */
export const livePrices = z.object({ at: isoTime, prices: z.array(livePrice) })
export type LivePrices = z.infer<typeof livePrices>

/**
 * Progress of a prediction, measured by the rule that also decides its verdict. The candles are
 * aggregated from the trades since the start of the horizon, so they may differ from the candles
 * that the exchange publishes.
 */
export const predictionProgress = z.object({
  /** The price from which `maxExcursion` is measured. Null for other metrics. */
  reference: z.string().nullable(),
  /** The measured value so far, in the unit of the metric. */
  measured: z.string(),
  /** End of the minute in which the threshold was reached. Null if it was not reached yet. */
  reachedAt: isoTime.nullable(),
  /** End of the last minute that is included. */
  until: isoTime,
})
/** `progress` is null if some trades since the start may be missing. */
export const alertProgress = z.object({ progress: predictionProgress.nullable() })
export type PredictionProgress = z.infer<typeof predictionProgress>

const seconds = z.coerce.number().int().min(0).max(99_999_999_999)

/** `from` and `to` (exclusive) in seconds since 1970, at most a day apart. */
export const marketCandlesQuery = z
  .strictObject({
    venue: z.string().min(1).max(40),
    /** The market, for example `BTC/USDT`, or the exchange's symbol. */
    market: z.string().min(1).max(40),
    from: seconds,
    to: seconds,
  })
  .refine(({ from, to }) => from < to && to - from <= 86_400, {
    path: ['to'],
    message: 'Expected a time after "from", at most a day later',
  })
export type MarketCandlesQuery = z.infer<typeof marketCandlesQuery>

const decimal = z.string().regex(/^\d{1,40}(\.\d{1,40})?$/)

/** Published one-minute candles: open time in seconds, then open, high, low, close and volume. */
export const marketCandles = z.object({
  candles: z.array(z.tuple([z.number().int(), decimal, decimal, decimal, decimal, decimal])).max(1_440),
})
export type MarketCandles = z.infer<typeof marketCandles>
