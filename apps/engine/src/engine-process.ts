import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { formatSymbol } from '@tocsin/engine'
import type { Logger } from 'pino'
import { createCandleFeed } from './candle-feed.ts'
import { createDayCandles } from './day-candles.ts'
import { openInput } from './input.ts'
import type { MonotonicClock } from './monotonic-clock.ts'
import { createOutcomeWorker } from './outcomes.ts'
import type { EngineParts } from './parts.ts'
import { createRunner, type Runner } from './runner.ts'
import type { Scheduler } from './scheduler.ts'
import type { Settings } from './settings.ts'
import { startSignalFeed } from './signal-feed.ts'
import { listings } from './simulation/assets.ts'
import { playHistory } from './simulation/history.ts'
import { createHistoryFile } from './simulation/history-file.ts'
import { openSimulation } from './simulation/simulation.ts'
import { type EngineStatus, presentStatus, type StatusInput } from './status.ts'
import { createStatusMessage } from './status-message.ts'
import { writeFileAtomic } from './store/atomic-file.ts'
import { lockDataFolder } from './store/data-lock.ts'
import { openEventStore } from './store/event-store.ts'
import { openOutbox } from './store/outbox.ts'
import { createTickFeed } from './tick-feed.ts'
import { loadWarmupCandles } from './warmup-candles.ts'

export interface EngineProcess {
  /** ws:// URL of the signal feed. */
  url: string
  status(): EngineStatus
  /** Resolves when a replay has ended; rejects if it fails. Never resolves with live markets. */
  finished: Promise<void>
  close(): Promise<void>
}

const FLUSH_INTERVAL_MS = 1_000
const SAVE_INTERVAL_MS = 60_000
const CLOCK_WARNING_MS = 5_000

/** Starts everything: state, feed, sources and timers. */
export async function startEngine(
  settings: Settings,
  parts: EngineParts,
  { clock, schedule, logger }: { clock: MonotonicClock; schedule: Scheduler; logger: Logger },
): Promise<EngineProcess> {
  const { model, evaluate } = parts
  const { nowMs } = clock
  const lock = await lockDataFolder(settings.dataDir)
  const stop = new AbortController()
  const log = (message: string, details: Record<string, unknown>) => logger.warn(details, message)
  const startedAtMs = nowMs()
  const skipWarmup = (error: Error) => {
    log('cannot fetch past candles, so every market warms up for a day', { error: error.message })
    return null
  }
  // Time 0 disables the age limits of messages: a replay may process a month within a second.
  const messageTime = settings.replay ? () => 0 : nowMs
  const simulation = settings.simulation && openSimulation(settings.dataDir, settings.simulation, startedAtMs)
  publishSettings(settings.dataDir, parts)
  const store = openEventStore(settings.dataDir)
  const outbox = openOutbox(settings.dataDir)
  if (store.snapshot === null && (simulation || settings.historyDays > 0)) {
    const historyFile = createHistoryFile(settings.dataDir)
    const dependencies = { nowMs, schedule, signal: stop.signal }
    const warmup =
      simulation ?? (await loadWarmupCandles(settings, settings.historyDays, dependencies).catch(skipWarmup))
    if (warmup) {
      const history = await playHistory(warmup, parts, { schedule, log, write: historyFile.write })
      outbox.addHistory(history.recent)
      store.save(history.state)
    }
    historyFile.finish()
  }
  const watchedMarkets = simulation ? listings.map(({ venue, market }) => ({ venue, name: market })) : settings.markets
  let wake = () => {}
  const runner: Runner = createRunner({
    ...parts,
    watched: watchedMarkets,
    store,
    outbox,
    nowMs: messageTime,
    onMessages: () => wake(),
    log,
  })
  const ticks = createTickFeed({ nowMs, schedule })
  const input = openInput(settings, simulation, {
    runner,
    clock,
    schedule,
    signal: stop.signal,
    log,
    offer: ticks.offer,
  })
  const outcomes = createOutcomeWorker({
    ...input,
    candles: input.outcomeCandles,
    outbox,
    evaluate,
    report: runner.report,
    log,
  })
  const listPredictions = () => outbox.predictions(messageTime())
  const dayCandlesSender = createDayCandles({
    ...input,
    candles: input.dayCandles,
    outbox,
    predictions: listPredictions,
    report: runner.report,
    log,
  })
  const candles = createCandleFeed({
    markets: watchedMarkets.map((market) => ({
      ...market,
      symbol: formatSymbol({ venue: market.venue, market: market.name }),
    })),
    candles: input.candles,
    nowMs: input.nowMs,
  })
  const runId = randomBytes(8).toString('hex')
  const readStatus = (): StatusInput => ({
    settings,
    model,
    startedAtMs,
    nowMs: nowMs(),
    setBackMs: clock.setBackMs(),
    eventTime: runner.eventTime(),
    counts: runner.counts(),
    messages: { kept: outbox.size(), waiting: outbox.waiting(), overdueOutcomes: outcomes.countDue() },
    products: feed.products(),
    sources: input.status(),
  })
  const status = () => presentStatus(readStatus())
  const feed = await startSignalFeed({
    ...settings,
    outbox,
    ticks,
    candles,
    nowMs,
    messageTime,
    schedule,
    status,
    statusMessage: () =>
      createStatusMessage({
        ...readStatus(),
        run: runId,
        overview: runner.overview(),
        predictions: outbox.openPredictions().map(({ prediction }) => prediction),
        outcomeTimeMs: input.nowMs(),
      }),
  })
  wake = feed.wake
  const timers = [
    ticks.stop,
    schedule.every(FLUSH_INTERVAL_MS, store.flush),
    schedule.every(SAVE_INTERVAL_MS, runner.save),
    schedule.every(SAVE_INTERVAL_MS, () => {
      logger.info(status(), 'status')
      if (clock.setBackMs() > CLOCK_WARNING_MS) {
        logger.warn(
          { setBackMs: clock.setBackMs() },
          'the clock of this machine was set back; restart the engine to use the new time',
        )
      }
      const lags = input.status().flatMap(({ markets }) => markets.flatMap(({ lagMs }) => lagMs ?? []))
      const lagMs = Math.min(...lags)
      if (lags.length > 0 && lagMs > CLOCK_WARNING_MS)
        logger.warn({ lagMs }, 'the trades of all markets seem late; the clock of this machine may be ahead')
    }),
  ]
  const finished = input.start(async () => {
    await outcomes.check()
    await dayCandlesSender.check()
  })
  return {
    url: feed.url,
    status,
    finished,
    async close() {
      stop.abort()
      for (const cancel of timers) cancel()
      await input.ended()
      runner.save()
      await feed.close()
      store.close()
      outbox.close()
      await lock.release()
    },
  }
}

/**
 * Writes the settings of the model to a file, so that an operator can publish it. Every signal with
 * a prediction contains the hash of this file (`model.settingsHash`).
 */
function publishSettings(folder: string, { model, modelSettings }: EngineParts): void {
  writeFileAtomic(join(folder, `model-settings-${model.settingsHash.slice(2, 14)}.json`), modelSettings)
}
