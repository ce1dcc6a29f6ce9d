import type { LiveVenue } from '../src/market.ts'

/** A trade, independent of the wire formats of the venues. */
export interface TestTrade {
  number: number
  at?: number
  price?: string
  amount?: string
  takerSide?: 'buy' | 'sell'
  count?: number
}

export const startAt = Date.parse('2026-03-02T14:31:00.000Z')

/** The exchange's spellings of one market, by venue. */
export const symbols = {
  binance: { name: 'BTC/USDT', stream: 'BTCUSDT', rest: 'BTCUSDT' },
  coinbase: { name: 'BTC/USD', stream: 'BTC-USD', rest: 'BTC-USD' },
  kraken: { name: 'BTC/USD', stream: 'BTC/USD', rest: 'XBTUSD' },
  okx: { name: 'BTC/USDT', stream: 'BTC-USDT', rest: 'BTC-USDT' },
} as const satisfies Record<LiveVenue, object>

const formatNanoseconds = (at: number) => `${new Date(at).toISOString().slice(0, -1)}456Z`

type Writer = (trade: Required<TestTrade>, symbol: string) => string

/** Formats a trade as a frame in the wire format of each venue. All other values are invented. */
const tradeFrame: Record<LiveVenue, Writer> = {
  binance: ({ number, at, price, amount, takerSide }, symbol) =>
    `{"stream":"${symbol.toLowerCase()}@trade","data":{"e":"trade","E":${at + 2},"s":"${symbol}","t":${number},"p":"${price}","q":"${amount}","T":${at},"m":${takerSide === 'sell'},"M":true}}`,
  coinbase: ({ number, at, price, amount, takerSide }, symbol) =>
    `{"type":"match","trade_id":${number},"maker_order_id":"00000000-0000-4000-8000-00000000000a","taker_order_id":"00000000-0000-4000-8000-00000000000b","side":"${takerSide === 'sell' ? 'buy' : 'sell'}","size":"${amount}","price":"${price}","product_id":"${symbol}","sequence":${number * 10},"time":"${formatNanoseconds(at)}"}`,
  kraken: ({ number, at, price, amount, takerSide }, symbol) =>
    `{"channel":"trade","type":"update","data":[{"symbol":"${symbol}","side":"${takerSide}","price":${price},"qty":${amount},"ord_type":"market","trade_id":${number},"timestamp":"${formatNanoseconds(at)}"}]}`,
  okx: ({ number, at, price, amount, takerSide, count }, symbol) =>
    `{"arg":{"channel":"trades","instId":"${symbol}"},"data":[{"instId":"${symbol}","tradeId":"${number}","px":"${price}","sz":"${amount}","side":"${takerSide}","ts":"${at}","count":"${count}","source":"0","seqId":77}]}`,
}

export function completeTrade(trade: TestTrade): Required<TestTrade> {
  return { at: startAt + trade.number, price: '61204.10', amount: '0.0150', takerSide: 'buy', count: 1, ...trade }
}

export function getFrame(venue: LiveVenue, trade: TestTrade, symbol: string = symbols[venue].stream): string {
  return tradeFrame[venue](completeTrade(trade), symbol)
}
