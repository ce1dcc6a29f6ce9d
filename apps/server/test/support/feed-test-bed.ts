import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  createTestContext,
  type FakeClock,
  fakeClock,
  type TestContext,
  type TestDatabase,
  testConfig,
} from '@tocsin/testkit'
import { expect } from 'vitest'
import { settings } from '../../src/db/schema/server.ts'
import { createIssuer } from '../../src/features/alerts/issue-alerts.ts'
import { FEED_SETTING } from '../../src/features/feed/feed-settings.ts'
import { getFeedStatus, runFeed } from '../../src/features/feed/service.ts'
import { ensureKeyList } from '../../src/features/tlog/service.ts'
import { sealSecret } from '../../src/sealed-secret.ts'

/** The real feed with a real log and database, connected to scripted servers. */
export interface FeedTestBed {
  testContext: TestContext
  clock: FakeClock
  /** Stores settings as if an admin had saved them. */
  save(change: Record<string, unknown>): Promise<void>
  /** @param wait replaces the delay between two connections */
  start(wait?: (ms: number) => Promise<void>): void
  /** Polls the status until it has these fields. */
  waitForStatus(expected: object): Promise<void>
  /** Returns one signal as JSON: fresh and valid, except for the fields in `more`. */
  signalText(id: string, more?: Record<string, unknown>): string
  close(): Promise<void>
}

export async function createFeedTestBed(
  database: TestDatabase,
  feed: { allowPrivate?: boolean; cooldownSeconds?: number } = {},
): Promise<FeedTestBed> {
  const clock = fakeClock()
  const testContext = await createTestContext(
    testConfig({
      databaseUrl: await database.createDatabase(),
      feed: { allowPrivate: true, cooldownSeconds: 0, ...feed },
    }),
    clock,
  )
  await ensureKeyList(testContext.ctx)
  const stop = new AbortController()
  let running: Promise<void> | undefined
  return {
    testContext,
    clock,
    async save(change) {
      const { ctx } = testContext
      const apiKey = sealSecret(ctx.config.appSecret, FEED_SETTING, 'key-123')
      const settingsValue = { apiKey, reconnectInterval: 1, maxRetries: 1, isEnabled: true, ...change }
      const row = { name: FEED_SETTING, value: settingsValue, updatedAt: clock.now() }
      await ctx.db.insert(settings).values(row).onConflictDoUpdate({ target: settings.name, set: row })
      if (running) await ctx.notifications.notify(ctx.db, 'settings', FEED_SETTING)
    },
    start(wait) {
      const issueAlert = createIssuer(testContext.ctx)
      running = runFeed(testContext.ctx, stop.signal, { issueAlert, ...(wait ? { wait } : {}) })
    },
    async waitForStatus(expected) {
      await expect.poll(() => getFeedStatus(testContext.ctx)).toMatchObject(expected)
    },
    signalText: (id, more = {}) =>
      JSON.stringify({
        id,
        asset: 'BTC/USDT',
        anomalyType: 'Volume spike',
        confidence: 91.5,
        regime: 'Trending',
        summary: 'Volume rose',
        priority: 'high',
        observedAt: clock.now().toISOString(),
        ...more,
      }),
    async close() {
      stop.abort()
      await running
      await testContext.close()
    },
  }
}

export interface RawServer {
  port: number
  url: string
  /** The number of TCP connections so far. */
  connections(): number
  close(): Promise<void>
}

/** Starts an HTTP server. The test writes its responses to upgrades byte by byte. */
export async function startRawServer(
  onUpgrade: (socket: Duplex, accept: () => void, request: IncomingMessage) => void,
  host = '127.0.0.1',
): Promise<RawServer> {
  const server = createServer((_request, response) => response.writeHead(404).end())
  server.on('upgrade', (request, socket) => {
    socket.on('error', () => {})
    onUpgrade(socket, () => socket.write(formatAcceptance(request)), request)
  })
  return listen(server, host)
}

async function listen(server: Server, host: string): Promise<RawServer> {
  const sockets = new Set<Socket>()
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve))
  // The cast is safe, because the address of a TCP server is never a path.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `ws://${host.includes(':') ? `[${host}]` : host}:${port}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function formatAcceptance({ headers }: IncomingMessage): string {
  const acceptKey = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${acceptKey}\r\n\r\n`
}

/** Encodes one unmasked server frame (RFC 6455, section 5.2). */
export function encodeFrame(
  payload: string | Buffer,
  { opcode = 1, fin = true, rsv1 = false, claimed = -1 } = {},
): Buffer {
  const bytes = Buffer.from(payload)
  const length = claimed < 0 ? bytes.length : claimed
  const firstByte = (fin ? 0x80 : 0) | (rsv1 ? 0x40 : 0) | opcode
  if (length < 126) return Buffer.concat([Buffer.from([firstByte, length]), bytes])
  const head = Buffer.alloc(length < 65_536 ? 4 : 10)
  head.writeUInt8(firstByte, 0)
  head.writeUInt8(length < 65_536 ? 126 : 127, 1)
  if (length < 65_536) head.writeUInt16BE(length, 2)
  else head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, bytes])
}
