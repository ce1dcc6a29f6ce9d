import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localChainId, signal } from '@tocsin/protocol'
import { DAY_MS } from '@tocsin/protocol/durations'
import { systemClock } from '@tocsin/server/clock.ts'
import type { Context } from '@tocsin/server/context.ts'
import { alertOutcomes, alertSignals, alerts, marketCandles } from '@tocsin/server/db/schema/alerts.ts'
import { refusedSignals } from '@tocsin/server/db/schema/feed.ts'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { connectFeed } from '@tocsin/server/features/feed/connect-feed.ts'
import { receiveSignals } from '@tocsin/server/features/feed/receive-signals.ts'
import { readOtherCounts } from '@tocsin/server/features/feed/store.ts'
import { createTrackRecords } from '@tocsin/server/features/record/track-record.ts'
import { assertLogMatchesAnchors, checkLog } from '@tocsin/server/features/tlog/check-log.ts'
import { ensureKeyList } from '@tocsin/server/features/tlog/service.ts'
import { createTestContext, startTestDatabase, testAnchorer, testAnchorKey, testConfig } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { computeDemoContracts, deployDemoContracts } from './demo-contracts.ts'
import { type DemoEngine, startDemoEngine } from './demo-engine.ts'
import type { PastMessage } from './engine-history.ts'
import { type LocalChain, startLocalChain } from './local-chain.ts'
import { seedDemo } from './seed.ts'

/** Number of simulated days, including one day in which the engine warms up. */
const DAYS = 2
/**
 * End of the simulated past. The test fixes this time, because the number of alerts depends on the
 * time of day at which the past ends. By default, the past ends when the engine first starts.
 */
const END_MS = Date.parse('2026-03-02T13:00:00.000Z')
const SEED = 18
const key = 'key-of-the-engine'
const cleanups: (() => unknown)[] = []
const lines: string[] = []
let dir: string
let ctx: Context
let chain: LocalChain
let engine: DemoEngine

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tocsin-seed-'))
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }))
  const genesisAt = new Date(END_MS - DAYS * DAY_MS)
  mkdirSync(join(dir, 'engine'))
  const plan = { seed: SEED, startsAt: genesisAt.getTime(), liveAt: END_MS }
  writeFileSync(join(dir, 'engine/simulation.json'), JSON.stringify(plan))
  engine = await startEngine('engine')
  const database = await startTestDatabase()
  cleanups.push(() => database.stop())
  chain = await startLocalChain({ dir, port: 0, genesisAt })
  cleanups.push(() => chain.stop())
  await deployDemoContracts(chain.directUrl, testAnchorer)
  const base = {
    chainId: localChainId,
    rpcUrl: chain.url,
    contract: computeDemoContracts().alertAnchor,
    key: testAnchorKey,
  }
  const config = testConfig({
    databaseUrl: await database.createDatabase(),
    anchor: { ...base, intervalSeconds: 1, heartbeatSeconds: 0 },
    demo: true,
    publicDelayHours: 0,
  })
  const testContext = await createTestContext(config, systemClock)
  cleanups.push(() => testContext.close())
  ctx = testContext.ctx
  await ensureKeyList(ctx, genesisAt)
})
afterAll(async () => {
  for (const stop of cleanups.splice(0).reverse()) await stop()
})

async function startEngine(folder: string): Promise<DemoEngine> {
  const startedEngine = await startDemoEngine({
    ...{ dir: join(dir, folder), key, onProgress: (line: string) => lines.push(line) },
    engineEnv: { ENGINE_SIMULATE: String(SEED), ENGINE_HISTORY_DAYS: String(DAYS) },
  })
  cleanups.push(() => startedEngine.stop())
  return startedEngine
}

/** Yields the messages in pieces of 20, and calls `onPiece` before each piece. */
async function* splitIntoPieces(
  messages: readonly PastMessage[],
  onPiece: (count: number) => void = () => {},
): AsyncGenerator<PastMessage[]> {
  for (let from = 0; from < messages.length; from += 20) {
    onPiece(from)
    yield messages.slice(from, from + 20)
  }
}

/** True if the deadline of a signal's prediction is not after the end of the simulated past. */
function isDue(text: string): boolean {
  const { prediction } = signal.parse(JSON.parse(text))
  return prediction !== undefined && Date.parse(prediction.resolveBy) <= END_MS
}

