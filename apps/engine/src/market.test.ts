import { expect, test } from 'vitest'
import { formatStreamSymbol, formatSymbol, type Market } from './market.ts'

test.each<[Market, string, string]>([
  [{ venue: 'binance', name: 'BTC/USDT' }, 'BTCUSDT', 'BTCUSDT'],
  [{ venue: 'coinbase', name: 'BTC/USD' }, 'BTC-USD', 'BTC-USD'],
  [{ venue: 'kraken', name: 'BTC/USD' }, 'XBTUSD', 'BTC/USD'],
  [{ venue: 'kraken', name: 'DOGE/BTC' }, 'XDGXBT', 'DOGE/BTC'],
  [{ venue: 'okx', name: 'BTC/USDT' }, 'BTC-USDT', 'BTC-USDT'],
])('formatSymbol: spells the exchange’s symbol when the market is %o', (market, symbol, streamSymbol) => {
  expect([formatSymbol(market), formatStreamSymbol(market)]).toEqual([symbol, streamSymbol])
})
