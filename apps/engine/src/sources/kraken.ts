import { parseJsonDigits } from '../digits.ts'
import {
  aliveFrame,
  createRefusal,
  type Frame,
  quote,
  subscribedFrame,
  type TradeTexts,
  toList,
  toObject,
  toTrades,
} from './frame.ts'

const UPDATE_HEAD = '{"channel":"trade","type":"update","data":['
const UPDATE_TAIL = ']}'
/** Matches one trade of an update. Prices and amounts are JSON numbers. */
const TRADE_PATTERN =
  /\{"symbol":"([A-Z0-9/]+)","side":"(buy|sell)","price":([\d.eE+-]+),"qty":([\d.eE+-]+),"ord_type":"[a-z-]+","trade_id":(\d+),"timestamp":"([0-9T:.Z-]+)"\}(,?)/y

/** Reads one frame of Kraken's WebSocket API v2, channel `trade`. */
export function readKrakenFrame(text: string): Frame {
  const texts = scanUpdate(text)
  if (texts) return toTrades(texts)
  const value = parseJsonDigits(text)
  if (value === undefined) return createRefusal('not-json')
  const frame = toObject(value)
  if (!frame) return createRefusal('unknown-shape')
  if (frame.channel === 'trade') return readTrades(frame)
  if (frame.channel === 'heartbeat' || frame.channel === 'status' || frame.method === 'pong') return aliveFrame
  if (frame.success === true) return subscribedFrame
  if (frame.success === false) return { kind: 'rejected', message: quote(frame.error) }
  return createRefusal('unknown-shape')
}

/** Reads an update. Returns null if the frame does not have exactly the documented form. */
function scanUpdate(text: string): TradeTexts[] | null {
  if (!text.startsWith(UPDATE_HEAD)) return null
  const trades: TradeTexts[] = []
  TRADE_PATTERN.lastIndex = UPDATE_HEAD.length
  for (let match = TRADE_PATTERN.exec(text); match; match = TRADE_PATTERN.exec(text)) {
    const [, symbol, side, price, amount, number, time, comma] = match
    trades.push({ symbol, number, count: undefined, price, amount, time, side: side === 'buy' ? 'buy' : 'sell' })
    if (comma === '')
      return text.endsWith(UPDATE_TAIL) && TRADE_PATTERN.lastIndex === text.length - UPDATE_TAIL.length ? trades : null
  }
  return null
}

function readTrades({ type, data }: Record<string, unknown>): Frame {
  const list = toList(data)?.map(toObject)
  if (!list) return createRefusal('unknown-shape')
  const frame = toTrades(list.map((trade) => toKrakenTradeTexts(trade ?? {})))
  return type === 'snapshot' ? { ...frame, isSnapshot: true } : frame
}

/** Returns the fields of a trade. `side` is the taker's side. */
function toKrakenTradeTexts({
  symbol,
  trade_id: number,
  price,
  qty,
  timestamp,
  side,
}: Record<string, unknown>): TradeTexts {
  const takerSide = side === 'buy' || side === 'sell' ? side : null
  return { symbol, number, count: undefined, price, amount: qty, time: timestamp, side: takerSide }
}

/**
 * Returns the frames that subscribe to the trades. The snapshot contains the last 50 trades, which
 * fill short gaps after a reconnect.
 */
export function createKrakenSubscription(symbols: readonly string[]): string[] {
  return [
    JSON.stringify({ method: 'subscribe', params: { channel: 'trade', symbol: symbols, snapshot: true }, req_id: 1 }),
  ]
}

export const krakenPing = '{"method":"ping"}'
