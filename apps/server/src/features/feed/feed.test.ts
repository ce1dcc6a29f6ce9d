import { createHash } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createTestContext, type FakeClock, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { max, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { alerts } from '../../db/schema/alerts.ts'
import { feedGaps, refusedSignals } from '../../db/schema/feed.ts'
import { logEntries } from '../../db/schema/log.ts'
import { settings } from '../../db/schema/server.ts'
import { Refusal } from '../../refusal.ts'
import { sealSecret } from '../../sealed-secret.ts'
import { connectFeed } from './connect-feed.ts'
import { findReport } from './feed-report.ts'
import { FEED_SETTING } from './feed-settings.ts'
import type { IssueAlert } from './receive-signals.ts'
import { feedDetails, getFeedStatus, runFeed } from './service.ts'

const postgres = useTestDatabase()
let context: TestContext
let clock: FakeClock
let server: ScriptedFeed
let stopFeed: AbortController
let running: Promise<void> | undefined

beforeEach(async () => {
  clock = fakeClock()
  server = await startScriptedFeed()
  context = await createTestContext(
    testConfig({ databaseUrl: await postgres.createDatabase(), feed: { allowPrivate: true, cooldownSeconds: 0 } }),
    clock,
  )
  stopFeed = new AbortController()
})
afterEach(async () => {
  stopFeed.abort()
  await running
  running = undefined
  await context.close()
  await server.close()
})

interface ScriptedFeed {
  url: string
  keys: (string | undefined)[]
  /** Resolves with the nth connection, existing or future. */
  connection(count: number): Promise<WebSocket>
  close(): Promise<void>
}

async function startScriptedFeed(): Promise<ScriptedFeed> {
  const connections: WebSocket[] = []
  const keys: (string | undefined)[] = []
  let notifyChange = () => {}
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  sockets.on('connection', (socket, request) => {
    connections.push(socket)
    keys.push(request.headers.authorization)
    notifyChange()
  })
  await new Promise((resolve) => sockets.on('listening', resolve))
  return {
    url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    keys,
    async connection(count) {
      for (;;) {
        const found = connections[count - 1]
        if (found) return found
        await new Promise<void>((resolve) => {
          notifyChange = resolve
        })
      }
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets.clients) socket.terminate()
        sockets.close(() => resolve())
      }),
  }
}

/**
 * Inserts an alert with placeholders for hash and signature, once per signal id. These tests do not
 * need a valid alert.
 */
const issueAlert: IssueAlert = async ({ content, origin, signalId, signalHash, broadcast }) => {
  if (content.summary === 'Refuse me') throw new Refusal('malformed', 'Not this one')
  await context.ctx.db.transaction(async (tx) => {
    await tx.execute(sql`select size from log_head for update`)
    const knownCount = await tx.$count(alerts, sql`signal_id = ${signalId}`)
    if (knownCount > 0) return
    const [row] = await tx.select({ last: max(logEntries.index) }).from(logEntries)
    const logIndex = (row?.last ?? -1) + 1
    const createdAt = clock.now()
    const bytes = new Uint8Array(1)
    await tx
      .insert(logEntries)
      .values({ index: logIndex, leafHash: bytes, bytes, signature: '0x', appendedAt: createdAt })
    await tx.insert(alerts).values({
      ...content,
      id: `alert-${logIndex}`,
      logIndex,
      origin,
      signalId,
      signalHash,
      signer: '0x',
      createdAt,
      broadcastAt: broadcast ? createdAt : null,
    })
  })
}

async function storeSettings(change: Record<string, unknown> = {}): Promise<void> {
  const apiKey = sealSecret(context.ctx.config.appSecret, FEED_SETTING, 'key-123')
  const value = {
    externalEndpoint: server.url,
    apiKey,
    reconnectInterval: 1,
    maxRetries: 1,
    isEnabled: true,
    ...change,
  }
  const row = { name: FEED_SETTING, value, updatedAt: clock.now() }
  await context.ctx.db.insert(settings).values(row).onConflictDoUpdate({ target: settings.name, set: row })
}

async function saveSettings(change?: Record<string, unknown>): Promise<void> {
  await storeSettings(change)
  await context.ctx.notifications.notify(context.ctx.db, 'settings', FEED_SETTING)
}

function startFeed(): void {
  running = runFeed(context.ctx, stopFeed.signal, { issueAlert })
}

async function waitForState(state: string): Promise<void> {
  await expect.poll(async () => (await getFeedStatus(context.ctx)).state).toBe(state)
}

async function waitForCounts(received: number, refused: number) {
  await expect
    .poll(() => getFeedStatus(context.ctx))
    .toMatchObject({ signalsReceived: received, signalsRefused: refused })
}

const series = { unit: '×', stepSeconds: 60, values: [1, 1.1, 4.1], triggerIndex: 2, mean: 1, deviation: 0.2 }

