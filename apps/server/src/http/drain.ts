import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'

/** Graceful shutdown of the HTTP server. */
export interface Drain {
  /**
   * Creates an HTTP server whose requests are counted. Fastify creates one for each address that it
   * listens on.
   */
  createServer(listener: RequestListener): Server
  /**
   * True since shutdown has begun. Then /readyz reports it, and every response closes its
   * connection.
   */
  isDraining(): boolean
  /**
   * Waits for `noticeMs`, or until `endNotice` aborts. Then accepts the connections that are
   * already waiting and no others, and closes the streams, so that their clients reconnect to
   * another instance. Resolves when all requests are answered, or after `timeoutMs`. Idle
   * connections stay open until then, because a proxy may be sending a request on one of them.
   */
  drain(limits: DrainLimits, closeStreams: () => Promise<void>): Promise<void>
}

interface DrainLimits {
  noticeMs: number
  timeoutMs: number
  endNotice?: AbortSignal | undefined
}

const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
/**
 * Idle timeout of connections. Longer than that of proxies, so that the proxy closes idle
 * connections.
 */
const KEEP_ALIVE_MS = 72_000
/**
 * While it drains, the server accepts connections until this many turns of the event loop pass
 * without a new connection or request. One turn is not enough, because a connection is accepted in
 * one turn and its request is read in a later one.
 */
const QUIET_TURNS = 3
/** Maximum time for accepting waiting connections, because some clients never stop connecting. */
const ACCEPT_MS = 1_000
/** Timeout for clients that read nothing, and for handlers. No handler takes this long. */
const NO_PROGRESS_MS = 60_000

export function createDrain(): Drain {
  const servers: Server[] = []
  const openResponses = new Set<ServerResponse>()
  let arrivalCount = 0
  let isDraining = false
  let onAllAnswered = () => {}

  const trackResponse = (response: ServerResponse) => {
    arrivalCount += 1
    openResponses.add(response)
    if (isDraining) response.setHeader('connection', 'close')
    response.once('close', () => {
      openResponses.delete(response)
      onAllAnswered()
    })
  }
  const waitForAnswers = () =>
    new Promise<void>((resolve) => {
      onAllAnswered = () => {
        if (openResponses.size === 0) resolve()
      }
      onAllAnswered()
    })
  /**
   * Waits until no connection is waiting to be accepted. A busy server accepts connections late.
   * Closing the listening socket would reset them, even if their requests were sent before shutdown
   * began.
   */
  const acceptWaitingConnections = async () => {
    const untilMs = performance.now() + ACCEPT_MS
    for (let quietTurnCount = 0; quietTurnCount < QUIET_TURNS && performance.now() < untilMs; quietTurnCount += 1) {
      const countBefore = arrivalCount
      await nextTurn()
      if (arrivalCount > countBefore) quietTurnCount = -1
    }
  }

  return {
    createServer(listener) {
      const options = {
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
      }
      const server = createServer(options, (request, response) => {
        trackResponse(response)
        listener(request, response)
      })
      server.setTimeout(NO_PROGRESS_MS)
      server.on('connection', () => {
        arrivalCount += 1
      })
      servers.push(server)
      return server
    },
    isDraining: () => isDraining,
    async drain({ noticeMs, timeoutMs, endNotice }, closeStreams) {
      isDraining = true
      for (const response of openResponses) if (!response.headersSent) response.setHeader('connection', 'close')
      if (noticeMs > 0) await delay(noticeMs, undefined, { signal: endNotice }).catch(() => {})
      await acceptWaitingConnections()
      // Calls close() of net.Server, because that of the HTTP server would also close idle
      // connections.
      for (const server of servers) NetServer.prototype.close.call(server)
      const deadline = new AbortController()
      const { signal } = deadline
      const timedOut = delay(timeoutMs, undefined, { signal }).catch(() => {})
      await Promise.all([Promise.race([waitForAnswers(), timedOut]), closeStreams()])
      // Close idle connections now, because a later request on one of them would be cut off when
      // the server is closed.
      for (const server of servers) server.closeIdleConnections()
      await Promise.race([waitForAnswers(), timedOut])
      deadline.abort()
    },
  }
}
