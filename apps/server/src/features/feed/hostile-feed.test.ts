import { hashSignal } from '@tocsin/proof'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq, isNull } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import {
  createFeedTestBed,
  encodeFrame,
  type FeedTestBed,
  type RawServer,
  startRawServer,
} from '../../../test/support/feed-test-bed.ts'
import { openLeadership } from '../../db/leader.ts'
import { alertSignals, alerts, deliveries } from '../../db/schema/alerts.ts'
import { feedSignals, refusedSignals } from '../../db/schema/feed.ts'
import { createIssuer, type IssueAlert } from '../alerts/issue-alerts.ts'
import { connectFeed } from './connect-feed.ts'
import { findReport } from './feed-report.ts'
import { receiveSignals } from './receive-signals.ts'
import { getFeedStatus, runFeed } from './service.ts'

/**
 * Attacks by a malicious feed. Each test checks that the server still runs, that nothing invalid
 * was broadcast, and that the operator can see what happened.
 */

const database = useTestDatabase()
let bed: FeedTestBed
let servers: RawServer[]

beforeEach(async () => {
  servers = []
  bed = await createFeedTestBed(database)
})
afterEach(async () => {
  await bed.close()
  for (const server of servers) await server.close()
})

async function startServer(onUpgrade: Parameters<typeof startRawServer>[0]): Promise<RawServer> {
  const server = await startRawServer(onUpgrade)
  servers.push(server)
  return server
}

/** Starts a feed that sends these frames on each connection and keeps the connection open. */
async function startFeed(...frames: Buffer[]): Promise<void> {
  const { url } = await startServer((socket, accept) => {
    accept()
    socket.write(Buffer.concat(frames))
  })
  await bed.save({ externalEndpoint: url })
  bed.start()
}

const countBroadcasts = () => bed.testContext.ctx.db.$count(deliveries)
const findLastReason = async () => (await findReport(bed.testContext.ctx)).reason
const listReasons = async () => (await bed.testContext.ctx.db.select().from(refusedSignals)).map(({ reason }) => reason)
const getSignalFrame = (id: string) => encodeFrame(bed.signalText(id))

describe('messages', () => {
  it.each<[string, () => Buffer[], RegExp]>([
    ['with deep nesting', () => [encodeFrame(`{"id":${'['.repeat(30_000)}${']'.repeat(30_000)}}`)], /id|Not JSON/],
    [
      'that are back-dated',
      () => [encodeFrame(bed.signalText('x', { observedAt: '2026-01-14T11:00:00.000Z' }))],
      /more than a day ago/,
    ],
    [
      'from the future',
      () => [encodeFrame(bed.signalText('x', { observedAt: '2026-01-15T12:06:00.000Z' }))],
      /in the future/,
    ],
    ['of HTML', () => [encodeFrame('<!doctype html><html><script>alert(1)</script></html>')], /Not JSON/],
    [
      'of wrong types',
      () => [encodeFrame(bed.signalText('x', { confidence: '91', priority: 3, asset: ['BTC'] }))],
      /asset/,
    ],
    [
      'with NUL in an unknown key',
      () => [encodeFrame(bed.signalText('x', { 'a\0': 1 }))],
      /^Unrecognized key: "a\ufffd"$/,
    ],
    ['that are binary', () => [encodeFrame(bed.signalText('x'), { opcode: 2 })], /Not text/],
  ])('%s are rejected and do not affect other messages', async (_name, frames, reason) => {
    await startFeed(getSignalFrame('before'), ...frames(), getSignalFrame('after'))
    await bed.waitForStatus({ signalsReceived: 3, signalsRefused: 1, state: 'connected' })
    expect(await listReasons()).toEqual([expect.stringMatching(reason)])
    expect(await countBroadcasts()).toBe(2)
  })

  it('with markup are accepted, and their summary is stored unchanged', async () => {
    const summary = '<img src=x onerror=alert(1)> =cmd|calc {{7*7}} \u202e"\'`'
    await startFeed(encodeFrame(bed.signalText('markup', { summary })))
    await bed.waitForStatus({ signalsReceived: 1, signalsRefused: 0 })
    expect(await bed.testContext.ctx.db.select({ summary: alerts.summary }).from(alerts)).toEqual([{ summary }])
  })

  it('that repeat one signal a hundred times, even on a new connection, create one alert', async () => {
    const { url, connections } = await startServer((socket, accept) => {
      accept()
      socket.write(
        Buffer.concat([
          ...Array.from({ length: 50 }, () => getSignalFrame('one')),
          getSignalFrame(`of connection ${connections()}`),
        ]),
      )
      if (connections() < 2) socket.end(encodeFrame('', { opcode: 8 }))
    })
    await bed.save({ externalEndpoint: url })
    bed.start()
    await bed.waitForStatus({ signalsReceived: 3, signalsRefused: 0 })
    expect(await countBroadcasts()).toBe(3)
  })

  it('of an engine that was disconnected for a day become alerts, but only a recent one is broadcast', async () => {
    const now = bed.clock.now().getTime()
    const lateTimes = Array.from({ length: 90 }, (_, index) =>
      new Date(now - (index + 1) * 16 * MINUTE_MS).toISOString(),
    )
    await startFeed(
      ...lateTimes.reverse().map((observedAt, index) => encodeFrame(bed.signalText(`late-${index}`, { observedAt }))),
      getSignalFrame('fresh'),
    )
    await bed.waitForStatus({ signalsReceived: 91, signalsRefused: 0 })
    expect(await countBroadcasts()).toBe(1)
    const rows = await bed.testContext.ctx.db.select().from(alerts).orderBy(alerts.logIndex)
    expect(rows.map(({ signalId, broadcastAt }) => [signalId, broadcastAt !== null])).toEqual([
      ...lateTimes.map((_, index) => [`late-${index}`, false]),
      ['fresh', true],
    ])
  })

  it('that exceed one batch all become alerts, in order', async () => {
    // The server queues up to 500 messages and processes them together.
    const ids = Array.from({ length: 600 }, (_, index) => `fast-${index}`)
    await startFeed(...ids.map(getSignalFrame))
    await bed.waitForStatus({ signalsReceived: ids.length, signalsRefused: 0 })
    const rows = await bed.testContext.ctx.db.select({ id: alerts.signalId }).from(alerts).orderBy(alerts.logIndex)
    expect(rows.map(({ id }) => id)).toEqual(ids)
  })
})

