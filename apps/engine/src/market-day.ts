import type { Prediction, Venue } from '@tocsin/engine'

/** A market on a UTC day, `2026-03-02`. */
export interface MarketDay {
  venue: Venue
  market: string
  day: string
}

/**
 * Returns the day and markets of a prediction. The day is that on which the horizon starts, even if
 * it ends on the next day.
 */
export function listMarketDays({ startsAt, venue, market, other }: Prediction): MarketDay[] {
  const day = startsAt.slice(0, 10)
  return [{ venue, market, day }, ...(other ? [{ ...other, day }] : [])]
}

/** The id of a candles message. Candles of a day are sent in parts. */
export function createPartId({ venue, market, day }: MarketDay, part: number): string {
  return `${venue} ${market} ${day} ${part}`
}
