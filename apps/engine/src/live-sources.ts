import { fetchCandles } from './candles.ts'
import { keyOf, type LiveVenue, liveVenues, type Market, symbolOf } from './market.ts'
import type { CandleSource } from './outcomes.ts'
import type { Settings } from './settings.ts'
import { createRestClient, type RestClient } from './sources/rest-client.ts'
import type { Position } from './sources/trade-sequence.ts'
import { venueRest } from './sources/venue-rest.ts'
import { type SourceDependencies, startVenueSource } from './sources/venue-source.ts'
import { pointTo, venueStreams } from './sources/venues.ts'
import { createCandleRecord } from './store/candle-record.ts'

const RECORD_MS = 4 * 3_600_000
const RECORD_RETRY_MS = 5 * 60_000

/** Starts one source per venue and shares its REST client with the candles. */
export function startLiveSources(
  { markets, urls, dataDir }: Pick<Settings, 'markets' | 'urls' | 'dataDir'>,
  positions: ReadonlyMap<string, Position>,
  dependencies: SourceDependencies,
) {
  const clients = new Map<LiveVenue, RestClient>()
  const streamOf = (venue: LiveVenue) => pointTo(venueStreams[venue], urls[venue])
  const clientOf = (venue: LiveVenue): RestClient => {
    const { restUrl, restIntervalMs } = streamOf(venue)
    const client = clients.get(venue) ?? createRestClient(restUrl, restIntervalMs, dependencies)
    clients.set(venue, client)
    return client
  }
  const sources = liveVenues.flatMap((venue) => {
    const own = markets.filter((market) => market.venue === venue)
    if (own.length === 0) return []
    return [startVenueSource(venue, streamOf(venue), own, clientOf(venue), positions, dependencies)]
  })
  const candles: CandleSource = async (venue, symbol, from, to) => {
    const live = liveVenues.find((one) => one === venue)
    if (!live) throw new Error(`${venue} has no adapter`)
    return fetchCandles(clientOf(live), venueRest[live], symbol, from, to)
  }
  const { nowMs, log } = dependencies
  const record = createCandleRecord(dataDir, candles, nowMs)
  const recorded = markets.filter(({ venue }) => venueRest[venue].hasOnlyNewestCandles)
  // The newest row is left out, because its minute is not over.
  const updateRecord = (market: Market) =>
    record.update(market.venue, symbolOf(market), venueRest[market.venue].candlesPerPage - 1)
  let nextRecordMs = 0
  const dayCandles: CandleSource = async (venue, symbol, from, to) => {
    const market = recorded.find((one) => one.venue === venue && symbolOf(one) === symbol)
    if (!market) return candles(venue, symbol, from, to)
    await updateRecord(market)
    return record.read(venue, symbol, from, to)
  }
  return {
    candles,
    dayCandles,
    /** Stores candles that the exchange will no longer publish at the end of the day. */
    async recordCandles(): Promise<void> {
      if (nowMs() < nextRecordMs) return
      nextRecordMs = nowMs() + RECORD_MS
      for (const market of recorded) {
        await updateRecord(market).catch((error: Error) => {
          nextRecordMs = nowMs() + RECORD_RETRY_MS
          log('candles cannot be stored for the base rate', { market: keyOf(market), error: error.message })
        })
      }
    },
    /** Calls every source, so that each one reports the trades that it has lost. */
    advance: (at: number): boolean => sources.map((source) => source.advance(at)).every(Boolean),
    status: () => sources.map((source) => source.status()),
    finished: () => Promise.all(sources.map(({ finished }) => finished)),
  }
}
