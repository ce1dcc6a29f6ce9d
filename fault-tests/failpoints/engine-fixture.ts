import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DAY_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { systemClock } from '@tocsin/server/clock.ts'
import { alertOutcomes, alertPredictions, alerts, marketCandles } from '@tocsin/server/db/schema/alerts.ts'
import { refusedSignals } from '@tocsin/server/db/schema/feed.ts'
import { settings as settingRows } from '@tocsin/server/db/schema/server.ts'
import type { Failpoint } from '@tocsin/server/failpoint.ts'
import { FEED_SETTING } from '@tocsin/server/features/feed/feed-settings.ts'
import { checkLog } from '@tocsin/server/features/tlog/check-log.ts'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { sealSecret } from '@tocsin/server/sealed-secret.ts'
import { createTestContext, startTestChain, startTestDatabase, testConfig } from '@tocsin/testkit'
import type { EngineStatus } from '../../apps/engine/src/status.ts'
import { type Exchange, startExchange, type TestCandle } from '../../apps/engine/test/exchange.ts'
import { spawnEngine, writeClock } from '../../apps/engine/test/spawn-engine.ts'
import { root } from '../../scripts/build-stamp.mjs'
import { prepareTargets } from './target-process.ts'

/**
 * Fault test of predictions: engine and server run in separate processes and kill themselves, the
 * engine at one of its writes and the server at a failpoint. Exchange, database and chain keep
 * running.
 */

const KEY = 'secret'
/**
 * Each step takes STEP_MS of real time and advances the clock of both processes by
 * WAITING_CLOCK_STEP_MS. If the engine has read all earlier trades by then, the step also adds up
 * to TRADES_PER_STEP trades and advances the clock by another CLOCK_STEP_MS. Otherwise the step
 * only waits.
 */
const STEP_MS = 200
const CLOCK_STEP_MS = 10_000
const WAITING_CLOCK_STEP_MS = 10
const TRADES_PER_STEP = 15
/** Number of trades after which the engine sends the next signal. */
const TRADES_PER_ALERT = 10
/**
 * Time on the test's clock, from its start, after which the UTC day and the horizons of all
 * predictions have ended.
 */
const ALL_DECIDED_AFTER_MS = 45 * MINUTE_MS
const HANG_LIMIT_MS = 600_000
const targetBundle = join(root, 'apps/server/.cache', `engine-target-${process.pid}.js`)

/** Which process kills itself, and where. */
export type Crash = { engineAtWrite: number } | { serverAt: Failpoint; passesBeforeCrash: number }

export interface EngineFixture {
  /**
   * Runs both processes until the chosen one has killed itself, and then kills the other.
   * @throws Error if the chosen process does not kill itself
   */
  crash(at: Crash): Promise<void>
  /**
   * Runs both processes until every prediction has its outcome.
   * @throws Error that names the failed check
   */
  settle(): Promise<{ alerts: number; predictions: number; outcomes: number; candles: number }>
  stop(): Promise<void>
}

