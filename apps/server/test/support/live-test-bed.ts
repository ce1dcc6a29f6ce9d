import { createServer } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import type { Alert, Priority, ServerMessage } from '@tocsin/protocol'
import { serverMessage } from '@tocsin/protocol'
import { createTestContext, type FakeClock, testConfig } from '@tocsin/testkit'
import { asc, eq, gt, max, sql } from 'drizzle-orm'
import WebSocket from 'ws'
import type { Context } from '../../src/context.ts'
import { alerts, deliveries } from '../../src/db/schema/alerts.ts'
import { anchors, logEntries } from '../../src/db/schema/log.ts'
import { findHighestDeliveredIndex, findResumePoint } from '../../src/features/alerts/service.ts'
import { createLive, type Live, type LiveDependencies } from '../../src/features/live/live.ts'
import { createStreamChallenge, verifyStreamResponse } from '../../src/features/wallets/stream-challenge.ts'
import type { Actor } from '../../src/http/route.ts'
import { type Scheduler, systemScheduler } from '../../src/scheduler.ts'

export const publicUrl = 'http://localhost:3000'
/** The id of the log that all instances share. */
export const logId = `0x${'11'.repeat(32)}`

/** Accounts and their rights, which tests change. */
export interface TestAccounts {
  /** Actors by cookie. */
  actors: Map<string, Actor>
  /** Entitlements by account id. */
  entitlements: Map<string, { planId: '24h'; startsAt: Date; endsAt: Date }>
  /** Account ids by wallet in lower case, for programs. */
  owners: Map<string, string>
  /**
   * Contract wallets by address. Their signatures are always accepted at authentication. The value
   * states whether the contract accepts them at later checks.
   */
  contracts?: Map<string, boolean>
  /** Called before the ends of sessions are read. May throw. */
  beforeSessionEnds?: () => void
}

export interface Instance {
  ctx: Context
  live: Live
  /** WebSocket URL of this instance's stream. */
  url: string
  connect(cookie: string | null, options?: { origin?: string | null; path?: string }): Client
  stop(): Promise<void>
}

/** Starts one server instance: the live socket on a plain HTTP server with a real database. */
export async function startInstance(
  databaseUrl: string,
  clock: FakeClock,
  accounts: TestAccounts,
  scheduler: Scheduler = systemScheduler,
  watchPrices: LiveDependencies['watchPrices'] = () => () => {},
): Promise<Instance> {
  const context = await createTestContext(testConfig({ databaseUrl, http: { publicUrl, trustedProxies: 1 } }), clock)
  const live = createLive(context.ctx, { ...createDependencies(accounts), watchPrices }, scheduler)
  const server = createServer().on('upgrade', live.handleUpgrade)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ctx: context.ctx,
    live,
    url: `ws://127.0.0.1:${port}/ws`,
    connect: (cookie, { origin = publicUrl, path = '/ws' } = {}) =>
      new Client(`ws://127.0.0.1:${port}${path}`, {
        ...(cookie === null ? {} : { cookie }),
        ...(origin === null ? {} : { origin }),
      }),
    async stop() {
      await live.close()
      server.close()
      await context.close()
    },
  }
}

