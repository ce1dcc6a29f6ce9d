import { formatSymbol as formatEngineSymbol } from '@tocsin/engine'

/** Venues with a live adapter, in the order of the documentation. */
export const liveVenues = ['binance', 'coinbase', 'kraken', 'okx'] as const
export type LiveVenue = (typeof liveVenues)[number]

/** A market of one venue, by its canonical name. */
export interface Market {
  venue: LiveVenue
  /** `BTC/USDT` */
  name: string
}

/** Returns the exchange's own symbol, as its REST pages and predictions use it. */
export function formatSymbol({ venue, name }: Market): string {
  return formatEngineSymbol({ venue, market: name })
}

/** Returns the symbol in WebSocket frames. Only on Kraken does it differ from the REST symbol. */
export function formatStreamSymbol(market: Market): string {
  return market.venue === 'kraken' ? market.name : formatSymbol(market)
}

/** Returns `binance:BTC/USDT`, the spelling of the setting. Used as a key. */
export function formatMarketKey({ venue, name }: { venue: string; name: string }): string {
  return `${venue}:${name}`
}
