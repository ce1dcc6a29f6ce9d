import { expect, test } from 'vitest'
import { formatStreamSymbol, formatSymbol, type Market } from './market.ts'

test.each<[Market, string, string]>([
  [{ venue: 'binance', name: 'BTC/USDT' }, 'BTCUSDT', 'BTCUSDT'],
  [{ venue: 'coinbase', name: 'BTC/USD' }, 'BTC-USD', 'BTC-USD'],
  [{ venue: 'kraken', name: 'BTC/USD' }, 'XBTUSD', 'BTC/USD'],
  [{ venue: 'kraken', name: 'DOGE/BTC' }, 'XDGXBT', 'DOGE/BTC'],
  [{ venue: 'okx', name: 'BTC/USDT' }, 'BTC-USDT', 'BTC-USDT'],
])(
  'formatSymbol, formatStreamSymbol: return the exchange’s symbols for the market %o',
  (market, symbol, streamSymbol) => {
    expect([formatSymbol(market), formatStreamSymbol(market)]).toEqual([symbol, streamSymbol])
  },
)
