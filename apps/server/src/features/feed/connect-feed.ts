import { WebSocket } from 'ws'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import { createLookup, NOT_ALLOWED, parseEndpoint, type Resolve } from './endpoint.ts'
import { createInbox } from './inbox.ts'

export interface FeedConnection {
  endpoint: string
  apiKey: string | null
  allowPrivate: boolean
  onOpen(): void
  /**
   * Called when the connection has closed or could not be opened, before its last messages are
   * processed.
   */
  onClose?(reason: string): void
  /**
   * Receives a batch of messages. The next batch follows when the promise resolves. Binary messages
   * are null.
   */
  onMessages(messages: (string | null)[]): Promise<void>
  /** Called when the server has answered a ping, with the round-trip time. */
  onPong?(latencyMs: number): void
  /** Called when the pong to a ping is overdue. */
  onStale?(): void
  /** Replaced in tests. */
  schedule?: Scheduler
  resolve?: Resolve
}

const HANDSHAKE_TIMEOUT_MS = 10_000
const PING_MS = 10_000
const MAX_MISSED_PONGS = 2

/**
 * Options of the client. The package's types lack some of them. The defaults would allow
 * compression and 100 MiB payloads.
 */
const clientOptions = {
  perMessageDeflate: false,
  followRedirects: false,
  maxPayload: 64 * 1024,
  maxFragments: 16,
  handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
  closeTimeout: 2_000,
}

/**
 * Opens one connection and runs it until it ends. Validates the endpoint and resolves its name on
 * each call. Resolves with the reason why the connection ended. Rejects only with an error of
 * `onMessages`.
 */
export async function connectFeed(feed: FeedConnection, signal: AbortSignal): Promise<string> {
  let ws: WebSocket
  try {
    const url = parseEndpoint(feed.endpoint, feed.allowPrivate)
    const headers = feed.apiKey === null ? {} : { authorization: `Bearer ${feed.apiKey}` }
    // Throws if the key contains a character that is not allowed in a header.
    ws = new WebSocket(url, { ...clientOptions, headers, lookup: createLookup(feed.allowPrivate, feed.resolve) })
  } catch (error) {
    const problem = error instanceof Error ? error.message : 'The endpoint is not valid'
    feed.onClose?.(problem)
    return problem
  }
  let reason: string | null = null
  const endWithReason = (endReason: string) => {
    reason ??= endReason
    ws.terminate()
  }
  const stop = () => endWithReason('Stopped')
  const stopPinging = pingRegularly(ws, feed, () => endWithReason('The feed no longer responds to pings'))
  const inbox = createInbox(ws, feed.onMessages)
  ws.on('open', feed.onOpen)
  ws.on('message', (data, isBinary) => inbox.receive(isBinary ? null : data.toString()))
  ws.on('error', (error) => {
    reason ??= describeNetworkError(error)
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    await new Promise((resolve) => ws.once('close', resolve))
    const closeReason = reason ?? 'The feed closed the connection'
    feed.onClose?.(closeReason)
    await inbox.waitUntilProcessed()
    return closeReason
  } finally {
    signal.removeEventListener('abort', stop)
    stopPinging()
  }
}

function pingRegularly(ws: WebSocket, feed: FeedConnection, endConnection: () => void): () => void {
  let missedPongs = 0
  let sentAtMs = 0
  ws.on('pong', () => {
    missedPongs = 0
    feed.onPong?.(performance.now() - sentAtMs)
  })
  // Any received data proves that the server is alive, like a pong.
  ws.on('message', () => {
    missedPongs = 0
  })
  const ping = () => {
    // While reading is paused, the pong is queued behind the unread data, so it is not overdue.
    if (ws.readyState !== WebSocket.OPEN || ws.isPaused) return
    if (missedPongs > MAX_MISSED_PONGS) return endConnection()
    if (missedPongs > 0) feed.onStale?.()
    missedPongs += 1
    sentAtMs = performance.now()
    ws.ping()
  }
  ws.on('open', ping)
  return (feed.schedule ?? systemScheduler).every(PING_MS, ping)
}

const UNREACHABLE = 'The endpoint could not be reached'

/**
 * Describes a connection failure so that an operator knows what to do. Refused, filtered and
 * unknown hosts get the same message, so that an admin cannot use the messages to scan the network.
 */
function describeNetworkError(error: Error & { code?: string }): string {
  if (error.message === NOT_ALLOWED) return NOT_ALLOWED
  const status = /^Unexpected server response: (\d+)/.exec(error.message)?.[1]
  if (status === '401' || status === '403') return 'The endpoint refused the API key'
  if (status?.startsWith('3')) return 'The endpoint redirects to another address. Redirects are not followed'
  if (status) return `The endpoint is not a WebSocket: it returned ${status}`
  if (error.code?.startsWith('WS_ERR_') || error.message.startsWith('Invalid WebSocket')) {
    return `The feed broke the protocol: ${error.message}`
  }
  return /certificate|self[- ]signed|altname/i.test(`${error.code} ${error.message}`)
    ? 'The certificate of the endpoint is not valid'
    : UNREACHABLE
}
