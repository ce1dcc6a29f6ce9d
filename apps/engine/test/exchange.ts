import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { LiveVenue } from '../src/market.ts'
import { completeTrade, getFrame, type TestTrade } from './wire.ts'

/** One candle as text: open time in seconds, then open, high, low, close, volume. */
export type TestCandle = readonly [number, string, string, string, string, string]

/** A local server with the WebSocket and REST interface of one exchange. */
export interface Exchange {
  url: string
  /** Text frames that clients sent. */
  received: string[]
  /** Paths of the REST requests. */
  requests: string[]
  connections(): number
  open(): number
  /** Records trades for the REST pages. */
  record(...trades: TestTrade[]): void
  /** Records trades and sends them. */
  trade(...trades: TestTrade[]): void
  send(text: string | Buffer): void
  /** Ends all connections as the exchange would after 24 hours. */
  disconnect(): void
  /** Ends all connections without a closing handshake. */
  drop(): void
  /** Ends the oldest connection without a closing handshake. */
  dropOldest(): void
  /**
   * Returns the response to a text frame of a client, or null. By default a test sends the
   * responses itself.
   */
  reply(text: string): string | null
  /** Values that replace every REST response while they are set. */
  rest: { status?: number; body?: string; headers?: Record<string, string> }
  /** If true, WebSocket handshakes are rejected. */
  isClosed: boolean
  pageLimit: number
  candles: TestCandle[]
  close(): Promise<void>
}

/**
 * Open time in seconds of the last candle that Kraken returns: the incomplete candle of the current
 * minute. It is later than all times in tests.
 */
const CURRENT_MINUTE = 9_000_000_000

type Pages = Record<
  LiveVenue,
  (path: string, query: URLSearchParams, exchange: Exchange, trades: StoredTrade[]) => string
>
type StoredTrade = Required<TestTrade>

const selectTrades = (list: StoredTrade[], limit: number, keep: (trade: StoredTrade) => boolean) =>
  list.filter(keep).slice(0, limit)
const sortNewestFirst = (list: StoredTrade[]) => [...list].reverse()
const parseCursor = (cursor: string | null) => (cursor === null ? Number.POSITIVE_INFINITY : Number(cursor))
const formatNanoseconds = (at: number) => `${new Date(at).toISOString().slice(0, -1)}456Z`