describe('connections', () => {
  it.each<[string, () => Buffer, RegExp]>([
    [
      'with a huge message',
      () => encodeFrame('x'.repeat(1_000), { claimed: 100 * 1024 * 1024 }),
      /Max payload size exceeded/,
    ],
    ['with unnegotiated compression', () => encodeFrame('x', { rsv1: true }), /RSV1/],
    [
      'with endless fragments',
      () =>
        Buffer.concat([
          encodeFrame('[', { fin: false }),
          ...Array.from({ length: 100 }, () => encodeFrame('[', { opcode: 0, fin: false })),
        ]),
      /fragments/,
    ],
  ])('%s are closed immediately and fail after the retries', async (_name, frames, reason) => {
    await startFeed(frames())
    await bed.waitForStatus({ state: 'failed', signalsReceived: 0 })
    expect(await findLastReason()).toMatch(reason)
    expect(servers[0]?.connections()).toBe(2)
  })

  it.each([
    [
      'a redirect',
      'HTTP/1.1 302 Found\r\nLocation: CANARY\r\nContent-Length: 0\r\n\r\n',
      'The endpoint redirects to another address. Redirects are not followed',
    ],
    ['a refused key', 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n', 'The endpoint refused the API key'],
    [
      'HTTP 200',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello',
      'The endpoint is not a WebSocket: it returned 200',
    ],
  ])('that get %s fail after the retries', async (_name, answer, reason) => {
    const canary = await startServer(() => {})
    const { url } = await startServer((socket) => socket.end(answer.replace('CANARY', canary.url)))
    await bed.save({ externalEndpoint: url })
    bed.start()
    await bed.waitForStatus({ state: 'failed', signalsReceived: 0 })
    expect(await findLastReason()).toBe(reason)
    expect(canary.connections()).toBe(0)
  })

  it('that stop responding to pings are first reported as stale, then closed', async () => {
    const ticks: (() => void)[] = []
    const every = (_ms: number, run: () => void) => {
      ticks.push(run)
      return () => {}
    }
    const schedule = { after: () => () => {}, every }
    const { url } = await startServer((_socket, accept) => accept())
    const events: string[] = []
    const opened = new Promise<void>((resolve) => {
      void connectFeed(
        {
          endpoint: url,
          apiKey: null,
          allowPrivate: true,
          schedule,
          onOpen: resolve,
          onMessages: async () => {},
          onStale: () => events.push('stale'),
          onPong: () => events.push('pong'),
        },
        new AbortController().signal,
      ).then((reason) => events.push(reason))
    })
    await opened
    for (let tick = 0; tick < 4; tick++) for (const run of ticks) run()
    await expect.poll(() => events).toEqual(['stale', 'stale', 'The feed no longer responds to pings'])
  })
})

test('a feed without pongs is not reported as stale or closed while the server pauses reading, and no message is lost', async () => {
  const ids = Array.from({ length: 3_000 }, (_, index) => `slow-${index}`)
  const { url } = await startServer((socket, accept) => {
    accept()
    // The feed never answers a ping, as if its pongs were queued behind all these messages.
    socket.write(Buffer.concat(ids.map((id) => encodeFrame(bed.signalText(id)))))
  })
  const ticks: (() => void)[] = []
  const every = (_ms: number, run: () => void) => {
    ticks.push(run)
    return () => {}
  }
  const events: string[] = []
  const takenIds: string[] = []
  const pause = vi.spyOn(WebSocket.prototype, 'pause')
  let goOn = () => {}
  const gate = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const begun = new Promise<void>((resolve) => {
    const feed = { endpoint: url, apiKey: null, allowPrivate: true, schedule: { after: () => () => {}, every } }
    const onMessages = async (raws: (string | null)[]) => {
      resolve()
      await gate
      for (const raw of raws) takenIds.push(JSON.parse(raw ?? '').id)
    }
    void connectFeed(
      { ...feed, onOpen: () => {}, onMessages, onStale: () => events.push('stale') },
      new AbortController().signal,
    ).then((reason) => events.push(reason))
  })
  await begun
  // Wait until the client pauses reading. Before that, it closes a connection that answers no ping.
  await expect.poll(() => pause.mock.calls.length).toBeGreaterThan(0)
  pause.mockRestore()
  for (let tick = 0; tick < 10; tick++) {
    for (const run of ticks) run()
    await new Promise((resolve) => setImmediate(resolve))
  }
  goOn()
  await expect.poll(() => takenIds.length).toBe(ids.length)
  expect(takenIds).toEqual(ids)
  expect(events).toEqual([])
})

test('a feed that drops ten times a minute is reconnected at most once a second, and each drop is reported', async () => {
  // Many more drops than `maxRetries`.
  const DROPS = 20
  const connectedAtMs: number[] = []
  let reportCount = 0
  const { url, connections } = await startServer((socket, accept) => {
    accept()
    connectedAtMs.push(bed.clock.now().getTime())
    // Sends the last messages again with a new one, then disconnects.
    const sentFrames = [...Array(connections()).keys()].slice(-3).map((number) => getSignalFrame(`signal-${number}`))
    socket.write(Buffer.concat(sentFrames))
    if (connections() <= DROPS) socket.end(encodeFrame('', { opcode: 8 }))
  })
  await bed.save({ externalEndpoint: url, reconnectInterval: 5, maxRetries: 3 })
  bed.start(async (ms) => {
    // The report is stored after the drop. Until then, the stored report describes an earlier drop.
    const isReported = async () => {
      const { state, lastGap } = await findReport(bed.testContext.ctx)
      const isNew = lastGap?.to === null && Date.parse(lastGap.from) >= (connectedAtMs.at(-1) ?? 0)
      return state === 'reconnecting' && isNew
    }
    await expect.poll(isReported, { interval: 5 }).toBe(true)
    reportCount += 1
    bed.clock.advance(ms)
  })
  await expect.poll(connections).toBe(DROPS + 1)
  await bed.waitForStatus({ state: 'connected', signalsReceived: DROPS + 1, signalsRefused: 0 })

  const pausesMs = connectedAtMs.slice(1).map((atMs, index) => atMs - (connectedAtMs[index] ?? 0))
  expect(Math.min(...pausesMs)).toBeGreaterThanOrEqual(1_000)
  expect((connectedAtMs.at(-1) ?? 0) - (connectedAtMs[0] ?? 0)).toBeLessThanOrEqual((DROPS * MINUTE_MS) / 10)
  expect(reportCount).toBe(DROPS)
  expect((await findReport(bed.testContext.ctx)).lastGap?.to).not.toBeNull()
  expect(await countBroadcasts()).toBe(DROPS + 1)
})

test('signals out of order become alerts in order of arrival, each once, with their own times', async () => {
  const minutesAgo = (minutes: number) => new Date(bed.clock.now().getTime() - minutes * 60_000).toISOString()
  const order = [3, 1, 120, 2, 1, 120]
  await startFeed(
    ...order.map((minutes) => encodeFrame(bed.signalText(`of-${minutes}`, { observedAt: minutesAgo(minutes) }))),
  )
  const listSignals = async () => {
    const rows = await bed.testContext.ctx.db
      .select({
        id: alerts.signalId,
        sentAt: alerts.broadcastAt,
        late: feedSignals.isLate,
        seen: feedSignals.observedAt,
      })
      .from(alerts)
      .innerJoin(feedSignals, eq(feedSignals.signalId, alerts.signalId))
      .orderBy(alerts.logIndex)
    return rows.map(({ id, sentAt, late, seen }) => [id, sentAt !== null, late, seen.toISOString()])
  }
  // The row of a signal is written after the transaction that issues its alert, so wait for the
  // row.
  await expect.poll(listSignals).toEqual([
    ['of-3', true, false, minutesAgo(3)],
    ['of-1', true, false, minutesAgo(1)],
    ['of-120', false, true, minutesAgo(120)],
    ['of-2', true, false, minutesAgo(2)],
  ])
  await bed.waitForStatus({ signalsReceived: 4, signalsRefused: 0 })
})

test('the message of each alert is stored unchanged under the hash that the alert signs', async () => {
  const series = { unit: '×', stepSeconds: 60, values: [1, 0.9, 4.1], triggerIndex: 2, mean: 1, deviation: 0.2 }
  const price = { price: '61204.10', quote: 'USDT', venue: 'binance' }
  const spacedSignal = bed.signalText('drawn', { series, ...price }).replace('{', '{ ')
  const plainSignal = bed.signalText('plain')
  await startFeed(encodeFrame(spacedSignal), encodeFrame(plainSignal))
  await bed.waitForStatus({ signalsReceived: 2, signalsRefused: 0 })
  const { db } = bed.testContext.ctx
  const storedSignals = await db
    .select()
    .from(alertSignals)
    .innerJoin(alerts, eq(alerts.id, alertSignals.alertId))
    .orderBy(alerts.logIndex)
  expect(storedSignals.map(({ alerts: { signalId }, alert_signals: { message } }) => [signalId, message])).toEqual([
    ['drawn', spacedSignal],
    ['plain', plainSignal],
  ])
  expect(storedSignals[0]?.alerts.signalHash).toBe(hashSignal(spacedSignal))
})

test('a signal that was not stored because the server ended after it had issued the alert is stored when it is repeated', async () => {
  const { ctx } = bed.testContext
  const texts = ['one', 'two'].map((id) => bed.signalText(id))
  const receiveTexts = () => receiveSignals(ctx, createIssuer(ctx), texts, new AbortController().signal)
  const listSignals = () => ctx.db.select().from(feedSignals).orderBy(feedSignals.signalId)
  await receiveTexts()
  const storedSignals = await listSignals()
  expect(storedSignals).toMatchObject([{ signalId: 'one' }, { signalId: 'two' }])
  await ctx.db.delete(feedSignals).where(eq(feedSignals.signalId, 'one'))
  await receiveTexts()
  expect(await listSignals()).toEqual(storedSignals)
})

test('a gap in reception is reported, and closed when the feed reconnects', async () => {
  const { url, connections } = await startServer((socket, accept) => {
    accept()
    socket.write(getSignalFrame(`of connection ${connections()}`))
    if (connections() === 1) socket.end(encodeFrame('', { opcode: 8 }))
  })
  await bed.save({ externalEndpoint: url })
  bed.start()
  await bed.waitForStatus({ signalsReceived: 2, state: 'connected' })
  // The signal may be stored before the report of its connection, so wait for the report.
  await expect
    .poll(async () => (await findReport(bed.testContext.ctx)).lastGap)
    .toEqual({ from: expect.any(String), to: expect.any(String) })
  expect((await getFeedStatus(bed.testContext.ctx)).lastSignalAt).not.toBeNull()
})

test('repeated signals of a flapping model are counted under the alert in cool-down, and not broadcast again', async () => {
  await bed.close()
  bed = await createFeedTestBed(database, { cooldownSeconds: 30 })
  const { url } = await startServer((socket, accept) => {
    accept()
    const flaps = Array.from({ length: 20 }, (_, index) => encodeFrame(bed.signalText(`flap-${index}`)))
    socket.write(Buffer.concat([...flaps, encodeFrame(bed.signalText('worse', { priority: 'critical' })), ...flaps]))
  })
  await bed.save({ externalEndpoint: url })
  bed.start()
  await bed.waitForStatus({ signalsReceived: 21, signalsRefused: 0 })
  expect(await countBroadcasts()).toBe(2)
  const listRepeats = async () => {
    const counted = await bed.testContext.ctx.db.select().from(feedSignals).where(isNull(feedSignals.mergedInto))
    return counted.map(({ signalId, repeats }) => [signalId, repeats]).sort()
  }
  // The row of a signal is written after the transaction that issues its alert, so wait for the
  // row.
  await expect.poll(listRepeats).toEqual([
    ['flap-0', 19],
    ['worse', 0],
  ])
})

describe('the cool-down of an alert', () => {
  const content = {
    ...{ asset: 'BTC/USDT', anomalyType: 'Volume spike', confidence: 91.5, regime: 'Trending' },
    ...{ summary: 'Volume rose less', priority: 'low' as const },
  }
  let issue: IssueAlert
  beforeEach(async () => {
    await bed.close()
    bed = await createFeedTestBed(database, { cooldownSeconds: 30 })
    issue = createIssuer(bed.testContext.ctx)
  })

  /** Processes a signal of high priority and returns the id of its alert. */
  async function receiveSignal(id: string, more: Record<string, unknown> = {}): Promise<string> {
    await receiveSignals(bed.testContext.ctx, issue, [bed.signalText(id, more)], new AbortController().signal)
    const [row] = await bed.testContext.ctx.db.select({ id: alerts.id }).from(alerts).where(eq(alerts.signalId, id))
    return row?.id ?? 'merged'
  }
  const correctAlert = async (targetId: string) =>
    (await issue({ kind: 'correction', targetId, content, broadcast: true })).alert.id
  const retractAlert = (targetId: string) =>
    issue({ kind: 'retraction', targetId, reason: 'Wrong data', broadcast: true })

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['retracted', retractAlert],
    ['corrected, and its correction is retracted', async (id) => retractAlert(await correctAlert(id))],
  ])('ends when the alert is %s, so that the next signal becomes an alert', async (_what, withdraw) => {
    const first = await receiveSignal('first')
    expect(await receiveSignal('second')).toBe('merged')
    await withdraw(first)
    expect(await receiveSignal('third')).not.toBe('merged')
    expect(await receiveSignal('fourth')).toBe('merged')
  })

  it('merges only signals up to the corrected priority when the alert was corrected', async () => {
    await correctAlert(await receiveSignal('first'))
    expect(await receiveSignal('second', { priority: 'low' })).toBe('merged')
    expect(await receiveSignal('third', { priority: 'medium' })).not.toBe('merged')
  })
})

test('another instance connects within seconds when the connected one stops', async () => {
  const { url } = await startServer((_socket, accept) => accept())
  await bed.save({ externalEndpoint: url })
  const { config, logger } = bed.testContext.ctx
  const candidates = ['one', 'two'].map((name) => {
    const leaderState = { name, connected: 0 }
    const leadership = openLeadership(config.databaseUrl, bed.testContext.ctx.notifications, logger)
    const stopLeading = leadership.lead('feed', async ({ signal }) => {
      leaderState.connected += 1
      await runFeed(bed.testContext.ctx, signal, { issueAlert: async () => {} })
    })
    const stop = async () => {
      await stopLeading()
      await leadership.close()
    }
    return { led: leaderState, stop }
  })
  await bed.waitForStatus({ state: 'connected' })
  const [first, second] = candidates.sort((a, b) => b.led.connected - a.led.connected)
  expect([first?.led.connected, second?.led.connected]).toEqual([1, 0])
  await first?.stop()
  await expect.poll(() => second?.led.connected).toBe(1)
  await expect.poll(() => servers[0]?.connections()).toBe(2)
  await second?.stop()
})
