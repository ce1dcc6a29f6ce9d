import { HOUR_MS } from '@tocsin/protocol/durations'
import type { LiveVenue } from '../market.ts'
import { createBinanceSubscription, readBinanceFrame } from './binance.ts'
import { createCoinbaseSubscription, readCoinbaseFrame } from './coinbase.ts'
import type { Frame } from './frame.ts'
import { createKrakenSubscription, krakenPing, readKrakenFrame } from './kraken.ts'
import { createOkxSubscription, okxPing, readOkxFrame } from './okx.ts'

/** Parameters of one exchange's public stream. */
export interface VenueStream {
  streamUrl: string
  restUrl: string
  read(text: string): Frame
  subscribe(symbols: readonly string[]): string[]
  /**
   * Message that is sent after `pingAfterMs` without a frame. Null for Coinbase, which sends
   * heartbeats.
   */
  ping: string | null
  pingAfterMs: number
  /** Time without any frame after which a connection is considered dead. */
  silentAfterMs: number
  /** Age at which a new connection replaces the old one; null if the exchange sets no limit. */
  replaceAfterMs: number | null
  /** True if the exchange documents that the trade numbers of a market have no gaps. */
  isGapless: boolean
  restIntervalMs: number
  /**
   * Maximum number of REST pages for one gap (`maxFillPages`), and of the trades that they can
   * contain.
   */
  maxFillPages: number
  maxFillTrades: number
}

export const venueStreams: Record<LiveVenue, VenueStream> = {
  binance: {
    streamUrl: 'wss://stream.binance.com:9443/stream',
    restUrl: 'https://data-api.binance.vision',
    read: readBinanceFrame,
    subscribe: createBinanceSubscription,
    ping: '{"method":"LIST_SUBSCRIPTIONS","id":2}',
    pingAfterMs: 15_000,
    silentAfterMs: 30_000,
    // Binance ends each connection after 24 hours.
    replaceAfterMs: 23 * HOUR_MS,
    isGapless: true,
    restIntervalMs: 500,
    maxFillPages: 20,
    maxFillTrades: 20_000,
  },
  coinbase: {
    streamUrl: 'wss://ws-feed.exchange.coinbase.com',
    restUrl: 'https://api.exchange.coinbase.com',
    read: readCoinbaseFrame,
    subscribe: createCoinbaseSubscription,
    ping: null,
    pingAfterMs: 0,
    silentAfterMs: 20_000,
    replaceAfterMs: null,
    isGapless: false,
    restIntervalMs: 200,
    maxFillPages: 20,
    maxFillTrades: 20_000,
  },
  kraken: {
    streamUrl: 'wss://ws.kraken.com/v2',
    restUrl: 'https://api.kraken.com',
    read: readKrakenFrame,
    subscribe: createKrakenSubscription,
    ping: krakenPing,
    pingAfterMs: 10_000,
    silentAfterMs: 20_000,
    replaceAfterMs: null,
    isGapless: false,
    restIntervalMs: 1_000,
    maxFillPages: 10,
    maxFillTrades: 10_000,
  },
  okx: {
    streamUrl: 'wss://ws.okx.com:8443/ws/v5/public',
    restUrl: 'https://www.okx.com',
    read: readOkxFrame,
    subscribe: createOkxSubscription,
    ping: okxPing,
    // OKX ends a connection after 30 s without data.
    pingAfterMs: 15_000,
    silentAfterMs: 25_000,
    replaceAfterMs: null,
    isGapless: true,
    restIntervalMs: 200,
    maxFillPages: 50,
    maxFillTrades: 5_000,
  },
}

/**
 * Replaces a venue's servers by the server of the setting `ENGINE_<VENUE>_URL`. The path of this
 * URL is used only for the stream; REST requests go to the same origin.
 */
export function pointTo(stream: VenueStream, url: string | undefined): VenueStream {
  if (url === undefined) return stream
  const configuredUrl = new URL(url)
  const isSecure = configuredUrl.protocol === 'https:' || configuredUrl.protocol === 'wss:'
  const path = configuredUrl.pathname === '/' ? new URL(stream.streamUrl).pathname : configuredUrl.pathname
  return {
    ...stream,
    streamUrl: `${isSecure ? 'wss' : 'ws'}://${configuredUrl.host}${path}`,
    restUrl: `${isSecure ? 'https' : 'http'}://${configuredUrl.host}`,
  }
}
