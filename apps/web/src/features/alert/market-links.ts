import { type Prediction, venueName } from '../prediction/prediction-names.ts'

interface Venue {
  /** Prefix of the venue's markets at TradingView. */
  tradingView: string
  suffix?: string
  page: (market: string) => string
}

const quotes = ['USDT', 'USDC', 'FDUSD', 'BUSD', 'TRY', 'EUR', 'BTC', 'ETH', 'BNB']

/** `BTCUSDT` and `BTC/USDT` as `BTC_USDT`. */
function underscored(market: string): string {
  if (market.includes('/')) return market.replace('/', '_')
  const quote = quotes.find((each) => market.endsWith(each) && market.length > each.length)
  return quote ? `${market.slice(0, -quote.length)}_${quote}` : market
}

/** `BTC/USDT` as `BTC-USDT`. */
const hyphened = (market: string) => market.replace('/', '-')

const venues: { [venue: string]: Venue } = {
  binance: { tradingView: 'BINANCE', page: (market) => `https://www.binance.com/en/trade/${underscored(market)}` },
  'binance-usdm': {
    tradingView: 'BINANCE',
    suffix: '.P',
    page: (market) => `https://www.binance.com/en/futures/${market.replace('/', '')}`,
  },
  coinbase: {
    tradingView: 'COINBASE',
    page: (market) => `https://www.coinbase.com/advanced-trade/spot/${hyphened(market)}`,
  },
  kraken: {
    tradingView: 'KRAKEN',
    page: (market) => `https://pro.kraken.com/app/trade/${hyphened(market).toLowerCase()}`,
  },
  okx: { tradingView: 'OKX', page: (market) => `https://www.okx.com/trade-spot/${hyphened(market).toLowerCase()}` },
}

export interface MarketLinks {
  /** Name of the venue. */
  name: string
  exchange: string
  tradingView: string
}

/**
 * Pages of a market, by its symbol at the exchange or as base and quote. Null for unknown venues,
 * simulated ones among them, and for market names that would not be one segment of a path.
 */
export function marketLinks({ venue, market }: Pick<Prediction, 'venue' | 'market'>): MarketLinks | null {
  const known = Object.hasOwn(venues, venue) ? venues[venue] : undefined
  if (!known || !/^[A-Z0-9]+([-/][A-Z0-9]+)*$/.test(market)) return null
  const symbol = `${known.tradingView}:${market.replace(/[-/]/g, '')}${known.suffix ?? ''}`
  return {
    name: venueName(venue),
    exchange: known.page(market),
    tradingView: `https://www.tradingview.com/chart/?symbol=${encodeURIComponent(symbol)}`,
  }
}
