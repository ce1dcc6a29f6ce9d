import { expect, test } from 'vitest'
import { type Market, streamSymbolOf, symbolOf } from './market.ts'

test.each<[Market, string, string]>([
  [{ venue: 'binance', name: 'BTC/USDT' }, 'BTCUSDT', 'BTCUSDT'],
  [{ venue: 'coinbase', name: 'BTC/USD' }, 'BTC-USD', 'BTC-USD'],
  [{ venue: 'kraken', name: 'BTC/USD' }, 'XBTUSD', 'BTC/USD'],
  [{ venue: 'kraken', name: 'DOGE/BTC' }, 'XDGXBT', 'DOGE/BTC'],
  [{ venue: 'okx', name: 'BTC/USDT' }, 'BTC-USDT', 'BTC-USDT'],
])('symbolOf: spells the exchange’s symbol when the market is %o', (market, symbol, streamSymbol) => {
  expect([symbolOf(market), streamSymbolOf(market)]).toEqual([symbol, streamSymbol])
})
