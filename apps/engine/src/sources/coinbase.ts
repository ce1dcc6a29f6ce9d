import { parseJsonDigits } from '../digits.ts'
import {
  aliveFrame,
  createRefusal,
  type Frame,
  parseWholeNumber,
  quote,
  subscribedFrame,
  type TradeTexts,
  toObject,
  toTrades,
} from './frame.ts'

const TRADE_PATTERN =
  /^\{"type":"match","trade_id":(\d+),"maker_order_id":"[0-9a-f-]+","taker_order_id":"[0-9a-f-]+","side":"(buy|sell)","size":"([\d.]+)","price":"([\d.]+)","product_id":"([A-Z0-9-]+)","sequence":\d+,"time":"([0-9T:.Z-]+)"\}$/

/** Reads one frame of Coinbase Exchange's channels `matches` and `heartbeat`. */
export function readCoinbaseFrame(text: string): Frame {
  const match = TRADE_PATTERN.exec(text)
  if (match) {
    const [, number, side, amount, price, symbol, time] = match
    return toTrades([{ symbol, number, count: undefined, price, amount, time, side: toTakerSide(side) }])
  }
  const value = parseJsonDigits(text)
  if (value === undefined) return createRefusal('not-json')
  const frame = toObject(value)
  switch (frame?.type) {
    case 'match':
      return toTrades([toCoinbaseTradeTexts(frame, frame.product_id)])
    // The exchange sends this old trade once after subscribing. Only its number is used, because it
    // is the newest number of the market.
    case 'last_match':
      return createNewestFrame(frame.product_id, frame.trade_id)
    case 'heartbeat':
      return createNewestFrame(frame.product_id, frame.last_trade_id)
    case 'subscriptions':
      return subscribedFrame
    case 'error':
      return { kind: 'rejected', message: quote(frame.reason ?? frame.message) }
    default:
      return createRefusal('unknown-shape')
  }
}

/** Returns the newest trade number. Heartbeats may have 0 instead, which means no number. */
function createNewestFrame(symbol: unknown, text: unknown): Frame {
  const number = parseWholeNumber(text)
  return typeof symbol === 'string' && number ? { kind: 'newest', symbol, number } : aliveFrame
}

/**
 * Returns the fields of a trade from a frame or from a REST page. On a REST page the symbol is in
 * the request.
 */
export function toCoinbaseTradeTexts(trade: Record<string, unknown>, symbol: unknown): TradeTexts {
  const { trade_id: number, price, size: amount, time, side } = trade
  return { symbol, number, count: undefined, price, amount, time, side: toTakerSide(side) }
}

/** Returns the taker's side, which is the opposite of the maker's side in `side`. */
function toTakerSide(makerSide: unknown): 'buy' | 'sell' | null {
  if (makerSide === 'buy') return 'sell'
  return makerSide === 'sell' ? 'buy' : null
}

export function createCoinbaseSubscription(symbols: readonly string[]): string[] {
  // Each product has its own frame, because an unknown product rejects its whole frame.
  return symbols.map((symbol) =>
    JSON.stringify({ type: 'subscribe', product_ids: [symbol], channels: ['matches', 'heartbeat'] }),
  )
}
