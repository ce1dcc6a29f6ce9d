import { type Candle, type CandleSource, parseCandles, spanOfDay } from '@tocsin/proof'
import type { RecordSnapshot } from './proof-task.ts'

/** Parsed days that are kept, about 0.5 MB each. */
const maxKept = 60

/**
 * The candles of whole days, parsed when they are read. They are this site's, so they cannot
 * dispute an outcome.
 * @throws Error from `read` if candles are malformed
 */
export function openDayCandles(days: RecordSnapshot['days']): CandleSource {
  const keyOf = (venue: string, market: string, day: string) => JSON.stringify([venue, market, day])
  const texts = new Map(days.map(({ venue, market, day, candles }) => [keyOf(venue, market, day), candles]))
  const kept = new Map<string, readonly Candle[]>()
  return {
    isArchive: false,
    read({ venue, market }, day) {
      const key = keyOf(venue, market, day)
      const known = kept.get(key)
      if (known) return known
      const text = texts.get(key)
      if (text === undefined) return null
      const candles = parseCandles(JSON.parse(text), spanOfDay(day))
      const [oldest] = kept.keys()
      if (kept.size === maxKept && oldest !== undefined) kept.delete(oldest)
      kept.set(key, candles)
      return candles
    },
  }
}
