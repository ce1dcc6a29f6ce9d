import { expect, test } from 'vitest'
import { createMarketLinks } from './market-links.ts'

test.each([
  ['simulated', 'BTC/USDT'],
  ['constructor', 'BTCUSDT'],
  ['binance', '../login'],
  ['binance', 'BTCUSDT?ref=1'],
  ['binance', 'javascript:alert(1)'],
])('createMarketLinks: returns null when the market is %s %s', (venue, market) => {
  expect(createMarketLinks({ venue, market })).toBeNull()
})

test.each([
  ['binance', 'BTCUSDT', 'https://www.binance.com/en/trade/BTC_USDT', 'BINANCE:BTCUSDT'],
  ['binance-usdm', 'BTCUSDT', 'https://www.binance.com/en/futures/BTCUSDT', 'BINANCE:BTCUSDT.P'],
  ['coinbase', 'BTC-USD', 'https://www.coinbase.com/advanced-trade/spot/BTC-USD', 'COINBASE:BTCUSD'],
  ['kraken', 'XBT/USD', 'https://pro.kraken.com/app/trade/xbt-usd', 'KRAKEN:XBTUSD'],
  ['binance', 'BTC/USDT', 'https://www.binance.com/en/trade/BTC_USDT', 'BINANCE:BTCUSDT'],
  ['binance-usdm', 'BTC/USDT', 'https://www.binance.com/en/futures/BTCUSDT', 'BINANCE:BTCUSDT.P'],
  ['coinbase', 'BTC/USD', 'https://www.coinbase.com/advanced-trade/spot/BTC-USD', 'COINBASE:BTCUSD'],
  ['okx', 'BTC/USDT', 'https://www.okx.com/trade-spot/btc-usdt', 'OKX:BTCUSDT'],
  ['okx', 'BTC-USDT', 'https://www.okx.com/trade-spot/btc-usdt', 'OKX:BTCUSDT'],
])('createMarketLinks: links %s %s to its exchange and to TradingView', (venue, market, exchange, symbol) => {
  const links = createMarketLinks({ venue, market })
  expect(links?.exchange).toBe(exchange)
  expect(links?.tradingView).toBe(`https://www.tradingview.com/chart/?symbol=${encodeURIComponent(symbol)}`)
})