const createSignal = (id: string, rest: Record<string, unknown> = {}) =>
  JSON.stringify({
    id,
    asset: 'BTC/USDT',
    anomalyType: 'Volume spike',
    confidence: 91.5,
    regime: 'Trending',
    summary: 'Volume rose',
    priority: 'high',
    observedAt: clock.now().toISOString(),
    ...rest,
  })

describe('signals', () => {
  it('that are invalid are counted and stored, and do not affect other signals', async () => {
    await storeSettings()
    startFeed()
    const feed = await server.connection(1)
    const invalidSignals = [
      'not json',
      '[]',
      '{}',
      `${'['.repeat(20_000)}`,
      createSignal('a', { confidence: 101 }),
      createSignal('a-1', { confidence: 91.55 }),
      createSignal('a-2', { confidence: 99.99999999999999 }),
      createSignal('b', { priority: 'urgent' }),
      createSignal('c', { surprise: true }),
      createSignal('d', { summary: '' }),
      createSignal('e', { summary: 'x'.repeat(1_001) }),
      createSignal('f', { summary: 'a\0b' }),
      createSignal('g', { observedAt: '2026-01-14T11:59:59.000Z' }),
      createSignal('h', { observedAt: '2026-01-15T12:05:01.000Z' }),
      createSignal('i', { summary: 'Refuse me' }),
      createSignal('i-1', { series: { ...series, values: [1] } }),
      createSignal('i-2', { series: { ...series, values: [1, 'a'] } }),
      createSignal('i-3', { series: { ...series, triggerIndex: 3 } }),
      createSignal('i-4', { series: { ...series, deviation: -1 } }),
      createSignal('i-5', { series: { ...series, html: '<b>' } }),
      createSignal('i-6', { series: { ...series, values: Array.from({ length: 121 }, () => 1) } }),
      createSignal('j', { __proto__: null, constructor: { prototype: { isAdmin: true } } }),
    ]
    for (const raw of invalidSignals) feed.send(raw)
    feed.send(Buffer.from(createSignal('binary')), { binary: true })
    feed.send(createSignal('valid'))
    await waitForCounts(invalidSignals.length + 2, invalidSignals.length + 1)
    const refusedRows = await context.ctx.db.select().from(refusedSignals).orderBy(refusedSignals.id)
    expect(refusedRows.map(({ raw }) => raw).slice(0, 3)).toEqual(['not json', '[]', '{}'])
    expect(Math.max(...refusedRows.map(({ raw }) => Buffer.byteLength(raw)))).toBe(4_096)
    expect(refusedRows.every(({ reason }) => reason.length > 3)).toBe(true)
    expect(await context.ctx.db.$count(alerts)).toBe(1)
  })

  it('that are valid become alerts with the hash of the message, and duplicates create no second alert', async () => {
    await storeSettings()
    startFeed()
    const feed = await server.connection(1)
    const raw = createSignal('one')
    for (const text of [raw, raw, createSignal('two'), raw]) feed.send(text)
    await waitForCounts(2, 0)
    feed.send('end')
    await waitForCounts(3, 1)
    const rows = await context.ctx.db.select().from(alerts).orderBy(alerts.signalId)
    expect(rows.map(({ signalId }) => signalId)).toEqual(['one', 'two'])
    expect(rows[0]?.signalHash).toBe(`0x${createHash('sha256').update(raw).digest('hex')}`)
    expect((await getFeedStatus(context.ctx)).lastSignalAt).toBe(clock.now().toISOString())
  })

  it('all become alerts after a database error, because the failed signal is retried', async () => {
    await storeSettings()
    let failures = 1
    running = runFeed(context.ctx, stopFeed.signal, {
      issueAlert: async (alert) => {
        if (failures-- > 0) throw new Error('The database is away')
        return issueAlert(alert)
      },
    })
    const feed = await server.connection(1)
    feed.send(createSignal('one'))
    feed.send(createSignal('two'))
    await waitForCounts(2, 0)
  })

  it('are still processed when the settings change after they were received', async () => {
    await storeSettings()
    let goOn = () => {}
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const begun = new Promise<void>((resolve) => {
      running = runFeed(context.ctx, stopFeed.signal, {
        issueAlert: async (alert) => {
          resolve()
          await gate
          return issueAlert(alert)
        },
      })
    })
    const feed = await server.connection(1)
    for (const id of ['one', 'two', 'three']) feed.send(createSignal(id))
    await begun
    const closed = new Promise((resolve) => feed.once('close', resolve))
    await saveSettings({ isEnabled: false })
    await closed
    goOn()
    await waitForCounts(3, 0)
    await waitForState('off')
  })
})