function createDependencies(accounts: TestAccounts): LiveDependencies {
  const { actors, entitlements, owners, contracts } = accounts
  const loadDeliveries: LiveDependencies['loadDeliveries'] = async ({ db }, afterSeq, limit) => {
    const rows = await db
      .select()
      .from(deliveries)
      .innerJoin(alerts, eq(alerts.logIndex, deliveries.logIndex))
      .where(gt(deliveries.seq, afterSeq))
      .orderBy(asc(deliveries.seq))
      .limit(limit)
    return rows.map((row) => ({ ...row.deliveries, isOutcome: false, alert: toAlert(row.alerts) }))
  }
  return {
    findActor: async ({ headers }) => actors.get(headers.cookie ?? '') ?? null,
    findActorOfSession: async (id) => [...actors.values()].find(({ sessionId }) => sessionId === id) ?? null,
    findSessionEnds: async ({ clock }, ids) => {
      accounts.beforeSessionEnds?.()
      const matchingActors = [...actors.values()].filter(({ sessionId }) => ids.includes(sessionId))
      const openActors = matchingActors.filter(({ sessionEndsAt }) => sessionEndsAt > clock.now())
      return new Map(openActors.map(({ sessionId, sessionEndsAt }) => [sessionId, sessionEndsAt]))
    },
    createChallenge: createStreamChallenge,
    verifyResponse: async (ctx, challenge, response) => {
      if (!contracts?.has(response.walletAddress)) return verifyStreamResponse(ctx, challenge, response)
      const { walletAddress, message, signature } = response
      return { walletAddress, evidence: { chainId: challenge.chainId, address: '0x', message, signature } }
    },
    isStillAccepted: async () => [...(contracts?.values() ?? [])].every(Boolean),
    authenticateKey: async () => {
      throw new Error('This test has no API keys')
    },
    findKey: async () => null,
    findAccountOfWallet: async (walletAddress) => owners.get(walletAddress.toLowerCase()) ?? null,
    listPastPeriods: async (_ctx, accountId, now) => {
      const entitlement = entitlements.get(accountId)
      return entitlement && entitlement.startsAt <= now ? [entitlement] : []
    },
    findLogId: async () => logId,
    getLogSize: ({ db }) => db.$count(logEntries),
    findEntitlement: async (_ctx, accountId, now) => {
      const entitlement = entitlements.get(accountId)
      return entitlement && now < entitlement.endsAt ? entitlement : null
    },
    loadDeliveries,
    loadOwedDeliveries: loadDeliveries,
    findLastDeliverySeq: async ({ db }) => {
      const [row] = await db.select({ seq: max(deliveries.seq) }).from(deliveries)
      return row?.seq ?? 0
    },
    findHighestDeliveredIndex,
    loadAlertsAnchoredBetween: async ({ db }, from, to) => {
      const rows = await db.select().from(alerts).orderBy(asc(alerts.logIndex))
      return rows.slice(from, to).map((row) => ({ ...toAlert(row), treeSize: to }))
    },
    findResumeSeq: findResumePoint,
  }
}

const asset = 'BTC/USDT'

function toAlert(row: typeof alerts.$inferSelect): Alert {
  const { broadcastAt: _broadcastAt, signalId: _signalId, createdAt, ...columns } = row
  const proof = { signature: '0x', leafHash: '0x', merklePath: [], treeSize: null, root: null, avalancheTx: null }
  const emptyReferences = { targetLeafHash: null, supersededBy: null }
  return { ...columns, ...proof, ...emptyReferences, createdAt: createdAt.toISOString(), anchoredAt: null }
}

/** Deletes everything that was issued. Only call this while no instance runs. */
export async function clearLog({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.execute(sql`truncate ${logEntries}, ${alerts}, ${deliveries}, ${anchors} restart identity cascade`)
}

/** Issues and broadcasts the given number of alerts in one transaction. */
export async function issueAlerts(
  ctx: Context,
  count: number,
  summary = 'Marker',
  priority: Priority = 'high',
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    await tx.execute(sql`select size from log_head for update`)
    const [row] = await tx.select({ last: max(logEntries.index) }).from(logEntries)
    const first = row?.last === null || row === undefined ? 0 : row.last + 1
    const indexes = Array.from({ length: count }, (_, index) => first + index)
    const now = ctx.clock.now()
    const content = { asset, priority, anomalyType: '', confidence: 90, regime: '', summary } as const
    const bytes = new Uint8Array(1)
    const entry = { bytes, leafHash: bytes, signature: '0x', appendedAt: now }
    await tx.insert(logEntries).values(indexes.map((index) => ({ index, ...entry })))
    await tx.insert(alerts).values(
      indexes.map((logIndex) => ({
        ...content,
        id: `alert-${logIndex}`,
        logIndex,
        origin: 'admin' as const,
        signer: '0x',
        createdAt: now,
      })),
    )
    const deliveryRows = await tx
      .insert(deliveries)
      .values(indexes.map((logIndex) => ({ logIndex, at: now })))
      .returning({ seq: deliveries.seq })
    await ctx.notifications.notify(tx, 'deliveries', String(deliveryRows.at(-1)?.seq))
  })
}

/** Broadcasts an alert again. */
export async function repeatAlert(ctx: Context, logIndex: number): Promise<void> {
  await ctx.db.insert(deliveries).values({ logIndex, at: ctx.clock.now() })
}

