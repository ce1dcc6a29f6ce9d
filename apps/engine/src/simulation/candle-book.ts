import { formatSymbol } from '@tocsin/engine'
import type { CandleRow } from '../candles.ts'
import type { CandleSource } from '../outcomes.ts'
import { listings } from './assets.ts'
import { type CandleInUnits, toCandleRow } from './simulated-market.ts'

/**
 * Number of minutes for which candles are stored. Longer than any prediction waits for its outcome.
 */
export const KEPT_MINUTES = 3 * 1_440

/** Stores the published candles of the simulated market, in place of an exchange's REST pages. */
export function createCandleBook() {
  const books = listings.map((listing) => ({
    ...{ symbol: formatSymbol(listing), asset: listing.asset },
    candles: new Map<number, CandleInUnits>(),
  }))
  /** End of the last published minute, in seconds since 1970. */
  let publishedTo = 0
  const source: CandleSource = async (venue, symbol, from, to) => {
    const book = venue === 'simulated' ? books.find((one) => one.symbol === symbol) : undefined
    if (!book) throw new Error(`The simulated market has no candles of ${venue} ${symbol}`)
    // While the market catches up after a pause, later minutes are unpublished, not missing.
    if (to > publishedTo) throw new Error('The simulated market has not published these candles yet')
    const rows: CandleRow[] = []
    for (let minute = from; minute < to; minute += 60) {
      const candle = book.candles.get(minute)
      if (candle) rows.push(toCandleRow(book.asset, minute * 1_000, candle))
    }
    return rows
  }
  return {
    source,
    /** Adds the candles of a minute that is over, in the order of `listings`. */
    add(minuteAt: number, addedCandles: readonly (CandleInUnits | null)[]) {
      publishedTo = minuteAt / 1_000 + 60
      for (const [index, { candles }] of books.entries()) {
        const candle = addedCandles[index]
        if (candle) candles.set(minuteAt / 1_000, candle)
        candles.delete(minuteAt / 1_000 - 60 * KEPT_MINUTES)
      }
    },
  }
}
