import type { Logger } from 'pino'
import type { SteadyClock } from './clock.ts'
import { startLiveSources } from './live-sources.ts'
import { createMinuteGate } from './minute-gate.ts'
import { createOutcomeWorker } from './outcomes.ts'
import type { Parts } from './parts.ts'
import { playRecordings } from './replay.ts'
import { createRunner, type Runner } from './runner.ts'
import type { Scheduler } from './scheduler.ts'
import type { Settings } from './settings.ts'
import { startSignalFeed } from './signal-feed.ts'
import { type EngineStatus, presentStatus } from './status.ts'
import { lockDataFolder } from './store/data-lock.ts'
import { openEventStore } from './store/event-store.ts'
import { openOutbox } from './store/outbox.ts'

export interface EngineProcess {
  /** ws:// URL of the signal feed. */
  url: string
  status(): EngineStatus
  /** Resolves when a replay has ended; rejects if it fails. Never resolves with live markets. */
  finished: Promise<void>
  close(): Promise<void>
}

const CLOCK_MS = 1_000
const GATE_MS = 100
const SAVE_MS = 60_000
/** Requests to one exchange still follow each other. */
const LIVE_CONCURRENCY = 16
const SET_BACK_WARNING_MS = 5_000

/** Starts everything: state, feed, sources and timers. */
export async function startEngine(
  settings: Settings,
  { createEngine, model, judge }: Parts,
  { clock, schedule, logger }: { clock: SteadyClock; schedule: Scheduler; logger: Logger },
): Promise<EngineProcess> {
  const { nowMs } = clock
  const lock = lockDataFolder(settings.dataDir)
  const stop = new AbortController()
  const log = (message: string, details: Record<string, unknown>) => logger.warn(details, message)
  const store = openEventStore(settings.dataDir)
  const outbox = openOutbox(settings.dataDir)
  let wake = () => {}
  const runner: Runner = createRunner({
    createEngine,
    model,
    store,
    outbox,
    nowMs: () => messageTime(),
    onMessages: () => wake(),
    log,
  })
  // Messages of a replay never grow old: a month may pass within a second.
  const messageTime = settings.replay ? () => 0 : nowMs
  const status = () =>
    presentStatus({
      settings,
      model,
      startedAtMs,
      nowMs: nowMs(),
      setBackMs: clock.setBackMs(),
      eventTime: runner.eventTime(),
      counts: runner.counts(),
      messages: { kept: outbox.size(), waiting: outbox.waiting(), overdueOutcomes: outcomes.overdue() },
      products: feed.products(),
      sources: live?.status() ?? [],
    })
  const startedAtMs = nowMs()
  const gate = createMinuteGate({
    resumedAt: runner.eventTime(),
    pass: runner.take,
    isReady: (boundary) => live?.advance(boundary) ?? true,
  })
  const live = settings.replay
    ? null
    : startLiveSources(settings.markets, settings.urls, runner.positions(), {
        nowMs,
        schedule,
        signal: stop.signal,
        random: Math.random,
        emit: gate.push,
        log,
      })
  const recorded = settings.replay
    ? playRecordings(settings.replay, settings.markets, runner, schedule, stop.signal)
    : null
  const outcomes = createOutcomeWorker({
    outbox,
    judge,
    log,
    concurrency: recorded ? 1 : LIVE_CONCURRENCY,
    candles: live?.candles ?? recorded?.candles ?? (() => Promise.reject(new Error('There are no candles'))),
    nowMs: recorded?.minute ?? nowMs,
    report: runner.report,
  })
  const feed = await startSignalFeed({
    host: settings.host,
    port: settings.port,
    key: settings.key,
    outbox,
    nowMs,
    messageTime,
    schedule,
    status,
  })
  wake = feed.wake
  const check = () => void outcomes.check().catch((error: unknown) => logger.error({ err: error }, 'outcomes failed'))
  const timers = [
    schedule.every(CLOCK_MS, store.flush),
    schedule.every(SAVE_MS, runner.save),
    ...(live
      ? [
          schedule.every(CLOCK_MS, () => gate.push({ type: 'clock', at: nowMs() })),
          schedule.every(GATE_MS, gate.release),
          schedule.every(CLOCK_MS, check),
        ]
      : []),
    schedule.every(SAVE_MS, () => {
      logger.info(status(), 'status')
      if (clock.setBackMs() > SET_BACK_WARNING_MS) {
        logger.warn({ setBackMs: clock.setBackMs() }, 'the clock of this machine was set back; a restart adopts it')
      }
    }),
  ]
  const finished: Promise<void> = recorded ? recorded.play(outcomes.check) : new Promise(() => {})
  return {
    url: feed.url,
    status,
    finished,
    async close() {
      stop.abort()
      for (const cancel of timers) cancel()
      await (live ? live.finished() : finished.catch(() => {}))
      runner.save()
      await feed.close()
      store.close()
      outbox.close()
      lock.release()
    },
  }
}
