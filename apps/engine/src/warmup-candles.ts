import { MINUTE_MS } from '@tocsin/protocol/durations'
import { type CandleRow, fetchCandles, toCandleEvent } from './candles.ts'
import { formatMarketKey, formatSymbol, liveVenues, type Market } from './market.ts'
import type { Settings } from './settings.ts'
import type { WarmupCandles } from './simulation/history.ts'
import { createRestClient } from './sources/rest-client.ts'
import { venueRest } from './sources/venue-rest.ts'
import type { SourceDependencies } from './sources/venue-source.ts'
import { pointTo, venueStreams } from './sources/venues.ts'

const DAY_MINUTES = 1_440
/** Age below which candles may not be published yet. */
const UNPUBLISHED_MS = 2 * MINUTE_MS

type Dependencies = Pick<SourceDependencies, 'nowMs' | 'schedule' | 'signal'>

/**
 * Fetches the published candles of the last days, from which a new engine warms up. Kraken
 * publishes only the newest 12 hours.
 * @throws RestError if an exchange does not answer
 */
export async function loadWarmupCandles(
  { markets, urls }: Pick<Settings, 'markets' | 'urls'>,
  days: number,
  dependencies: Dependencies,
): Promise<WarmupCandles> {
  const publishedMs = dependencies.nowMs() - UNPUBLISHED_MS
  const liveAt = publishedMs - (publishedMs % MINUTE_MS)
  const loadedRows = await Promise.all(
    liveVenues.map(async (venue) => {
      const { restUrl, restIntervalMs } = pointTo(venueStreams[venue], urls[venue])
      const client = createRestClient(restUrl, restIntervalMs, dependencies)
      const { hasOnlyNewestCandles, candlesPerPage } = venueRest[venue]
      const minuteCount = hasOnlyNewestCandles ? Math.min(candlesPerPage - 2, days * DAY_MINUTES) : days * DAY_MINUTES
      const rows: [Market, CandleRow[]][] = []
      for (const market of markets.filter((one) => one.venue === venue)) {
        const until = liveAt / 1_000
        rows.push([
          market,
          await fetchCandles(client, venueRest[venue], formatSymbol(market), until - 60 * minuteCount, until),
        ])
      }
      return rows
    }),
  )
  return createWarmupCandles(loadedRows.flat(), liveAt)
}

function createWarmupCandles(loadedRows: readonly [Market, CandleRow[]][], liveAt: number): WarmupCandles {
  const rowsBySymbol = new Map(
    loadedRows.map(([market, rows]) => [formatMarketKey({ venue: market.venue, name: formatSymbol(market) }), rows]),
  )
  const events = loadedRows.flatMap(([market, rows]) => rows.map((row) => toCandleEvent(market, row)))
  // The sort is stable, so markets keep their order within a minute.
  events.sort((a, b) => a.at - b.at)
  return {
    liveAt,
    history: () => events,
    async candles(venue, symbol, from, to) {
      if (to > liveAt / 1_000) throw new Error('The candles end after the first start')
      const rows = rowsBySymbol.get(formatMarketKey({ venue, name: symbol })) ?? []
      return rows.filter(([openTime]) => openTime >= from && openTime < to)
    },
  }
}