describe('the feed connection', () => {
  it('is off without settings, and starts when they are saved', async () => {
    startFeed()
    // Wait for the feed to store its state after it has read the settings, because the state is
    // "off" before that too.
    await expect.poll(() => context.ctx.db.$count(settings)).toBe(1)
    await waitForState('off')
    expect(server.keys).toEqual([])
    await saveSettings()
    await waitForState('connected')
    expect(server.keys).toEqual(['Bearer key-123'])
    await saveSettings({ isEnabled: false })
    await waitForState('off')
  })

  it('reconnects after a drop and continues', async () => {
    await storeSettings()
    startFeed()
    const first = await server.connection(1)
    first.send(createSignal('one'))
    await waitForCounts(1, 0)
    first.terminate()
    const second = await server.connection(2)
    second.send(createSignal('one'))
    second.send(createSignal('two'))
    await waitForCounts(2, 0)
    await waitForState('connected')
    const at = clock.now()
    const selectGaps = () =>
      context.ctx.db.select({ source: feedGaps.source, from: feedGaps.fromAt, to: feedGaps.toAt })
    await expect.poll(() => selectGaps().from(feedGaps)).toEqual([{ source: 'feed', from: at, to: at }])
  })

  it('is reported as lost while its last messages are still processed', async () => {
    await storeSettings()
    let goOn = () => {}
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    running = runFeed(context.ctx, stopFeed.signal, {
      issueAlert: async (alert) => {
        await gate
        return issueAlert(alert)
      },
    })
    const feed = await server.connection(1)
    feed.send(createSignal('one'))
    feed.close()
    await waitForState('reconnecting')
    await waitForCounts(0, 0)
    goOn()
    await waitForCounts(1, 0)
    await waitForState('connected')
  })

  it('is reported as connected, without the earlier problem, when the feed answers a ping late', async () => {
    await storeSettings()
    const ticks: (() => void)[] = []
    const every = (_ms: number, run: () => void) => {
      ticks.push(run)
      return () => {}
    }
    running = runFeed(context.ctx, stopFeed.signal, { issueAlert, schedule: { after: () => () => {}, every } })
    const feed = await server.connection(1)
    // The pong to the first ping must not arrive during the pause.
    await expect.poll(async () => (await findReport(context.ctx)).lastPongAt).not.toBeNull()
    feed.pause()
    // The first tick sends a ping, and the second one notices that it is not answered.
    for (let tick = 0; tick < 2; tick++) for (const run of ticks) run()
    await waitForState('stale')
    feed.resume()
    await waitForState('connected')
    expect((await feedDetails(context.ctx)).lastError).toBeNull()
  })

  it('is reported as reconnecting, with the reason, when its endpoint is not allowed', async () => {
    context.ctx.config.feed.allowPrivate = false
    await storeSettings({ maxRetries: 10, reconnectInterval: 60 })
    startFeed()
    await waitForState('reconnecting')
    expect((await findReport(context.ctx)).reason).toBe('The endpoint is not at a public address')
  })

  it('is reported as reconnecting, with the reason, when its API key cannot be sent in a header', async () => {
    const apiKey = sealSecret(context.ctx.config.appSecret, FEED_SETTING, 'key-€')
    await storeSettings({ apiKey, maxRetries: 10, reconnectInterval: 60 })
    startFeed()
    await waitForState('reconnecting')
    expect((await findReport(context.ctx)).reason).toBe('Invalid character in header content ["authorization"]')
  })

  it('fails after the last retry, until the settings are saved again', async () => {
    // Port 9 is not in use. The port of a server that was closed could be used by another process.
    await storeSettings({ externalEndpoint: 'ws://127.0.0.1:9' })
    startFeed()
    await waitForState('failed')
    await saveSettings()
    await waitForState('connected')
  })

  it('responds to pings', async () => {
    await storeSettings()
    startFeed()
    const feed = await server.connection(1)
    const pongReceived = new Promise((resolve) => feed.once('pong', resolve))
    feed.ping()
    await pongReceived
  })

  it('closes when a message is larger than 64 KiB', async () => {
    await storeSettings()
    startFeed()
    const feed = await server.connection(1)
    const closed = new Promise((resolve) => feed.once('close', resolve))
    feed.send('x'.repeat(64 * 1024 + 1))
    expect(await closed).toBe(1009)
    await waitForCounts(0, 0)
  })

  it('is reported as reconnecting when its instance has not reported for 36 seconds', async () => {
    await storeSettings()
    startFeed()
    await waitForState('connected')
    stopFeed.abort()
    await running
    clock.advance(36_000)
    await waitForState('reconnecting')
  })

  it('never reaches a private address unless the operator allows it', async () => {
    const { port } = new URL(server.url)
    for (const host of [
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      'localhost',
      'localhost.',
    ]) {
      const feed = { endpoint: `ws://${host}:${port}`, apiKey: 'key', allowPrivate: false }
      const reason = await connectFeed(
        { ...feed, onOpen: () => {}, onMessages: async () => {} },
        new AbortController().signal,
      )
      expect(reason).toBe('The endpoint is not at a public address')
    }
    expect(server.keys).toEqual([])
  })
})
