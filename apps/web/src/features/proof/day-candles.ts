import { type Candle, type CandleSource, getDaySpan, parseCandles } from '@tocsin/proof'
import type { RecordSnapshot } from './proof-task.ts'

/** Maximum number of parsed days in the cache. A day takes about 0.5 MB. */
const maxCachedDays = 60

/**
 * Creates a source of candles from whole days. A day is parsed when it is first read. The candles
 * come from this site and not from an archive of the exchange, so a difference does not prove that
 * an outcome is wrong.
 * @throws Error from `read` if candles are malformed
 */
export function openDayCandles(days: RecordSnapshot['days']): CandleSource {
  const createKey = (venue: string, market: string, day: string) => JSON.stringify([venue, market, day])
  const candleTexts = new Map(days.map(({ venue, market, day, candles }) => [createKey(venue, market, day), candles]))
  const cache = new Map<string, readonly Candle[]>()
  return {
    isArchive: false,
    read({ venue, market }, day) {
      const key = createKey(venue, market, day)
      const cachedCandles = cache.get(key)
      if (cachedCandles) return cachedCandles
      const text = candleTexts.get(key)
      if (text === undefined) return null
      const candles = parseCandles(JSON.parse(text), getDaySpan(day))
      const [oldestKey] = cache.keys()
      if (cache.size === maxCachedDays && oldestKey !== undefined) cache.delete(oldestKey)
      cache.set(key, candles)
      return candles
    },
  }
}
