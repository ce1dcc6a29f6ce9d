import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { EngineEvent } from '@tocsin/engine'
import { MINUTE_MS } from '@tocsin/protocol/durations'
import { createRecordedCandles, findRecordings, getEventTime, readEvents } from './archive/folder.ts'
import type { Market } from './market.ts'
import type { CandleSource } from './outcomes.ts'
import type { Runner } from './runner.ts'
import { pause, type Scheduler } from './scheduler.ts'

/** Minimum pause. Shorter pauses are added up. */
const MIN_PAUSE_MS = 20
/** Number of events between two turns of the event loop at full speed. */
const EVENTS_PER_TURN = 2_000

export interface Replay {
  /** End of the newest minute that the engine has processed. It decides which outcomes are due. */
  minute(): number
  play(checkOutcomes: () => Promise<void>): Promise<void>
}

/** The part of the runner that a replay uses. */
type ReplayRunner = Pick<Runner, 'ingest' | 'commit' | 'save' | 'eventTime' | 'inputs'>

/**
 * Replays the recordings of a folder to the engine, `speed` times as fast as they were recorded.
 * @throws Error if the folder has nothing to replay
 */
export function playRecordings(
  { folder, speed }: { folder: string; speed: number },
  markets: readonly Market[],
  runner: ReplayRunner,
  schedule: Scheduler,
  signal: AbortSignal,
): Replay & { candles: CandleSource } {
  const { events, candles } = findRecordings(folder, markets)
  const replay = createReplay({ events: () => readEvents(events), speed }, runner, schedule, signal)
  return { ...replay, candles: createRecordedCandles(candles) }
}

/**
 * Replays events in time order. The clock of a replay is event time, so the same events give the
 * same output at every speed.
 */
export function createReplay(
  { events, speed }: { events(): AsyncIterable<EngineEvent> | Iterable<EngineEvent>; speed: number },
  runner: ReplayRunner,
  schedule: Scheduler,
  signal: AbortSignal,
): Replay {
  let minute = startOfMinute(runner.eventTime())
  return {
    minute: () => minute,
    async play(checkOutcomes) {
      const knownInputs = runner.inputs()
      const keepPace = createPace(speed, schedule, signal)
      let count = 0
      // The previous process may have ended before it reported all outcomes that were due.
      await checkOutcomes()
      for await (const event of events()) {
        if (signal.aborted) return
        count += 1
        // After a restart, events that the engine has processed are skipped.
        if (count <= knownInputs) continue
        const at = getEventTime(event)
        if (minute === 0) minute = startOfMinute(at)
        await keepPace(at)
        while (event.type !== 'gap' && at >= minute + MINUTE_MS) {
          minute += MINUTE_MS
          runner.ingest({ type: 'clock', at: minute })
          runner.commit()
          await checkOutcomes()
        }
        runner.ingest(event)
        if (count % EVENTS_PER_TURN === 0) await yieldToEventLoop()
      }
      runner.save()
    },
  }
}

function startOfMinute(at: number): number {
  return at - (at % MINUTE_MS)
}

function createPace(speed: number, schedule: Scheduler, signal: AbortSignal): (at: number) => Promise<void> {
  let paceStart: { at: number; realMs: number } | null = null
  return async (at) => {
    if (speed === Number.POSITIVE_INFINITY) return
    paceStart ??= { at, realMs: performance.now() }
    const aheadMs = (at - paceStart.at) / speed - (performance.now() - paceStart.realMs)
    if (aheadMs >= MIN_PAUSE_MS) await pause(aheadMs, schedule, signal)
  }
}
