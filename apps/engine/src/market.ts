/** Venues with a live adapter, in the order of the documentation. */
export const liveVenues = ['binance', 'coinbase', 'kraken', 'okx'] as const
export type LiveVenue = (typeof liveVenues)[number]

/** A market of one venue, by its canonical name. */
export interface Market {
  venue: LiveVenue
  /** `BTC/USDT` */
  name: string
}

/** Kraken's REST API has its own codes for two assets; its WebSocket API uses the common ones. */
const KRAKEN_CODES: Record<string, string> = { BTC: 'XBT', DOGE: 'XDG' }

/**
 * The exchange's own symbol of a market, as its REST pages use it and as a prediction names it:
 * `BTCUSDT`, `BTC-USD`, `XBTUSD`, `BTC-USDT`.
 */
export function symbolOf({ venue, name }: Market): string {
  const [base = '', quote = ''] = name.split('/')
  if (venue === 'binance') return base + quote
  if (venue === 'kraken') return (KRAKEN_CODES[base] ?? base) + (KRAKEN_CODES[quote] ?? quote)
  return `${base}-${quote}`
}

/** The symbol in WebSocket frames. Only Kraken's differs from its REST symbol. */
export function streamSymbolOf(market: Market): string {
  return market.venue === 'kraken' ? market.name : symbolOf(market)
}

/** Returns `binance:BTC/USDT`, the spelling of the setting. Used as a key. */
export function keyOf({ venue, name }: { venue: string; name: string }): string {
  return `${venue}:${name}`
}

/** True if a prediction may call the market so. Kraken has one symbol per API. */
export function isSymbolOf(symbol: string, market: Market): boolean {
  return symbol === symbolOf(market) || symbol === streamSymbolOf(market)
}