const hashText = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`

const countEntries = async () => ({
  alerts: await ctx.db.$count(alerts),
  outcomes: await ctx.db.$count(alertOutcomes),
})

test('seedDemo: adds the missing alerts and outcomes after an interruption, and the anchors prove all their times', async () => {
  const pastMessages: PastMessage[] = []
  for await (const messages of engine.history(new AbortController().signal)) pastMessages.push(...messages)
  // Stop the engine. It would otherwise simulate the trades of all months from END_MS until now.
  await engine.stop()
  const kinds = { signal: 0, outcome: 0, candles: 0 }
  const dueSignalHashes: string[] = []
  const decidedSignalHashes: unknown[] = []
  for (const { kind, text } of pastMessages) {
    kinds[kind] += 1
    if (kind === 'outcome') decidedSignalHashes.push(JSON.parse(text).signalHash)
    if (kind === 'signal' && isDue(text)) dueSignalHashes.push(hashText(text))
  }
  expect(kinds).toEqual({ signal: 80, outcome: 72, candles: 36 })
  const stop = new AbortController()
  const abortAfterHundred = (count: number) => count >= 100 && stop.abort(new Error('Interrupted'))
  const plan = { chain, users: [], print: () => undefined }
  await expect(
    seedDemo(ctx, { ...plan, history: splitIntoPieces(pastMessages, abortAfterHundred), signal: stop.signal }),
  ).rejects.toThrow('Interrupted')
  const countsBefore = await countEntries()
  expect(countsBefore.alerts + countsBefore.outcomes).toBeGreaterThan(40)
  expect(countsBefore.alerts + countsBefore.outcomes).toBeLessThan(kinds.signal + kinds.outcome)

  await seedDemo(ctx, { ...plan, history: splitIntoPieces(pastMessages), signal: new AbortController().signal })

  expect(await countEntries()).toEqual({ alerts: kinds.signal, outcomes: kinds.outcome })
  expect(dueSignalHashes.length).toBeGreaterThan(60)
  expect(decidedSignalHashes).toEqual(expect.arrayContaining(dueSignalHashes))
  expect(new Set(decidedSignalHashes).size).toBe(decidedSignalHashes.length)
  expect(await ctx.db.$count(marketCandles)).toBeGreaterThan(0)
  const size = kinds.signal + kinds.outcome + 1
  const noUnprovenTimes = { count: 0, unproven: [] }
  expect(await checkLog(ctx)).toMatchObject({ size, unprovenTimes: noUnprovenTimes, unprovenOutcomes: noUnprovenTimes })
  await assertLogMatchesAnchors(ctx)
  const record = await createTrackRecords().find(ctx, 'demo')
  expect(record?.overall.timesNotProven).toBe(0)
  const counts = Object.entries(record?.overall.statuses ?? {})
  const statuses = counts.filter(([, count]) => count > 0).map(([status]) => status)
  // Other statuses mean, for example, that an alert is late or overdue, or that its message is
  // missing or invalid.
  for (const status of statuses) expect(['true', 'false', 'void', 'open']).toContain(status)
  expect(statuses).toEqual(expect.arrayContaining(['true', 'false', 'open']))
}, 120_000)

test('seedDemo: creates each alert at the time that its chart marks as the trigger, with a positive price', async () => {
  const rows = await ctx.db
    .select({ createdAt: alerts.createdAt, message: alertSignals.message })
    .from(alerts)
    .innerJoin(alertSignals, eq(alertSignals.alertId, alerts.id))
  expect(rows.length).toBe(80)
  for (const { createdAt, message } of rows) {
    const { series, observedAt, price, venue } = signal.parse(JSON.parse(message))
    const stepsAfter = series ? series.values.length - 1 - series.triggerIndex : Number.NaN
    const drawnMs = Date.parse(observedAt) - stepsAfter * (series?.stepSeconds ?? 0) * 1_000
    expect(createdAt.getTime() - drawnMs, message).toBe(0)
    expect(Number(price), message).toBeGreaterThan(0)
    expect(venue).toBe('simulated')
  }
})

test('startDemoEngine: restarts the engine when it is killed, and resent messages create no duplicate alerts', async () => {
  const countsBefore = await countEntries()
  const restartedEngine = await startEngine('restarted')
  const stop = new AbortController()
  const issueAlert = createIssuer(ctx)
  let connections = 0
  let receivedCount = 0
  const connection = {
    endpoint: restartedEngine.endpoint,
    apiKey: key,
    allowPrivate: true,
    onOpen: () => {
      connections += 1
    },
    async onMessages(raws: (string | null)[]) {
      await receiveSignals(ctx, issueAlert, raws, stop.signal)
      receivedCount += raws.length
    },
  }
  await restartedEngine.up
  const first = connectFeed(connection, stop.signal)
  await eventually(async () => expect((await countEntries()).alerts).toBeGreaterThan(countsBefore.alerts))
  expect(connections).toBe(1)
  process.kill(Number.parseInt(readFileSync(join(dir, 'restarted/engine.pid'), 'utf8'), 10), 'SIGKILL')
  await first
  await eventually(() => expect(lines).toContain('The engine ended unexpectedly (signal SIGKILL), restarting'))
  const countsAtRestart = await countEntries()
  receivedCount = 0
  // Use one connection at a time, as the product does. Two connections could deliver the engine's
  // status messages in the wrong order.
  const lastConnection = eventually(async () => {
    await connectFeed(connection, stop.signal)
    expect(stop.signal.aborted).toBe(true)
  })
  await eventually(() => expect(receivedCount).toBeGreaterThanOrEqual(countsAtRestart.alerts - countsBefore.alerts))
  expect(connections).toBeGreaterThan(1)
  stop.abort()
  await lastConnection
  const { rows } = await ctx.db.execute<{ twice: string }>(
    sql`select count(*) - count(distinct signal_hash) as twice from ${alerts}`,
  )
  expect(rows).toEqual([{ twice: '0' }])
  expect((await countEntries()).alerts).toBeGreaterThanOrEqual(countsAtRestart.alerts)
  expect(await ctx.db.select({ reason: refusedSignals.reason }).from(refusedSignals)).toEqual([])
  expect((await readOtherCounts(ctx.db)).refused.count).toBe(0)
}, 120_000)
