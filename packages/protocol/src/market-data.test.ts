import { expect, test } from 'vitest'
import { marketKey } from './market-key.ts'

test.each([
  ['binance', 'BTC/USDT', 'BTCUSDT'],
  ['coinbase', 'BTC/USD', 'BTC-USD'],
  ['kraken', 'BTC/USD', 'XBTUSD'],
  ['kraken', 'DOGE/BTC', 'XDGXBT'],
])('marketKey: is the same for %s %s and %s', (venue, market, symbol) => {
  expect(marketKey({ venue, market })).toBe(marketKey({ venue, market: symbol }))
})

test('marketKey: differs for other venues and other quotes', () => {
  const keys = ['BTC/USDT', 'BTC/USD', 'XBT/USD'].flatMap((market) =>
    ['binance', 'okx'].map((venue) => marketKey({ venue, market })),
  )
  expect(new Set(keys).size).toBe(6)
})
