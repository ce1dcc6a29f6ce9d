import { fetchCandles } from './candles.ts'
import { type LiveVenue, liveVenues, type Market } from './market.ts'
import type { CandleSource } from './outcomes.ts'
import { createRestClient, type RestClient } from './sources/rest-client.ts'
import type { Position } from './sources/trade-sequence.ts'
import { venueRest } from './sources/venue-rest.ts'
import { type SourceDependencies, startVenueSource } from './sources/venue-source.ts'
import { pointTo, venueStreams } from './sources/venues.ts'

/** Starts one source per venue and shares its REST client with the candles. */
export function startLiveSources(
  markets: readonly Market[],
  urls: Partial<Record<LiveVenue, string>>,
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
  return {
    candles,
    /** Asks every source, so that each reports what it has lost. */
    advance: (at: number): boolean => sources.map((source) => source.advance(at)).every(Boolean),
    status: () => sources.map((source) => source.status()),
    finished: () => Promise.all(sources.map(({ finished }) => finished)),
  }
}
