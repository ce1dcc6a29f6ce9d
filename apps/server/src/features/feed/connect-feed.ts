import { WebSocket } from 'ws'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import { createLookup, NOT_ALLOWED, parseEndpoint, type Resolve } from './endpoint.ts'
import { createInbox } from './inbox.ts'

export interface FeedConnection {
  endpoint: string
  apiKey: string | null
  allowPrivate: boolean
  onOpen(): void
  /** Messages that came together; the next are given when these are settled. Binary ones come as null. */
  onMessages(raws: (string | null)[]): Promise<void>
  /** The other side has answered a ping, after so long. */
  onPong?(latencyMs: number): void
  /** The other side owes the answer to a ping. */
  onStale?(): void
  /** For tests. */
  schedule?: Scheduler
  resolve?: Resolve
}

const HANDSHAKE_TIMEOUT_MS = 10_000
const PING_MS = 10_000
const MAX_MISSED_PONGS = 2

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
 * One connection, from the attempt to its end. Resolves with why it ended; rejects only with what `onMessages` threw. The endpoint is checked and its
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
  const ws = new WebSocket(url, { ...limits, headers, lookup: createLookup(feed.allowPrivate, feed.resolve) })
  let reason: string | null = null
  const endFor = (why: string) => {
    reason ??= why
    ws.terminate()
  }
  const stop = () => endFor('Stopped')
  const stopPinging = pingRegularly(ws, feed, () => endFor('The feed does not answer pings any more'))
  const inbox = createInbox(ws, feed.onMessages)
  ws.on('open', feed.onOpen)
  ws.on('message', (data, isBinary) => inbox.take(isBinary ? null : data.toString()))
  ws.on('error', (error) => {
    reason ??= explain(error)
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    await new Promise((resolve) => ws.once('close', resolve))
    await inbox.settled()
    return reason ?? 'The feed closed the connection'
  } finally {
    signal.removeEventListener('abort', stop)
    stopPinging()
  }
}

function pingRegularly(ws: WebSocket, feed: FeedConnection, giveUp: () => void): () => void {
  let missed = 0
  let sentAtMs = 0
  ws.on('pong', () => {
    missed = 0
    feed.onPong?.(performance.now() - sentAtMs)
  })
  // What comes shows as well as an answer that somebody is there.
  ws.on('message', () => {
    missed = 0
  })
  const ping = () => {
    // Of a line that we have stopped reading, the answer waits behind what we have not read.
    if (ws.readyState !== WebSocket.OPEN || ws.isPaused) return
    if (missed > MAX_MISSED_PONGS) return giveUp()
    if (missed > 0) feed.onStale?.()
    missed += 1
    sentAtMs = performance.now()
    ws.ping()
  }
  ws.on('open', ping)
  return (feed.schedule ?? systemScheduler).every(PING_MS, ping)
}

const UNREACHABLE = 'The endpoint could not be reached'

/**
 * Why a connection failed, in words that tell an operator what to do, and a stranger nothing of what listens where: refused, filtered and unknown hosts are
 * one answer.
 */
function explain(error: Error & { code?: string }): string {
  if (error.message === NOT_ALLOWED) return NOT_ALLOWED
  const status = /^Unexpected server response: (\d+)/.exec(error.message)?.[1]
  if (status === '401' || status === '403') return 'The endpoint refused the API key'
  if (status?.startsWith('3')) return 'The endpoint redirects, which is not followed'
  if (status) return `The endpoint is no WebSocket: it answered ${status}`
  if (error.code?.startsWith('WS_ERR_') || error.message.startsWith('Invalid WebSocket')) {
    return `The feed broke the protocol: ${error.message}`
  }
  return /certificate|self[- ]signed|altname/i.test(`${error.code} ${error.message}`)
    ? 'The certificate of the endpoint is not valid'
    : UNREACHABLE
}
