import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeCodes, type LivePrices, type RefusalCode, restartReason } from '@tocsin/protocol'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Context } from '../../context.ts'
import { readBearer, redactKeys } from '../../http/bearer.ts'
import { NetworkQuotas } from '../../http/network-quotas.ts'
import { Quotas } from '../../quota.ts'
import { Refusal } from '../../refusal.ts'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import type { RightsReader } from './authorization.ts'
import type { History } from './backfill.ts'
import { cacheHistoryReads } from './cache-history-reads.ts'
import { closeInBatches } from './close-in-batches.ts'
import { Connection, type Owner } from './connection.ts'
import { type FindSessionEnds, startConnectionMaintenance } from './connection-maintenance.ts'
import { Connections } from './connections.ts'
import type { Frame } from './frame.ts'
import { watchFreshness } from './freshness.ts'
import { createListenerCount } from './listener-count.ts'
import { notifyAdmins } from './notify-admins.ts'
import { createPrograms } from './programs.ts'
import { createReader, type DeliveryLoader } from './reader.ts'
import { receiveMessages } from './receive.ts'
import { newRetryHint } from './retry-hint.ts'
import { createStream } from './stream.ts'
import { createStreamReach } from './stream-reach.ts'
import { announcesKey, getClientNetwork, isOwnOrigin, isProgram, isStreamPath, refuseUpgrade } from './upgrade.ts'

export type LiveDependencies = RightsReader &
  History &
  DeliveryLoader & {
    findSessionEnds: FindSessionEnds
    /** Calls the listener with changed prices of the market, if there is a source. */
    watchPrices?(listener: (changedPrices: LivePrices) => void): () => void
    /** Called for each rejected upgrade, for the security log. */
    onRefused?(code: RefusalCode, event: { requestId: string; method: string; url: string; network: string }): void
  }

export interface Live {
  /** Handler for the HTTP server's `upgrade` event. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Returns why this instance cannot send new alerts now, or null. */
  problem(): string | null
  connected(): number
  /** Counts the sockets that receive alerts, on all instances. */
  countListening(): Promise<number>
  /** Rejects new sockets from now on, with a Retry-After header. */
  refuseNew(): void
  /**
   * Closes every socket with 1012 (reconnect) and waits up to two seconds for the clients.
   * Idempotent.
   */
  close(): Promise<void>
}

/**
 * Maximum number of attempts per minute of one network, checked before any database query. Equal to
 * the limit of other requests.
 */
const ATTEMPTS_PER_MINUTE = 600
/** Maximum number of upgrades per minute of one account. */
const UPGRADES_PER_MINUTE = 60
/** Maximum number of programs per minute of one network, checked before they prove a wallet. */
const PROGRAMS_PER_MINUTE = 120
/** Maximum time that a closing instance waits for its clients. */
const CLOSE_GRACE_MS = 2_000
/**
 * Retry-After of rejected upgrades. Another instance is available immediately, and a restart takes
 * a few seconds.
 */
const RETRY_AFTER_SECONDS = 1
const TOO_MANY_CONNECTIONS = 'Too many connections'

/** Options of the WebSocket server. The package's types lack some of them. */
const serverOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 16 * 1024,
  maxFragments: 16,
  maxBufferedChunks: 1024,
  closeTimeout: 500,
}

/**
 * Creates the live socket at /ws. A web page is identified by its session cookie. Its Origin must
 * be this site, and its `authenticate` message names the wallet that the session has proved. A
 * program sends neither cookie nor Origin and is identified by a wallet's signature or by an API
 * key. With an API key, cookie and Origin are ignored. Alerts are sent only to identified clients,
 * and only alerts that they may read.
 */
