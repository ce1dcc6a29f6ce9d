import { WebSocket } from 'ws'
import { systemScheduler } from '../../scheduler.ts'
import { createLookup, parseEndpoint } from './endpoint.ts'

interface FeedConnection {
  endpoint: string
  apiKey: string | null
  allowPrivate: boolean
  onOpen(): void
  /** One message at a time: the next is read when this one is settled. Binary ones come as null. */
  onMessage(raw: string | null): Promise<void>
}

const HANDSHAKE_TIMEOUT_MS = 10_000
const PING_MS = 30_000
const MAX_MISSED_PONGS = 2
/** Messages read and not settled before the feed is made to wait. */
const MAX_QUEUE = 32

/** Not all of them are in the package's types. On this side compression and a payload of 100 MiB would be the defaults. */
const limits = {
  perMessageDeflate: false,
  followRedirects: false,
  maxPayload: 64 * 1024,
  maxFragments: 16,
  handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  closeTimeout: 2_000,
}

/**
 * One connection, from the attempt to its end. Resolves with why it ended; rejects only with what `onMessage` threw. The endpoint is checked and its
 * name resolved anew at each call.
 */
export async function connectFeed(feed: FeedConnection, signal: AbortSignal): Promise<string> {
  let url: URL
  try {
    url = parseEndpoint(feed.endpoint, feed.allowPrivate)
  } catch (error) {
    return error instanceof Error ? error.message : 'The endpoint is not valid'
  }
  const headers = feed.apiKey === null ? {} : { authorization: `Bearer ${feed.apiKey}` }
  const ws = new WebSocket(url, { ...limits, headers, lookup: createLookup(feed.allowPrivate) })
  const stop = () => ws.terminate()
  const stopPinging = pingRegularly(ws)
  const inbox = createInbox(ws, feed.onMessage)
  let reason = 'The feed closed the connection'
  ws.on('open', feed.onOpen)
  ws.on('message', (data, isBinary) => inbox.take(isBinary ? null : data.toString()))
  ws.on('error', (error) => {
    reason = error.message
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    await new Promise((resolve) => ws.once('close', resolve))
    await inbox.settled()
    return reason
  } finally {
    signal.removeEventListener('abort', stop)
    stopPinging()
  }
}

function pingRegularly(ws: WebSocket): () => void {
  let missed = 0
  ws.on('pong', () => {
    missed = 0
  })
  return systemScheduler.every(PING_MS, () => {
    if (ws.readyState !== WebSocket.OPEN) return
    missed += 1
    if (missed > MAX_MISSED_PONGS) ws.terminate()
    else ws.ping()
  })
}

/** Settles messages in their order. A failure ends the connection and comes out of `settled`. */
function createInbox(ws: WebSocket, settle: (raw: string | null) => Promise<void>) {
  let work = Promise.resolve()
  let waiting = 0
  const settleNext = async (raw: string | null) => {
    await settle(raw)
    waiting -= 1
    if (waiting === 0 && ws.isPaused) ws.resume()
  }
  return {
    take(raw: string | null) {
      waiting += 1
      if (waiting >= MAX_QUEUE) ws.pause()
      work = work.then(() => settleNext(raw))
      work.catch(() => ws.terminate())
    },
    settled: () => work,
  }
}