const pages: Pages = {
  binance(path, query, { candles, pageLimit }, stored) {
    const [start, end] = [Number(query.get('startTime')), Number(query.get('endTime'))]
    if (path === '/api/v3/klines') {
      const found = candles.filter(([at]) => at * 1_000 >= start && at * 1_000 <= end)
      return JSON.stringify(
        found.map(([at, ...rest]) => [at * 1_000, ...rest, at * 1_000 + 59_999, '0', 1, '0', '0', '0']),
      )
    }
    const page =
      path === '/api/v3/trades'
        ? stored.slice(-pageLimit)
        : selectTrades(stored, pageLimit, ({ number }) => number >= Number(query.get('fromId')))
    return JSON.stringify(
      page.map(({ number, price, amount, at, takerSide }) => ({
        id: number,
        price,
        qty: amount,
        quoteQty: '1',
        time: at,
        isBuyerMaker: takerSide === 'sell',
        isBestMatch: true,
      })),
    )
  },
  coinbase(path, query, { candles, pageLimit }, stored) {
    if (path.endsWith('/candles')) {
      const [start, end] = [Date.parse(query.get('start') ?? ''), Date.parse(query.get('end') ?? '')]
      const found = candles.filter(([at]) => at * 1_000 >= start && at * 1_000 <= end).reverse()
      return `[${found.map(([at, open, high, low, close, volume]) => `[${at},${low},${high},${open},${close},${volume}]`)}]`
    }
    const page = selectTrades(
      sortNewestFirst(stored),
      pageLimit,
      ({ number }) => number < parseCursor(query.get('after')),
    )
    return JSON.stringify(
      page.map(({ number, price, amount, at, takerSide }) => ({
        trade_id: number,
        side: takerSide === 'sell' ? 'buy' : 'sell',
        size: amount,
        price,
        time: formatNanoseconds(at),
      })),
    )
  },
  kraken(path, query, { candles, pageLimit }, stored) {
    const since = Number(query.get('since'))
    if (path.endsWith('/OHLC')) {
      const found = [...candles, [CURRENT_MINUTE, '1', '1', '1', '1', '1'] as const]
      const rows = found
        .filter(([at]) => at > since)
        .map(([at, open, high, low, close, volume]) => [at, open, high, low, close, '1', volume, 3])
      return JSON.stringify({ error: [], result: { XXBTZUSD: rows, last: 1 } })
    }
    const page = query.has('since')
      ? selectTrades(stored, pageLimit, ({ at }) => at * 1e6 > since)
      : stored.slice(-pageLimit)
    const rows = page.map(
      ({ number, price, amount, at, takerSide }) =>
        `["${price}","${amount}",${Math.floor(at / 1_000)}.${String(at % 1_000).padStart(3, '0')}9,"${takerSide[0]}","m","",${number}]`,
    )
    return `{"error":[],"result":{"XXBTZUSD":[${rows}],"last":"1"}}`
  },
  okx(path, query, { candles, pageLimit }, stored) {
    if (path.endsWith('/history-candles')) {
      const [first, last] = [Number(query.get('before')), parseCursor(query.get('after'))]
      const found = candles.filter(([at]) => at * 1_000 > first && at * 1_000 < last).reverse()
      const data = found.slice(0, 100).map(([at, ...rest]) => [String(at * 1_000), ...rest, '1', '1', '1'])
      return JSON.stringify({ code: '0', msg: '', data })
    }
    const page = selectTrades(
      sortNewestFirst(stored),
      Math.min(pageLimit, 100),
      ({ number }) => number < parseCursor(query.get('after')),
    )
    const data = page.map(({ number, price, amount, at, takerSide }) => ({
      instId: query.get('instId'),
      side: takerSide,
      sz: amount,
      source: '0',
      px: price,
      tradeId: String(number),
      ts: String(at),
    }))
    return JSON.stringify({ code: '0', msg: '', data })
  },
}

export async function startExchange(venue: LiveVenue): Promise<Exchange> {
  const storedTrades: StoredTrade[] = []
  let connections = 0
  const respondToRest = ({ url = '' }: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(url, 'http://127.0.0.1')
    exchange.requests.push(url)
    const { status = 200, headers = {}, body } = exchange.rest
    if (status !== 200) return response.writeHead(status, headers).end()
    response.writeHead(status, headers).end(body ?? pages[venue](pathname, searchParams, exchange, storedTrades))
  }
  const server = createServer(respondToRest)
  const sockets = new WebSocketServer({ server, verifyClient: () => !exchange.isClosed })
  sockets.on('connection', (socket: WebSocket) => {
    connections += 1
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const text = data.toString()
      exchange.received.push(text)
      const answer = exchange.reply(text)
      if (answer !== null) socket.send(answer)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('No port')
  const exchange: Exchange = {
    url: `ws://127.0.0.1:${address.port}`,
    received: [],
    requests: [],
    connections: () => connections,
    open: () => sockets.clients.size,
    record(...list) {
      storedTrades.push(...list.map(completeTrade))
      storedTrades.sort((a, b) => a.number - b.number)
    },
    trade(...list) {
      exchange.record(...list)
      for (const trade of list) exchange.send(getFrame(venue, trade))
    },
    send(text) {
      for (const socket of sockets.clients) socket.send(text)
    },
    disconnect() {
      for (const socket of sockets.clients) socket.close(1008, 'disconnected')
    },
    drop() {
      for (const socket of sockets.clients) socket.terminate()
    },
    dropOldest() {
      const [oldest] = sockets.clients
      oldest?.terminate()
    },
    reply: () => null,
    rest: {},
    isClosed: false,
    pageLimit: 1_000,
    candles: [],
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return exchange
}
