import { getVenueName, type Prediction } from '../prediction/prediction-names.ts'

interface Venue {
  /** Prefix of the symbols that TradingView uses for the markets of this venue. */
  tradingView: string
  suffix?: string
  page: (market: string) => string
}

const quotes = ['USDT', 'USDC', 'FDUSD', 'BUSD', 'TRY', 'EUR', 'BTC', 'ETH', 'BNB']

/** Converts `BTCUSDT` and `BTC/USDT` to `BTC_USDT`. */
function toUnderscoredMarket(market: string): string {
  if (market.includes('/')) return market.replace('/', '_')
  const quote = quotes.find((each) => market.endsWith(each) && market.length > each.length)
  return quote ? `${market.slice(0, -quote.length)}_${quote}` : market
}

/** Converts `BTC/USDT` to `BTC-USDT`. */
const toHyphenatedMarket = (market: string) => market.replace('/', '-')

const venues: { [venue: string]: Venue } = {
  binance: {
    tradingView: 'BINANCE',
    page: (market) => `https://www.binance.com/en/trade/${toUnderscoredMarket(market)}`,
  },
  'binance-usdm': {
    tradingView: 'BINANCE',
    suffix: '.P',
    page: (market) => `https://www.binance.com/en/futures/${market.replace('/', '')}`,
  },
  coinbase: {
    tradingView: 'COINBASE',
    page: (market) => `https://www.coinbase.com/advanced-trade/spot/${toHyphenatedMarket(market)}`,
  },
  kraken: {
    tradingView: 'KRAKEN',
    page: (market) => `https://pro.kraken.com/app/trade/${toHyphenatedMarket(market).toLowerCase()}`,
  },
  okx: {
    tradingView: 'OKX',
    page: (market) => `https://www.okx.com/trade-spot/${toHyphenatedMarket(market).toLowerCase()}`,
  },
}

export interface MarketLinks {
  /** Name of the venue. */
  name: string
  exchange: string
  tradingView: string
}

/**
 * Returns the URLs of a market. `market` is the symbol of the exchange, or base and quote. Returns
 * null for unknown venues, such as simulated ones, and for names with characters that could change
 * the path of a URL.
 */
export function createMarketLinks({ venue, market }: Pick<Prediction, 'venue' | 'market'>): MarketLinks | null {
  const venueLinks = Object.hasOwn(venues, venue) ? venues[venue] : undefined
  if (!venueLinks || !/^[A-Z0-9]+([-/][A-Z0-9]+)*$/.test(market)) return null
  const symbol = `${venueLinks.tradingView}:${market.replace(/[-/]/g, '')}${venueLinks.suffix ?? ''}`
  return {
    name: getVenueName(venue),
    exchange: venueLinks.page(market),
    tradingView: `https://www.tradingview.com/chart/?symbol=${encodeURIComponent(symbol)}`,
  }
}
