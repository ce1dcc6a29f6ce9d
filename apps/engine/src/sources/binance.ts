import { parseJsonDigits } from '../digits.ts'
import {
  aliveFrame,
  asObject,
  type Frame,
  quote,
  refuse,
  restartFrame,
  subscribedFrame,
  type TradeTexts,
  toTrades,
} from './frame.ts'

/** Matches a trade of a combined stream, exactly in the documented order of keys. */
const TRADE =
  /^\{"stream":"[a-z0-9]+@trade","data":\{"e":"trade","E":\d+,"s":"([A-Z0-9]+)","t":(\d+),"p":"([\d.]+)","q":"([\d.]+)","T":(\d+),"m":(true|false),"M":(?:true|false)\}\}$/

/** Reads one frame of Binance's spot streams, combined or raw. */
export function readBinanceFrame(text: string): Frame {
  const match = TRADE.exec(text)
  if (match) {
    const [, symbol, number, price, amount, time, maker] = match
    return toTrades([{ symbol, number, count: undefined, price, amount, time, side: takerSide(maker === 'true') }])
  }
  const frame = asObject(parseJsonDigits(text))
  if (!frame) return refuse(parseJsonDigits(text) === undefined ? 'not-json' : 'unknown-shape')
  const event = asObject(frame.data) ?? frame
  if (event.e === 'trade') return toTrades([tradeTexts(event)])
  if (event.e === 'serverShutdown') return restartFrame
  if ('code' in frame || 'error' in frame) return { kind: 'rejected', message: quote(frame.msg ?? frame.error) }
  if ('result' in frame) return frame.result === null ? subscribedFrame : aliveFrame
  return refuse('unknown-shape')
}

function tradeTexts({ s, t, p, q, T, m }: Record<string, unknown>): TradeTexts {
  return { symbol: s, number: t, count: undefined, price: p, amount: q, time: T, side: takerSide(m) }
}

/**
 * Returns the taker's side. `buyerIsMaker` is the field `m`: if the buyer was the maker, the taker
 * sold.
 */
export function takerSide(buyerIsMaker: unknown): 'buy' | 'sell' | null {
  if (typeof buyerIsMaker !== 'boolean') return null
  return buyerIsMaker ? 'sell' : 'buy'
}

/** Returns the frames that subscribe to the trades. Stream names are in lower case. */
export function createBinanceSubscription(symbols: readonly string[]): string[] {
  return [
    JSON.stringify({ method: 'SUBSCRIBE', params: symbols.map((symbol) => `${symbol.toLowerCase()}@trade`), id: 1 }),
  ]
}