export function createLive(ctx: Context, deps: LiveDependencies, scheduler: Scheduler = systemScheduler): Live {
  const server = new WebSocketServer(serverOptions)
  const connections = new Connections()
  ctx.issued.countReceivers = () => connections.size
  const attemptQuotas = new NetworkQuotas(ATTEMPTS_PER_MINUTE, MINUTE_MS)
  const upgradeQuotas = new Quotas(UPGRADES_PER_MINUTE, MINUTE_MS)
  let fanOutCount = 0
  const fanOut = (frames: Frame[], isAnnounced: boolean) => {
    fanOutCount += 1
    stream.fanOut(connections.all(), frames, isAnnounced)
  }
  const freshness = watchFreshness(ctx, connections, scheduler)
  const reconnectAll = () => {
    ctx.logger.error({ sockets: connections.size }, 'the database has lost alerts that were sent, closing the sockets')
    // The clients reconnect and load the alerts that still exist.
    void closeInBatches([...connections.all()], (connection) =>
      connection.end(closeCodes.restart, restartReason('Connect again', newRetryHint())),
    )
  }
  const reader = createReader(ctx, deps, fanOut, scheduler, freshness.recordRead, reconnectAll)
  const stream = createStream(ctx, { ...deps, ...cacheHistoryReads(deps, () => fanOutCount) }, reader, scheduler)
  const programQuotas = new NetworkQuotas(PROGRAMS_PER_MINUTE, MINUTE_MS)
  const programs = createPrograms(ctx, deps, connections, scheduler)
  const listeners = createListenerCount(ctx, () => connections.listeningCount, scheduler)
  const streamReach = createStreamReach(ctx, scheduler)
  let isClosing = false
  let closeResult: Promise<void> | null = null

  const refuse = (
    request: IncomingMessage,
    socket: Duplex,
    code: RefusalCode,
    message: string,
    retryAfterSeconds?: number,
  ) => {
    const requestId = refuseUpgrade(socket, code, message, retryAfterSeconds)
    const network = getClientNetwork(request, ctx.config.http.trustedProxies)
    deps.onRefused?.(code, { requestId, method: 'GET', url: request.url ?? '', network })
  }

  const refuseWithError = (error: unknown, request: IncomingMessage, socket: Duplex) => {
    if (error instanceof Refusal) {
      const { code, message, details } = error
      const wait = details?.retryAfterSeconds
      return refuse(request, socket, code, message, typeof wait === 'number' ? wait : undefined)
    }
    ctx.logger.error({ err: error }, 'opening a socket failed')
    refuse(request, socket, 'unavailable', 'Not available right now')
  }

  const acceptPage = async (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const actor = await deps.findActor({ headers: { cookie: request.headers.cookie } })
    if (!actor) return refuse(request, socket, 'not_signed_in', 'Sign in first')
    if (!upgradeQuotas.consume(actor.accountId, performance.now()))
      return refuse(request, socket, 'too_many_requests', TOO_MANY_CONNECTIONS)
    if (isClosing) return refuse(request, socket, 'unavailable', 'Restarting', RETRY_AFTER_SECONDS)
    server.handleUpgrade(request, socket, head, (ws) => openConnection(ws, socket, actor))
  }

  const acceptApiKeyClient = async (
    token: string,
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    network: string,
  ) => {
    const { id, accountId } = await deps.authenticateKey(token, network)
    if (!upgradeQuotas.consume(accountId, performance.now()))
      return refuse(request, socket, 'too_many_requests', TOO_MANY_CONNECTIONS)
    if (isClosing) return refuse(request, socket, 'unavailable', 'Restarting', RETRY_AFTER_SECONDS)
    server.handleUpgrade(request, socket, head, (ws) => {
      const connection = openConnection(ws, socket, { network })
      connection.program.acceptKey({ keyId: id, usesSummaryFormat: false })
      connections.assign(connection, accountId)
      void programs.beginAuthentication(connection, true)
    })
  }

  const acceptProgram = (request: IncomingMessage, socket: Socket, head: Buffer, network: string) => {
    if (!programQuotas.consume(network, performance.now()))
      return refuse(request, socket, 'too_many_requests', TOO_MANY_CONNECTIONS)
    server.handleUpgrade(request, socket, head, (ws) => {
      const connection = openConnection(ws, socket, { network })
      programs.beginAuthentication(connection, announcesKey(request)).catch((error) => {
        ctx.logger.error({ err: error }, 'sending the challenge to a program failed')
        connection.end(closeCodes.restart, 'Connect again')
      })
    })
  }

  const openConnection = (ws: WebSocket, socket: Socket, owner: Owner): Connection => {
    const connection = new Connection(ws, socket, owner, streamReach.record)
    connections.add(connection)
    receiveMessages(ctx, { stream, programs }, connection, ws)
    ws.on('error', (error) => ctx.logger.debug({ err: error }, 'socket error'))
    ws.on('close', () => {
      connection.leaveStream()
      connections.remove(connection)
    })
    return connection
  }

  const stops = [
    freshness.stop,
    startConnectionMaintenance(
      ctx,
      connections,
      { stream, isStale: () => freshness.problem() !== null, findSessionEnds: deps.findSessionEnds },
      scheduler,
    ),
    programs.watch(),
    notifyAdmins(ctx, connections, scheduler),
    deps.watchPrices?.((prices) => stream.sendPrices(connections.all(), prices)) ?? (() => {}),
    scheduler.every(MINUTE_MS, () => {
      for (const quotas of [attemptQuotas, upgradeQuotas, programQuotas, programs, stream])
        quotas.deleteIdle(performance.now())
    }),
  ]

  return {
    handleUpgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (!isStreamPath(request)) return refuse(request, socket, 'not_found', 'Not found')
      if (redactKeys(request.url ?? '') !== request.url) {
        return refuse(request, socket, 'api_key_in_url', 'An API key must not be part of a URL. Revoke this key.')
      }
      const token = readBearer(request)
      const isFromProgram = token !== null || announcesKey(request) || isProgram(request)
      if (!isFromProgram && !isOwnOrigin(request, ctx.config.http.publicUrl)) {
        return refuse(request, socket, 'foreign_origin', `The stream opens only from ${ctx.config.http.publicUrl}`)
      }
      if (isClosing || !(socket instanceof Socket))
        return refuse(request, socket, 'unavailable', 'Restarting', RETRY_AFTER_SECONDS)
      const problem = freshness.problem()
      if (problem !== null) return refuse(request, socket, 'unavailable', problem, RETRY_AFTER_SECONDS)
      const network = getClientNetwork(request, ctx.config.http.trustedProxies)
      if (!attemptQuotas.consume(network, performance.now()))
        return refuse(request, socket, 'too_many_requests', TOO_MANY_CONNECTIONS)
      if (token !== null) {
        acceptApiKeyClient(token, request, socket, head, network).catch((error) =>
          refuseWithError(error, request, socket),
        )
        return
      }
      if (isFromProgram) return acceptProgram(request, socket, head, network)
      acceptPage(request, socket, head).catch((error) => refuseWithError(error, request, socket))
    },
    problem: freshness.problem,
    connected: () => connections.size,
    countListening: listeners.countListening,
    refuseNew() {
      isClosing = true
    },
    close() {
      closeResult ??= closeAll()
      return closeResult
    },
  }

  async function closeAll(): Promise<void> {
    isClosing = true
    const openConnections = [...connections.all()]
    const closePromises = openConnections.map(
      (connection) => new Promise<void>((resolve) => connection.transport.onClose(resolve)),
    )
    // The stream keeps running until all sockets are being closed, so that changed rights still
    // apply.
    await closeInBatches(openConnections, (connection) =>
      connection.end(closeCodes.restart, restartReason('Restarting', newRetryHint())),
    )
    for (const stop of stops) stop()
    const resetTimer = setTimeout(() => {
      for (const connection of openConnections) connection.transport.reset()
    }, CLOSE_GRACE_MS)
    await Promise.all(closePromises)
    clearTimeout(resetTimer)
    await reader.close()
    await listeners.close()
    await streamReach.close()
  }
}
