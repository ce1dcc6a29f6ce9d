import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import type { CandleFeed } from './candle-feed.ts'
import type { Scheduler } from './scheduler.ts'
import type { Outbox } from './store/outbox.ts'
import { MAX_TICK_READERS, type TickFeed } from './tick-feed.ts'

export interface SignalFeed {
  /** The ws:// URL of the feed. */
  url: string
  /** Sends the messages that were added to the outbox. */
  wake(): void
  products(): number
  close(): Promise<void>
}

export interface FeedOptions {
  host: string
  port: number
  /** Key that clients must send. Null: every client may connect. */
  key: string | null
  outbox: Outbox
  /** Serves the connections to /ticks. */
  ticks: Pick<TickFeed, 'add' | 'readers'>
  /** Answers GET /candles. */
  candles: CandleFeed
  nowMs(): number
  /**
   * Returns the current time for the age of messages. Always 0 in a replay, so that no message is
   * too old.
   */
  messageTime(): number
  schedule: Scheduler
  /** Returns the body of GET /status. */
  status(): unknown
  /** Returns the status message for products. */
  statusMessage(): unknown
}

const PING_MS = 10_000
/**
 * Time without a pong after which a connection is closed. It is long, because a product that cannot
 * store signals pauses reading, which also delays its pongs.
 */
const SILENCE_TIMEOUT_MS = 120_000
/**
 * Maximum number of sent bytes that the network has not accepted yet. Above it, the feed waits for
 * the product.
 */
const MAX_BUFFERED_BYTES = 256 * 1024
const BATCH_SIZE = 100
/**
 * Time after which an outcome is sent again. A product whose clock is behind rejects an outcome
 * that arrives early.
 */
const REPEAT_MS = 60_000
const MAX_CONNECTIONS = 32

/**
 * Serves the signal protocol. Each connection gets all stored messages, oldest first, and then new
 * ones. The product ignores messages that it already has. A ping after each batch carries the
 * position, and its pong shows that the product has received the batch. Outcomes are sent a second
 * time after a minute. A status, which is not stored, is sent first and then with each ping.
 */
export async function startSignalFeed(options: FeedOptions): Promise<SignalFeed> {
  const { schedule } = options
  const sessions = new Set<{ send(): void }>()
  // Only browsers send Origin. Such requests are rejected, because a web page must not read the
  // feed on the machine of its visitor.
  const isAllowed = ({ headers }: IncomingMessage) =>
    headers.origin === undefined &&
    (options.key === null || isEqual(headers.authorization ?? '', `Bearer ${options.key}`))
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const [path, query] = (request.url ?? '').split('?', 2)
    if (request.method !== 'GET' || (path !== '/status' && path !== '/candles')) return response.writeHead(426).end()
    if (!isAllowed(request)) return response.writeHead(401).end()
    const send = (status: number, body: unknown) => {
      const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
      response.writeHead(status, headers).end(JSON.stringify(body))
    }
    if (path === '/status') return send(200, options.status())
    void options.candles.respond(new URLSearchParams(query)).then(({ status, body }) => send(status, body))
  }
  const server = createServer(respond)
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: false,
    maxPayload: 1024,
    verifyClient: ({ req }, decide) => {
      if (!isAllowed(req)) decide(false, 401)
      else decide(hasRoom(req), 503)
    },
  })
  const hasRoom = (request: IncomingMessage) =>
    isForTicks(request) ? options.ticks.readers() < MAX_TICK_READERS : sessions.size < MAX_CONNECTIONS
  sockets.on('connection', (socket, request) => {
    if (isForTicks(request)) return options.ticks.add(socket)
    const session = openSession(socket, options)
    sessions.add(session)
    const stopPinging = schedule.every(PING_MS, session.check)
    socket.on('close', () => {
      stopPinging()
      sessions.delete(session)
    })
    session.sendStatus()
    session.send()
  })
  // The HTTP server reports the same error, which is handled there.
  sockets.on('error', () => {})
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(options.port, options.host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The signal feed has no port')
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `ws://${host}:${address.port}`,
    products: () => sessions.size,
    wake() {
      for (const session of sessions) session.send()
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function openSession(socket: WebSocket, { outbox, nowMs, messageTime, statusMessage }: FeedOptions) {
  let sentCount = 0
  let receivedAtMs = nowMs()
  let isWaiting = false
  let repeatedTo = messageTime() - REPEAT_MS

  const repeatOutcomes = () => {
    const repeatUntil = messageTime() - REPEAT_MS
    for (const { sequence, at, text } of outbox.outcomes()) {
      if (at > repeatedTo && at <= repeatUntil && sequence <= sentCount) socket.send(text)
    }
    repeatedTo = repeatUntil
  }
  const send = () => {
    while (!isWaiting && socket.readyState === socket.OPEN) {
      const batch = outbox.offer(sentCount, BATCH_SIZE, messageTime())
      const lastMessage = batch.at(-1)
      if (!lastMessage) return
      for (const { text } of batch) socket.send(text)
      sentCount = lastMessage.sequence
      isWaiting = socket.bufferedAmount > MAX_BUFFERED_BYTES
      socket.ping(String(sentCount), false, () => {
        if (!isWaiting) return
        isWaiting = false
        send()
      })
    }
  }
  /** Sends the status unless the product is slow. The next status follows with the next ping. */
  const sendStatus = () => {
    if (!isWaiting && socket.readyState === socket.OPEN) socket.send(JSON.stringify(statusMessage()))
  }
  socket.on('error', () => socket.terminate())
  socket.on('pong', (payload) => {
    receivedAtMs = nowMs()
    const position = Number(payload.toString())
    // A position that was never sent would mark unsent messages as received.
    if (Number.isSafeInteger(position) && position > 0 && position <= sentCount) outbox.receive(position)
  })
  return {
    send,
    sendStatus,
    check() {
      if (nowMs() - receivedAtMs >= SILENCE_TIMEOUT_MS) return socket.terminate()
      if (!isWaiting && socket.readyState === socket.OPEN) repeatOutcomes()
      if (socket.readyState === socket.OPEN) socket.ping(String(sentCount))
      sendStatus()
    },
  }
}

function isForTicks({ url }: IncomingMessage): boolean {
  return url === '/ticks'
}

/** Compares two keys in constant time. */
function isEqual(givenText: string, expectedText: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(givenText), digest(expectedText))
}
