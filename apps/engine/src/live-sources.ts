import type { Venue } from '@tocsin/engine'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { fetchCandles } from './candles.ts'
import { formatMarketKey, formatSymbol, type LiveVenue, liveVenues } from './market.ts'
import { type CandleSource, LostCandles } from './outcomes.ts'
import type { Settings } from './settings.ts'
import { createRestClient, type RestClient } from './sources/rest-client.ts'
import { venueRest } from './sources/venue-rest.ts'
import { type ResumedState, type SourceDependencies, startVenueSource } from './sources/venue-source.ts'
import { pointTo, venueStreams } from './sources/venues.ts'
import { createCandleRecord } from './store/candle-record.ts'

const RECORD_MS = 4 * 3_600_000
const RECORD_RETRY_MS = 5 * 60_000

/** Starts one source per venue and shares its REST client with the candles. */
export function startLiveSources(
  { markets, urls, dataDir }: Pick<Settings, 'markets' | 'urls' | 'dataDir'>,
  resumedState: ResumedState,
  dependencies: SourceDependencies,
) {
  const clients = new Map<LiveVenue, RestClient>()
  const getStream = (venue: LiveVenue) => pointTo(venueStreams[venue], urls[venue])
  const getClient = (venue: LiveVenue): RestClient => {
    const { restUrl, restIntervalMs } = getStream(venue)
    const client = clients.get(venue) ?? createRestClient(restUrl, restIntervalMs, dependencies)
    clients.set(venue, client)
    return client
  }
  const sources = liveVenues.flatMap((venue) => {
    const ownMarkets = markets.filter((market) => market.venue === venue)
    if (ownMarkets.length === 0) return []
    return [startVenueSource(venue, getStream(venue), ownMarkets, getClient(venue), resumedState, dependencies)]
  })
  const candles: CandleSource = async (venue, symbol, from, to) => {
    const liveVenue = getLiveVenue(venue)
    return fetchCandles(getClient(liveVenue), venueRest[liveVenue], symbol, from, to)
  }
  const { nowMs, log } = dependencies
  const candleRecord = createCandleRecord(dataDir, candles, nowMs)
  const recordedMarkets = markets.filter(({ venue }) => venueRest[venue].hasOnlyNewestCandles)
  // One row less than a page has: the newest row of a page is the current, unfinished minute.
  const updateRecord = (venue: LiveVenue, symbol: string) =>
    candleRecord.update(venue, symbol, venueRest[venue].candlesPerPage - 1)
  /** Returns the open time, in seconds, of the oldest candle that the venue surely publishes. */
  const computeOldestPublishedSeconds = (venue: LiveVenue): number => {
    const { hasOnlyNewestCandles, candlesPerPage } = venueRest[venue]
    if (!hasOnlyNewestCandles) return 0
    // Do not count two rows of the page: one is the current minute, and the clocks may differ.
    return Math.floor(nowMs() / MINUTE_MS) * 60 - 60 * (candlesPerPage - 2)
  }
  /**
   * Returns candles for an outcome. If the exchange no longer publishes all of them, they are read
   * from the stored candles.
   * @throws LostCandles if a candle is neither published nor stored, because a partial list gives a
   * wrong outcome
   */
  const outcomeCandles: CandleSource = async (venue, symbol, from, to) => {
    const liveVenue = getLiveVenue(venue)
    if (from >= computeOldestPublishedSeconds(liveVenue)) {
      const rows = await candles(venue, symbol, from, to)
      // Check again, because the request may have waited in the queue of the REST client.
      if (from >= computeOldestPublishedSeconds(liveVenue)) return rows
    }
    const assertStored = () => {
      const until = Math.min(to, computeOldestPublishedSeconds(liveVenue))
      if (candleRecord.read(venue, symbol, from, until).length < (until - from) / 60) throw new LostCandles()
    }
    assertStored()
    await updateRecord(liveVenue, symbol)
    assertStored()
    return candleRecord.read(venue, symbol, from, to)
  }
  let nextRecordMs = 0
  const dayCandles: CandleSource = async (venue, symbol, from, to) => {
    const market = recordedMarkets.find((one) => one.venue === venue && formatSymbol(one) === symbol)
    if (!market) return candles(venue, symbol, from, to)
    await updateRecord(market.venue, symbol)
    return candleRecord.read(venue, symbol, from, to)
  }
  return {
    candles,
    outcomeCandles,
    dayCandles,
    /** Newest time that the exchanges have stated, or this machine's time if they state none. */
    exchangeMs: (): number => Math.max(0, ...[...clients.values()].map((client) => client.statedMs())) || nowMs(),
    /** Stores candles that the exchange will no longer publish when their day has ended. */
    async recordCandles(): Promise<void> {
      if (nowMs() < nextRecordMs) return
      nextRecordMs = nowMs() + RECORD_MS
      for (const market of recordedMarkets) {
        await updateRecord(market.venue, formatSymbol(market)).catch((error: Error) => {
          nextRecordMs = nowMs() + RECORD_RETRY_MS
          log('candles cannot be stored for the base rate', { market: formatMarketKey(market), error: error.message })
        })
      }
    },
    /**
     * Returns true if event time may advance to `at` for all venues. Calls every source, even after
     * one has returned false, so that each one reports the trades that it has lost.
     */
    advance: (at: number): boolean => sources.map((source) => source.advance(at)).every(Boolean),
    status: () => sources.map((source) => source.status()),
    finished: () => Promise.all(sources.map(({ finished }) => finished)),
  }
}

function getLiveVenue(venue: Venue): LiveVenue {
  const liveVenue = liveVenues.find((one) => one === venue)
  if (!liveVenue) throw new Error(`${venue} has no adapter`)
  return liveVenue
}
