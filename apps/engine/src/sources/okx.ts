import { parseJsonDigits } from '../digits.ts'
import {
  aliveFrame,
  createRefusal,
  type Frame,
  quote,
  restartFrame,
  subscribedFrame,
  type TradeTexts,
  toList,
  toObject,
  toTrades,
} from './frame.ts'

const TRADE_PATTERN =
  /^\{"arg":\{"channel":"trades","instId":"[A-Z0-9-]+"\},"data":\[\{"instId":"([A-Z0-9-]+)","tradeId":"(\d+)","px":"([\d.]+)","sz":"([\d.]+)","side":"(buy|sell)","ts":"(\d+)","count":"(\d+)"(?:,"source":"\d+")?(?:,"seqId":\d+)?\}\]\}$/

/** Reads one frame of OKX's API v5, channel `trades`: one message per taker order and price. */
export function readOkxFrame(text: string): Frame {
  const match = TRADE_PATTERN.exec(text)
  if (match) {
    const [, symbol, number, price, amount, side, time, count] = match
    return toTrades([{ symbol, number, count, price, amount, time, side: side === 'buy' ? 'buy' : 'sell' }])
  }
  if (text === 'pong') return aliveFrame
  const value = parseJsonDigits(text)
  if (value === undefined) return createRefusal('not-json')
  const frame = toObject(value)
  if (!frame) return createRefusal('unknown-shape')
  if (frame.event === 'subscribe') return subscribedFrame
  if (frame.event === 'error') return { kind: 'rejected', message: quote(frame.msg) }
  if (frame.event === 'notice') return restartFrame
  if (toObject(frame.arg)?.channel !== 'trades') return createRefusal('unknown-shape')
  const list = toList(frame.data)?.map(toObject)
  return list ? toTrades(list.map((trade) => toOkxTradeTexts(trade ?? {}))) : createRefusal('unknown-shape')
}

/**
 * Returns the fields of a trade. `side` is the taker's side. A frame without `count`, as in older
 * documentation, is one trade.
 */
export function toOkxTradeTexts(trade: Record<string, unknown>): TradeTexts {
  const { instId: symbol, tradeId: number, px: price, sz: amount, ts: time, side, count } = trade
  return { symbol, number, count, price, amount, time, side: side === 'buy' || side === 'sell' ? side : null }
}

export function createOkxSubscription(symbols: readonly string[]): string[] {
  return [JSON.stringify({ op: 'subscribe', args: symbols.map((instId) => ({ channel: 'trades', instId })) })]
}

export const okxPing = 'ping'