/** Replaces all anchors of the log with this one. */
export async function anchorLog(ctx: Context, size: number, blockHash = '0x'): Promise<void> {
  const root = new Uint8Array(32)
  await ctx.db.delete(anchors)
  await ctx.db.insert(anchors).values({ size, root, txHash: '0x', blockNumber: 1, blockHash, blockAt: ctx.clock.now() })
  await ctx.notifications.notify(ctx.db, 'anchors')
}

/**
 * A WebSocket client of a subscriber. It validates every message against the protocol and stores
 * it.
 */
export class Client {
  readonly ws: WebSocket
  readonly messages: ServerMessage[] = []
  readonly opened: Promise<number>
  readonly closed: Promise<number>
  #changed = () => {}

  constructor(url: string, headers: Record<string, string>) {
    this.ws = new WebSocket(url, { headers })
    this.opened = new Promise((resolve) => {
      this.ws.on('open', () => resolve(101))
      this.ws.on('unexpected-response', (_request, response) => {
        resolve(response.statusCode ?? 0)
        response.destroy()
      })
      this.ws.on('error', () => resolve(0))
    })
    this.closed = new Promise((resolve) => this.ws.on('close', resolve))
    this.ws.on('message', (raw) => {
      this.messages.push(serverMessage.parse(JSON.parse(raw.toString())))
      this.#changed()
    })
  }

  async authenticate(walletAddress: string, lastIndex?: number, cursorLogId?: string): Promise<void> {
    const status = await this.opened
    if (status !== 101) throw new Error(`The upgrade returned ${status}`)
    this.send({ type: 'authenticate', walletAddress, lastIndex, logId: cursorLogId })
  }

  /** Sends raw bytes without the library ws. */
  sendRaw(bytes: Buffer): void {
    this.#socket().write(bytes)
  }

  /** Resolves with the error of the TCP socket, which ws does not report. */
  brokenOff(): Promise<unknown> {
    return new Promise((resolve) => this.#socket().once('error', resolve))
  }

  #socket(): Socket {
    const socket: unknown = Reflect.get(this.ws, '_socket')
    if (!(socket instanceof Socket)) throw new Error('It is not open')
    return socket
  }

  send(message: object): void {
    this.ws.send(JSON.stringify(message))
  }

  /** Resolves with the `count`-th message of that type, as soon as it has been received. */
  async received<T extends ServerMessage['type']>(type: T, count = 1): Promise<Extract<ServerMessage, { type: T }>> {
    for (;;) {
      const matching = this.messages.filter(
        (message): message is Extract<ServerMessage, { type: T }> => message.type === type,
      )
      const foundMessage = matching[count - 1]
      if (foundMessage) return foundMessage
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }

  /**
   * Resolves when the client has received everything that was sent to it so far, or when its socket
   * is closed.
   */
  async receiveAll(): Promise<void> {
    await this.opened
    const answered = new Promise((resolve) => this.ws.once('pong', resolve))
    this.ws.ping()
    await Promise.race([answered, this.closed])
  }

  /** Returns the log indexes of the received alerts, in order. */
  alertIndexes(): number[] {
    return this.messages.flatMap((message) => (message.type === 'new_alert' ? [message.alert.logIndex] : []))
  }
}

/** Creates timers that run when the test advances them. The clock advances with them. */
export function fakeScheduler(clock: FakeClock): Scheduler & { advance(ms: number): void } {
  const timers = new Set<{ atMs: number; everyMs: number | null; run: () => void }>()
  const addTimer = (delayMs: number, everyMs: number | null, run: () => void) => {
    const timer = { atMs: clock.now().getTime() + delayMs, everyMs, run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    after: (delayMs, run) => addTimer(delayMs, null, run),
    every: (intervalMs, run) => addTimer(intervalMs, intervalMs, run),
    advance(ms) {
      const endMs = clock.now().getTime() + ms
      for (;;) {
        const [dueTimer] = [...timers].filter((timer) => timer.atMs <= endMs).sort((a, b) => a.atMs - b.atMs)
        if (!dueTimer) break
        clock.set(new Date(Math.max(dueTimer.atMs, clock.now().getTime())))
        if (dueTimer.everyMs === null) timers.delete(dueTimer)
        else dueTimer.atMs += dueTimer.everyMs
        dueTimer.run()
      }
      clock.set(new Date(endMs))
    },
  }
}
