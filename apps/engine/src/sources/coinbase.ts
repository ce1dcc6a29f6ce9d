import { parseJsonDigits } from '../digits.ts'
import {
  alive,
  asObject,
  type Frame,
  quote,
  readWhole,
  refuse,
  subscribed,
  type TradeTexts,
  toTrades,
} from './frame.ts'

const TRADE =
  /^\{"type":"match","trade_id":(\d+),"maker_order_id":"[0-9a-f-]+","taker_order_id":"[0-9a-f-]+","side":"(buy|sell)","size":"([\d.]+)","price":"([\d.]+)","product_id":"([A-Z0-9-]+)","sequence":\d+,"time":"([0-9T:.Z-]+)"\}$/

/** Reads one frame of Coinbase Exchange's channels `matches` and `heartbeat`. */
export function readCoinbaseFrame(text: string): Frame {
  const match = TRADE.exec(text)
  if (match) {
    const [, number, side, amount, price, symbol, time] = match
    return toTrades([{ symbol, number, count: undefined, price, amount, time, side: takerSide(side) }])
  }
  const value = parseJsonDigits(text)
  if (value === undefined) return refuse('not-json')
  const frame = asObject(value)
  switch (frame?.type) {
    case 'match':
      return toTrades([coinbaseTrade(frame, frame.product_id)])
    // An old trade, sent once after subscribing: only its number says something about now.
    case 'last_match':
      return newest(frame.product_id, frame.trade_id)
    case 'heartbeat':
      return newest(frame.product_id, frame.last_trade_id)
    case 'subscriptions':
      return subscribed
    case 'error':
      return { kind: 'rejected', message: quote(frame.reason ?? frame.message) }
    default:
      return refuse('unknown-shape')
  }
}

/** Heartbeats may carry 0 instead of the number, which says nothing. */
function newest(symbol: unknown, text: unknown): Frame {
  const number = readWhole(text)
  return typeof symbol === 'string' && number ? { kind: 'newest', symbol, number } : alive
}

/** A trade of a frame or of a REST page, where the symbol is in the request. */
export function coinbaseTrade(trade: Record<string, unknown>, symbol: unknown): TradeTexts {
  const { trade_id: number, price, size: amount, time, side } = trade
  return { symbol, number, count: undefined, price, amount, time, side: takerSide(side) }
}

/** `side` is the maker's, so the taker did the opposite. */
function takerSide(makerSide: unknown): 'buy' | 'sell' | null {
  if (makerSide === 'buy') return 'sell'
  return makerSide === 'sell' ? 'buy' : null
}

export function subscribeToCoinbase(symbols: readonly string[]): string[] {
  // One frame each, because an unknown product rejects its whole frame.
  return symbols.map((symbol) =>
    JSON.stringify({ type: 'subscribe', product_ids: [symbol], channels: ['matches', 'heartbeat'] }),
  )
}
