import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { closeCodes } from '@tocsin/protocol'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Context } from '../../context.ts'
import type { Caller } from '../../http/app.ts'
import type { Actor } from '../../http/route.ts'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import type { Rights } from './authorization.ts'
import type { History } from './backfill.ts'
import { parseClientMessage } from './client-message.ts'
import { Connection } from './connection.ts'
import { Connections } from './connections.ts'
import { encodeMessage } from './frame.ts'
import { Quota } from './quota.ts'
import { createReader, type Sources } from './reader.ts'
import { listOpenSessions } from './store.ts'
import { createStream } from './stream.ts'
import { isOwnOrigin, isStreamPath, refuseUpgrade } from './upgrade.ts'

export type LiveDependencies = Rights & History & Sources

export interface Live {
  /** For the HTTP server's `upgrade` event. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  connected(): number
  /** Tells every client to come back (1012) and waits for them, two seconds at most. */
  close(): Promise<void>
}

const UPGRADES_PER_MINUTE = 60
const PING_MS = 30_000
const HEARTBEAT_MS = 20_000
const PROGRESS_MS = 1_000
const CLOSE_GRACE_MS = 2_000

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
 * is for; only then, and only while the subscription runs, alerts are written to it. An `authenticate` with wrong fields is answered with
 * `authentication_failed`; any other message outside the protocol (not JSON, not text, of an unknown type) closes the socket with 1008, as does
 * the hundred-and-first message of a minute.
 */
export function createLive(ctx: Context, deps: LiveDependencies, scheduler: Scheduler = systemScheduler): Live {
  const server = new WebSocketServer(serverOptions)
  const connections = new Connections()
  const upgrades = new Map<string, Quota>()
  const reader = createReader(ctx, deps, (frames) => stream.fanOut(connections.all(), frames), scheduler)
  const stream = createStream(ctx, deps, reader, scheduler)
  let closing = false

  const welcome = async (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const caller: Caller = { headers: { cookie: request.headers.cookie } }
    const actor = await deps.findActor(caller)
    if (!actor) return refuseUpgrade(socket, 'not_signed_in', 'Sign in first')
    const quota = upgrades.get(actor.accountId) ?? new Quota(UPGRADES_PER_MINUTE, 60_000)
    upgrades.set(actor.accountId, quota)
    if (!quota.take(performance.now())) return refuseUpgrade(socket, 'too_many_requests', 'Too many connections')
    if (closing) return refuseUpgrade(socket, 'unavailable', 'Restarting')
    server.handleUpgrade(request, socket, head, (ws) => open(ws, socket, caller, actor))
  }

  const open = (ws: WebSocket, socket: Socket, caller: Caller, actor: Actor) => {
    const connection = new Connection(ws, socket, caller, actor)
    connections.add(connection)
    ws.on('message', (raw, isBinary) => receive(connection, raw, isBinary))
    ws.on('ping', () => spend(connection))
    ws.on('error', (error) => ctx.logger.debug({ err: error }, 'socket error'))
    ws.on('close', () => {
      connection.leaveStream()
      connections.remove(connection)
    })
  }

  const spend = (connection: Connection): boolean => {
    if (connection.quota.take(performance.now())) return true
    connection.breakRules('Too many messages')
    return false
  }

  const receive = (connection: Connection, raw: RawData, isBinary: boolean) => {
    if (!connection.isOpen || !spend(connection)) return
    const parsed = isBinary ? ({ kind: 'malformed' } as const) : parseClientMessage(raw.toString())
    if (parsed.kind === 'malformed') return connection.breakRules('Malformed message')
    if (parsed.kind === 'failed-authentication') {
      return connection.send({ type: 'authentication_failed', message: parsed.reason })
    }
    const { walletAddress, lastIndex } = parsed.message
    connection.work = connection.work.then(async () => {
      if (!connection.isOpen) return
      try {
        await stream.authenticate(connection, walletAddress, lastIndex)
      } catch (error) {
        ctx.logger.error({ err: error }, 'authenticating a socket failed')
        connection.end(closeCodes.restart, 'Connect again')
      }
    })
  }

  const endSession = (idHash: string) => {
    if (idHash === '') return void endLostSessions()
    for (const connection of connections.all()) {
      if (connection.sessionIdHash === idHash) connection.end(closeCodes.sessionEnded, 'The session has ended')
    }
  }
  /** After a lost wake-up connection: any of them may have ended meanwhile. */
  const endLostSessions = async () => {
    const idHashes = [...new Set([...connections.all()].map((connection) => connection.sessionIdHash))]
    if (idHashes.length === 0) return
    try {
      const openHashes = await listOpenSessions(ctx.db, idHashes, ctx.clock.now())
      for (const idHash of idHashes) if (!openHashes.has(idHash)) endSession(idHash)
    } catch (error) {
      ctx.logger.error({ err: error }, 'looking for ended sessions failed')
    }
  }

  const recheck = (accountId: string) => {
    const affected = accountId === '' ? connections.all() : connections.ofAccount(accountId)
    for (const connection of affected) stream.recheck(connection)
  }

  const ping = () => {
    for (const connection of connections.all()) connection.ping()
    for (const [accountId, quota] of upgrades) if (quota.isIdle(performance.now())) upgrades.delete(accountId)
  }
  const heartbeat = () => {
    const bytes = encodeMessage({ type: 'heartbeat', at: ctx.clock.now().toISOString() })
    for (const connection of connections.all()) if (connection.outbox) connection.write(bytes)
  }
  const checkProgress = () => {
    for (const connection of connections.all()) connection.checkProgress(performance.now())
  }

  const stops = [
    ctx.wake.on('entitlement', recheck),
    ctx.wake.on('session', endSession),
    scheduler.every(PING_MS, ping),
    scheduler.every(HEARTBEAT_MS, heartbeat),
    scheduler.every(PROGRESS_MS, checkProgress),
  ]

  return {
    handleUpgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      if (!isStreamPath(request)) return refuseUpgrade(socket, 'not_found', 'Not found')
      if (!isOwnOrigin(request, ctx.config.http.publicUrl)) {
        return refuseUpgrade(socket, 'foreign_origin', `The stream opens only from ${ctx.config.http.publicUrl}`)
      }
      if (closing || !(socket instanceof Socket)) return refuseUpgrade(socket, 'unavailable', 'Restarting')
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
