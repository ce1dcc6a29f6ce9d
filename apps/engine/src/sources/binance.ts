import { parseJsonDigits } from '../digits.ts'
import {
  aliveFrame,
  createRefusal,
  type Frame,
  quote,
  restartFrame,
  subscribedFrame,
  type TradeTexts,
  toObject,
  toTrades,
} from './frame.ts'

/** Matches a trade of a combined stream, exactly in the documented order of keys. */
const TRADE_PATTERN =
  /^\{"stream":"[a-z0-9]+@trade","data":\{"e":"trade","E":\d+,"s":"([A-Z0-9]+)","t":(\d+),"p":"([\d.]+)","q":"([\d.]+)","T":(\d+),"m":(true|false),"M":(?:true|false)\}\}$/

/** Reads one frame of Binance's spot streams, combined or raw. */
export function readBinanceFrame(text: string): Frame {
  const match = TRADE_PATTERN.exec(text)
  if (match) {
    const [, symbol, number, price, amount, time, maker] = match
    return toTrades([{ symbol, number, count: undefined, price, amount, time, side: toTakerSide(maker === 'true') }])
  }
  const value = parseJsonDigits(text)
  if (value === undefined) return createRefusal('not-json')
  const frame = toObject(value)
  if (!frame) return createRefusal('unknown-shape')
  const event = toObject(frame.data) ?? frame
  if (event.e === 'trade') return toTrades([toTradeTexts(event)])
  if (event.e === 'serverShutdown') return restartFrame
  if ('code' in frame || 'error' in frame) return { kind: 'rejected', message: quote(frame.msg ?? frame.error) }
  if ('result' in frame) return frame.result === null ? subscribedFrame : aliveFrame
  return createRefusal('unknown-shape')
}

function toTradeTexts({ s, t, p, q, T, m }: Record<string, unknown>): TradeTexts {
  return { symbol: s, number: t, count: undefined, price: p, amount: q, time: T, side: toTakerSide(m) }
}

/**
 * Returns the taker's side. `buyerIsMaker` is the field `m`: if the buyer was the maker, the taker
 * sold.
 */
export function toTakerSide(buyerIsMaker: unknown): 'buy' | 'sell' | null {
  if (typeof buyerIsMaker !== 'boolean') return null
  return buyerIsMaker ? 'sell' : 'buy'
}

/** Returns the frames that subscribe to the trades. Stream names are in lower case. */
export function createBinanceSubscription(symbols: readonly string[]): string[] {
  return [
    JSON.stringify({ method: 'SUBSCRIBE', params: symbols.map((symbol) => `${symbol.toLowerCase()}@trade`), id: 1 }),
  ]
}
