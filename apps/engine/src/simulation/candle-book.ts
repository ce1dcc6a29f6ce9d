import { symbolOf } from '@tocsin/engine'
import type { CandleRow } from '../candles.ts'
import type { CandleSource } from '../outcomes.ts'
import { listings } from './assets.ts'

/** Longer than any prediction waits for its outcome. */
const KEPT_MINUTES = 3 * 1_440

/** Published candles of the simulated market: its counterpart of an exchange's REST pages. */
export function createCandleBook() {
  const books = listings.map((listing) => ({ symbol: symbolOf(listing), rows: new Map<number, CandleRow>() }))
  /** Seconds since 1970. */
  let publishedTo = 0
  const source: CandleSource = async (venue, symbol, from, to) => {
    const book = venue === 'simulated' ? books.find((one) => one.symbol === symbol) : undefined
    if (!book) throw new Error(`The simulated market has no candles of ${venue} ${symbol}`)
    // After a pause the market catches up, and a minute that it has not reached is not missing.
    if (to > publishedTo) throw new Error('The simulated market has not published these candles yet')
    const rows: CandleRow[] = []
    for (let minute = from; minute < to; minute += 60) {
      const row = book.rows.get(minute)
      if (row) rows.push(row)
    }
    return rows
  }
  return {
    source,
    /** Adds the candles of a minute that is over, in the order of `listings`. */
    add(minuteAt: number, candles: readonly (CandleRow | null)[]) {
      publishedTo = minuteAt / 1_000 + 60
      for (const [index, { rows }] of books.entries()) {
        const row = candles[index]
        if (row) rows.set(row[0], row)
        rows.delete(minuteAt / 1_000 - 60 * KEPT_MINUTES)
      }
    },
  }
}
