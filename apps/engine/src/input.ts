import { startLiveSources } from './live-sources.ts'
import { createMinuteBarrier } from './minute-barrier.ts'
import type { MonotonicClock } from './monotonic-clock.ts'
import type { CandleSource } from './outcomes.ts'
import { playRecordings } from './replay.ts'
import type { Runner } from './runner.ts'
import type { Scheduler } from './scheduler.ts'
import type { Settings } from './settings.ts'
import { DAY_READY_MS as SIMULATED_DAY_READY_MS } from './simulation/history.ts'
import { startSimulatedSource } from './simulation/simulated-source.ts'
import type { Simulation } from './simulation/simulation.ts'
import type { SourceStatus } from './sources/venue-source.ts'
import type { MarketEvent } from './tick-feed.ts'

/** The source of events and candles. */
export interface Input {
  candles: CandleSource
  /** Candles of horizons that are over. Rejects if the exchange no longer has all of them. */
  outcomeCandles: CandleSource
  /** Candles of whole days that are over. */
  dayCandles: CandleSource
  /** The current time of the input. It decides which outcomes and which day candles are due. */
  nowMs(): number
  /** Newest time that the exchanges have stated, or this machine's time if they state none. */
  exchangeMs(): number
  /** Maximum number of outcomes that are fetched at a time. */
  concurrency: number
  /** Time from the end of a day until its candles are fetched. */
  readyMs: number
  status(): SourceStatus[]
  /**
   * Starts to pass events to the runner and to check for messages that are due. Resolves when a
   * recording has ended.
   */
  start(checkDue: () => Promise<void>): Promise<void>
  /** Resolves when the signal has aborted and no more events are emitted. */
  ended(): Promise<unknown>
}

export interface InputDependencies {
  runner: Runner
  clock: MonotonicClock
  schedule: Scheduler
  signal: AbortSignal
  /** Passes live market data to its readers. Recordings offer no live data. */
  offer(event: MarketEvent): void
  log(message: string, details: Record<string, unknown>): void
}

const CLOCK_MS = 1_000
const RELEASE_INTERVAL_MS = 100
const DAY_READY_MS = 5 * 60_000
const DAY_READY_SPREAD_MS = 10 * 60_000
/**
 * Maximum number of outcomes that are fetched at a time. Requests to one exchange still run one
 * after the other.
 */
const LIVE_CONCURRENCY = 16

export function openInput(settings: Settings, simulation: Simulation | null, dependencies: InputDependencies): Input {
  if (simulation) return openSimulatedInput(simulation, dependencies)
  return settings.replay
    ? openReplayInput(settings, settings.replay, dependencies)
    : openLiveInput(settings, dependencies)
}

function openLiveInput(settings: Settings, { runner, clock, schedule, signal, offer, log }: InputDependencies): Input {
  const { nowMs, elapsedMs } = clock
  runner.followClock(nowMs())
  let newestTrade: { at: number; arrivedMs: number } | null = null
  /**
   * Returns the machine's time, but not later than that of the exchanges. If the machine's clock is
   * ahead, minutes would otherwise end before their trades arrive, as if nothing had been traded.
   */
  const computeEventMs = (): number =>
    newestTrade === null ? nowMs() : Math.min(nowMs(), Math.floor(newestTrade.at + elapsedMs() - newestTrade.arrivedMs))
  const resumedState = { positions: runner.positions(), eventTime: runner.eventTime() }
  const barrier = createMinuteBarrier({
    resumedAt: resumedState.eventTime,
    pass: runner.ingest,
    isReady: (boundary) => liveSources.advance(boundary),
  })
  const liveSources = startLiveSources(settings, resumedState, {
    nowMs,
    schedule,
    signal,
    random: Math.random,
    // Offer each event immediately: readers of market data need not wait for the end of the minute.
    emit(event) {
      if (event.type === 'tick' || event.type === 'gap') offer(event)
      barrier.push(event)
    },
    noteLiveTrade(at) {
      if (newestTrade === null || at > newestTrade.at) newestTrade = { at, arrivedMs: elapsedMs() }
    },
    log,
  })
  return {
    candles: liveSources.candles,
    outcomeCandles: liveSources.outcomeCandles,
    dayCandles: liveSources.dayCandles,
    nowMs,
    exchangeMs: liveSources.exchangeMs,
    concurrency: LIVE_CONCURRENCY,
    // The delay is random, so that many engines do not query an exchange at the same moment.
    readyMs: DAY_READY_MS + Math.random() * DAY_READY_SPREAD_MS,
    status: liveSources.status,
    start(checkDue) {
      runEvery(schedule, signal, CLOCK_MS, () => barrier.push({ type: 'clock', at: computeEventMs() }))
      runEvery(schedule, signal, RELEASE_INTERVAL_MS, barrier.release)
      runEvery(schedule, signal, CLOCK_MS, () => void checkDue())
      runEvery(schedule, signal, CLOCK_MS, () => void liveSources.recordCandles())
      return new Promise(() => {})
    },
    ended: liveSources.finished,
  }
}

function openReplayInput(
  { markets }: Settings,
  replay: { folder: string; speed: number },
  { runner, schedule, signal }: InputDependencies,
): Input {
  const { candles, minute, play } = playRecordings(replay, markets, runner, schedule, signal)
  let finished: Promise<void> = Promise.resolve()
  return {
    candles,
    outcomeCandles: candles,
    dayCandles: candles,
    nowMs: minute,
    exchangeMs: minute,
    // With 1, the order of outcomes does not depend on how fast files are read.
    concurrency: 1,
    readyMs: 0,
    status: () => [],
    start(checkDue) {
      finished = play(checkDue)
      return finished
    },
    ended: () => finished.catch(() => {}),
  }
}

function openSimulatedInput(
  simulation: Simulation,
  { runner, clock, schedule, signal, offer }: InputDependencies,
): Input {
  const { nowMs } = clock
  const source = startSimulatedSource(simulation, runner, clock, offer, signal)
  return {
    candles: simulation.candles,
    outcomeCandles: simulation.candles,
    dayCandles: simulation.candles,
    nowMs,
    exchangeMs: nowMs,
    concurrency: 1,
    readyMs: SIMULATED_DAY_READY_MS,
    status: source.status,
    start(checkDue) {
      runEvery(schedule, signal, RELEASE_INTERVAL_MS, source.advance)
      runEvery(schedule, signal, CLOCK_MS, () => void checkDue())
      return new Promise(() => {})
    },
    ended: source.idle,
  }
}

function runEvery(schedule: Scheduler, signal: AbortSignal, everyMs: number, run: () => void): void {
  const cancel = schedule.every(everyMs, run)
  signal.addEventListener('abort', cancel)
}
