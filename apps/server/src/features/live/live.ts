import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeCodes } from '@tocsin/protocol'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Context } from '../../context.ts'
import type { Actor } from '../../http/route.ts'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import type { Rights } from './authorization.ts'
import type { History } from './backfill.ts'
import { Connection } from './connection.ts'
import { Connections } from './connections.ts'
import { Quotas } from './quota.ts'
import { createReader, type Sources } from './reader.ts'
import { receiveMessages } from './receive.ts'
import { createStream } from './stream.ts'
import { addressOf, isOwnOrigin, isStreamPath, refuseUpgrade } from './upgrade.ts'
import { keepUp } from './upkeep.ts'

export type LiveDependencies = Rights & History & Sources

export interface Live {
  /** For the HTTP server's `upgrade` event. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  connected(): number
  /** Tells every client to come back (1012) and waits for them, two seconds at most. */
  close(): Promise<void>
}

const MINUTE_MS = 60_000
/** Of one address, asked for before the database is: as many as other calls. */
const ATTEMPTS_PER_MINUTE = 600
/** Of one account. */
const UPGRADES_PER_MINUTE = 60
const CLOSE_GRACE_MS = 2_000
const TOO_MANY = 'Too many connections'

/** Not all of them are in the package's types. */
const serverOptions = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: 16 * 1024,
  maxFragments: 16,
  maxBufferedChunks: 1024,
  closeTimeout: 2_000,
}

/**
 * The live socket: /ws. The session cookie says who is there, the Origin that a page of ours opened it, `authenticate` which proved wallet it
 * is for; only then, and only while the subscription runs, alerts are written to it.
 */
export function createLive(ctx: Context, deps: LiveDependencies, scheduler: Scheduler = systemScheduler): Live {
  const server = new WebSocketServer(serverOptions)
  const connections = new Connections()
  const attempts = new Quotas(ATTEMPTS_PER_MINUTE, MINUTE_MS)
  const upgrades = new Quotas(UPGRADES_PER_MINUTE, MINUTE_MS)
  const reader = createReader(ctx, deps, (frames) => stream.fanOut(connections.all(), frames), scheduler)
  const stream = createStream(ctx, deps, reader, scheduler)
  let closing = false

  const welcome = async (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const actor = await deps.findActor({ headers: { cookie: request.headers.cookie } })
    if (!actor) return refuseUpgrade(socket, 'not_signed_in', 'Sign in first')
    if (!upgrades.take(actor.accountId, performance.now())) return refuseUpgrade(socket, 'too_many_requests', TOO_MANY)
    if (closing) return refuseUpgrade(socket, 'unavailable', 'Restarting')
    server.handleUpgrade(request, socket, head, (ws) => open(ws, socket, actor))
  }

  const open = (ws: WebSocket, socket: Socket, actor: Actor) => {
    const connection = new Connection(ws, socket, actor)
    connections.add(connection)
    receiveMessages(ctx, stream, connection, ws)
    ws.on('error', (error) => ctx.logger.debug({ err: error }, 'socket error'))
    ws.on('close', () => {
      connection.leaveStream()
      connections.remove(connection)
    })
  }

  const stops = [
    keepUp(ctx, connections, stream, scheduler),
    scheduler.every(MINUTE_MS, () => {
      for (const quotas of [attempts, upgrades]) quotas.forgetIdle(performance.now())
    }),
  ]

  return {
    handleUpgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (!isStreamPath(request)) return refuseUpgrade(socket, 'not_found', 'Not found')
      if (!isOwnOrigin(request, ctx.config.http.publicUrl)) {
        return refuseUpgrade(socket, 'foreign_origin', `The stream opens only from ${ctx.config.http.publicUrl}`)
      }
      if (closing || !(socket instanceof Socket)) return refuseUpgrade(socket, 'unavailable', 'Restarting')
      const address = addressOf(request, ctx.config.http.trustedProxies)
      if (!attempts.take(address, performance.now())) return refuseUpgrade(socket, 'too_many_requests', TOO_MANY)
      welcome(request, socket, head).catch((error) => {
        ctx.logger.error({ err: error }, 'opening a socket failed')
        refuseUpgrade(socket, 'unavailable', 'Not available right now')
      })
    },
    connected: () => connections.size,
    async close() {
      closing = true
      for (const stop of stops) stop()
      const open = [...connections.all()]
      const allClosed = open.map((connection) => new Promise((resolve) => connection.ws.once('close', resolve)))
      for (const connection of open) connection.end(closeCodes.restart, 'Restarting')
      const grace = setTimeout(() => {
        for (const connection of open) connection.cutOff()
      }, CLOSE_GRACE_MS)
      await Promise.all(allClosed)
      clearTimeout(grace)
      await reader.close()
    },
  }
}