export async function openEngineFixture(): Promise<EngineFixture> {
  const [database, chain, exchange, folder, targets] = await Promise.all([
    startTestDatabase(),
    startTestChain(),
    startExchange('binance'),
    mkdtemp(join(tmpdir(), 'tocsin-engine-fixture-')),
    prepareTargets(targetBundle),
  ])
  const [port, enginePort] = [await findFreePort(), await findFreePort()]
  const url = `http://localhost:${port}`
  const clockFile = join(folder, 'clock')
  const readStatus = async (): Promise<EngineStatus | null> => {
    const headers = { authorization: `Bearer ${KEY}` }
    const response = await fetch(`http://127.0.0.1:${enginePort}/status`, { headers }).catch(() => null)
    return ((await response?.json().catch(() => null)) ?? null) as EngineStatus | null
  }
  const market = createMarket(exchange, clockFile, readStatus)
  const settings = {
    databaseUrl: await database.createDatabase(),
    payment: chain.settings.payment,
    anchor: { ...chain.settings.anchor, intervalSeconds: 3_600 },
    http: { port, host: 'localhost', publicUrl: url },
    feed: { cooldownSeconds: 0 },
  }
  const config = testConfig(settings)
  const { ctx, close } = await createTestContext(config, systemClock)
  const feedForm = {
    externalEndpoint: `ws://127.0.0.1:${enginePort}`,
    apiKey: sealSecret(config.appSecret, FEED_SETTING, KEY),
    // The server stops reconnecting after 20 retries, one every 3 seconds. The retries must last a
    // minute, because a busy machine needs that long to start the engine.
    reconnectInterval: 3,
    maxRetries: 20,
    isEnabled: true,
  }

  async function runEngine(
    killAtWrite: number | null,
    runWhileUp: (engine: ChildProcess) => Promise<void>,
  ): Promise<void> {
    market.advanceClock(WAITING_CLOCK_STEP_MS)
    const engine = spawnEngine({
      ENGINE_PORT: String(enginePort),
      ENGINE_KEY: KEY,
      ENGINE_MARKETS: 'binance:BTC/USDT',
      ENGINE_BINANCE_URL: exchange.url,
      ENGINE_DATA: join(folder, 'engine'),
      LOG_LEVEL: 'silent',
      TEST_ENGINE: 'stand-in with real verdicts',
      TEST_CLOCK: clockFile,
      ...(killAtWrite === null ? {} : { TEST_KILLED_AT: String(killAtWrite) }),
    })
    engine.stderr.pipe(process.stderr)
    const engineExit = once(engine, 'exit')
    try {
      await runWhileUp(engine)
    } finally {
      engine.kill('SIGKILL')
      await engineExit
    }
  }

  const isServerUp = () =>
    fetch(`${url}/healthz`).then(
      () => true,
      () => false,
    )

  async function readRows() {
    const [issued, predictions, outcomes, refused, candles] = await Promise.all([
      ctx.db.select({ id: alerts.signalId, index: alerts.logIndex }).from(alerts),
      ctx.db.select({ index: alertPredictions.logIndex }).from(alertPredictions),
      ctx.db.select({ target: alertOutcomes.targetIndex }).from(alertOutcomes),
      ctx.db.select({ reason: refusedSignals.reason }).from(refusedSignals),
      ctx.db.select({ candles: marketCandles.candles }).from(marketCandles),
    ])
    return { issued, predictions, outcomes, refused, candles: candles.flatMap((row) => row.candles).length }
  }

  await targets.takeNext().runServer(settings, async () => {
    const row = { name: FEED_SETTING, value: feedForm, updatedAt: new Date() }
    await ctx.db.insert(settingRows).values(row)
  })

  return {
    async crash(at) {
      if ('serverAt' in at) {
        const order = { config: settings, failpoint: at.serverAt, passesBeforeCrash: at.passesBeforeCrash, clockFile }
        await targets
          .takeNext()
          .runUntilCrash(order, () => runEngine(null, () => market.runUntil(async () => !(await isServerUp()))))
        return
      }
      const runUntilKilled = () =>
        runEngine(at.engineAtWrite, (engine) =>
          market.runUntil(async () => engine.exitCode !== null || engine.signalCode !== null),
        )
      await targets.takeNext().runServer(settings, runUntilKilled, 'SIGKILL', clockFile)
    },
    async settle() {
      const hasIssuedEverything = async () => {
        const { issued, predictions, outcomes } = await readRows()
        return issued.length >= countAlerts(market.getTradeCount()) && outcomes.length >= predictions.length
      }
      const runUntilIssued = async () => {
        const isDone = async () => market.getElapsedMs() > ALL_DECIDED_AFTER_MS && (await hasIssuedEverything())
        await market.runUntil(isDone, 0)
      }
      const failure = await targets
        .takeNext()
        .runServer(settings, () => runEngine(null, runUntilIssued), 'SIGKILL', clockFile)
        .then(() => null, String)
      const { issued, predictions, outcomes, refused, candles } = await readRows()
      const reasons = new Set(refused.map(({ reason }) => reason))
      if (reasons.size > 0) throw new Error(`The server rejected messages: ${[...reasons].join('; ')}`)
      const expected = Array.from({ length: countAlerts(market.getTradeCount()) }, (_, index) =>
        getId((index + 1) * TRADES_PER_ALERT),
      )
      const alertIds = issued.map(({ id }) => String(id))
      assertSame('alerts', alertIds, expected)
      const decidedTargets = outcomes.map(({ target }) => String(target))
      assertSame(
        'outcomes',
        decidedTargets,
        predictions.map(({ index }) => String(index)),
      )
      if (failure !== null) throw new Error(failure)
      await checkLog(ctx)
      return { alerts: issued.length, predictions: predictions.length, outcomes: outcomes.length, candles }
    },
    async stop() {
      await targets.close()
      await close()
      await Promise.all([database.stop(), chain.stop(), exchange.close()])
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Simulates a market on the exchange, and sets the clock that engine and server read. This clock
 * runs faster than real time.
 */
function createMarket(exchange: Exchange, clockFile: string, readStatus: () => Promise<EngineStatus | null>) {
  // Start 15 minutes before the end of a UTC day, so that the engine sends the candles of that day
  // during the test.
  const startMs = Math.ceil(Date.now() / DAY_MS) * DAY_MS - 15 * MINUTE_MS
  let nowMs = startMs
  let number = 0
  // Confirm every subscription, because the engine may connect again at any time.
  exchange.reply = (text) => (text.includes('"SUBSCRIBE"') ? '{"result":null,"id":1}' : '{"result":[],"id":2}')
  exchange.candles = Array.from({ length: 2 * 1_440 }, (_, minute): TestCandle => {
    const price = minute % 7 === 0 ? '103' : '100'
    return [startMs / 1_000 - 86_400 + 60 * minute, '100', '103', '100', price, '1']
  })
  const advanceClock = (ms: number) => {
    nowMs += ms
    writeClock(clockFile, nowMs)
  }
  advanceClock(0)
  /** Returns whether the engine has read all trades so far. */
  const hasReadAllTrades = async (): Promise<boolean> => {
    const [market] = (await readStatus())?.sources[0]?.markets ?? []
    return market !== undefined && !market.isCatchingUp && (market.newestTradeNumber ?? 0) === number
  }
  return {
    advanceClock,
    getTradeCount: () => number,
    getElapsedMs: () => nowMs - startMs,
    /**
     * Adds trades and advances the clock in steps until `isDone` returns true. Each step waits
     * until the engine has read all earlier trades, because the engine reports trades as lost that
     * it cannot fetch within 15 seconds of the fast clock.
     * @param tradesAStep 0 if only the clock advances
     */
    async runUntil(isDone: () => Promise<boolean>, tradesAStep = TRADES_PER_STEP): Promise<void> {
      const deadline = performance.now() + HANG_LIMIT_MS
      while (!(await isDone())) {
        if (performance.now() > deadline) {
          throw new Error(`Nothing has happened for ten minutes. The engine: ${JSON.stringify(await readStatus())}`)
        }
        await delay(STEP_MS)
        // Advance the clock in every step, because two messages of the same time cannot be told
        // apart.
        advanceClock(WAITING_CLOCK_STEP_MS)
        // Wait for the engine: on a busy machine it would otherwise lose trades that it cannot
        // fetch in time.
        if (!(await hasReadAllTrades())) continue
        exchange.trade(...Array.from({ length: tradesAStep }, () => ({ number: ++number, at: nowMs })))
        advanceClock(CLOCK_STEP_MS)
        // Send a message, because the engine ends a connection that is silent for 30 seconds of its
        // clock.
        exchange.send('{"result":[],"id":2}')
      }
    },
  }
}

function countAlerts(tradeCount: number): number {
  return Math.floor(tradeCount / TRADES_PER_ALERT)
}

function getId(trade: number): string {
  return `binance-BTC/USDT-${trade}`
}

function assertSame(rowKind: string, foundTexts: readonly string[], expected: readonly string[]): void {
  const joinSorted = (texts: readonly string[]) => [...texts].sort().join(' ')
  if (joinSorted(foundTexts) === joinSorted(expected)) return
  const missingTexts = expected.filter((text) => !foundTexts.includes(text)).join(', ')
  throw new Error(`Expected ${expected.length} ${rowKind}, found ${foundTexts.length}; missing: ${missingTexts}`)
}
