import type { Candle } from '@tocsin/engine'
import { createDayCandles } from '../day-candles.ts'
import { type CandleSource, createOutcomeWorker } from '../outcomes.ts'
import type { EngineParts } from '../parts.ts'
import { createReplay } from '../replay.ts'
import { createRunner } from '../runner.ts'
import type { Scheduler } from '../scheduler.ts'
import { createMemoryStore } from '../store/event-store.ts'
import { type Message, openOutbox } from '../store/outbox.ts'

/**
 * Time from the end of a day until its candles are fetched. The last candle is published when the
 * next minute begins.
 */
export const DAY_READY_MS = 60_000
/**
 * Maximum age of the messages that are passed to the outbox. Not shorter than the outbox's
 * `PREDICTION_RETENTION_MS`, because the predictions of a day determine which candles are sent.
 */
const RECENT_MS = 3 * 86_400_000

/** Candles of the time before the first start, from which a new engine warms up. */
export interface WarmupCandles {
  /** Time at which the candles end, in milliseconds. */
  readonly liveAt: number
  candles: CandleSource
  /** The candles in time order. */
  history(): Iterable<Candle>
}

interface HistoryDependencies {
  schedule: Scheduler
  log(message: string, details: Record<string, unknown>): void
  write(messages: readonly Message[]): void
}

export interface History {
  /** Messages of the last days, from which the outbox continues. */
  recent: Message[]
  /** State of the runner after the history. */
  state: string
}

/**
 * Replays the candles from before the first start with a new engine, in memory. The same candles
 * give the same messages, so an interrupted run may start again.
 * @param write receives the messages in the order in which a live engine would have sent them
 */
export async function playHistory(
  warmup: WarmupCandles,
  { createEngine, model, evaluate }: EngineParts,
  { schedule, log, write }: HistoryDependencies,
): Promise<History> {
  const store = createMemoryStore()
  const outbox = openOutbox(null, Number.POSITIVE_INFINITY)
  let writtenCount = 0
  const onMessages = () => {
    const messages = outbox.after(writtenCount, outbox.size(), 0)
    writtenCount = messages.at(-1)?.sequence ?? writtenCount
    write(messages)
  }
  const runner = createRunner({ createEngine, model, store, outbox, nowMs: () => 0, onMessages, log })
  const input = { events: warmup.history, speed: Number.POSITIVE_INFINITY }
  const replay = createReplay(input, runner, schedule, new AbortController().signal)
  const { candles } = warmup
  const { minute: nowMs } = replay
  const { report } = runner
  const clock = { nowMs, exchangeMs: nowMs }
  const outcomes = createOutcomeWorker({ outbox, candles, evaluate, concurrency: 1, ...clock, report, log })
  const predictions = () => outbox.predictions(0)
  const dayCandlesSender = createDayCandles({ outbox, predictions, candles, readyMs: DAY_READY_MS, nowMs, report, log })
  await replay.play(async () => {
    await outcomes.check()
    await dayCandlesSender.check()
  })
  const messages = outbox.after(0, outbox.size(), 0)
  return { recent: messages.filter(({ at }) => at >= warmup.liveAt - RECENT_MS), state: store.snapshot ?? '' }
}
