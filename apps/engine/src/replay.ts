import { createRecordedCandles, findRecordings, readEvents } from './archive/folder.ts'
import type { Market } from './market.ts'
import type { CandleSource } from './outcomes.ts'
import type { Runner } from './runner.ts'
import { pause, type Scheduler } from './scheduler.ts'
import type { EngineEvent } from './tick.ts'

const MINUTE_MS = 60_000
/** Shorter pauses are added up. */
const MIN_PAUSE_MS = 20
/** Events between two turns of the event loop at full speed. */
const TURN = 2_000

export interface Replay {
  candles: CandleSource
  /** The newest end of a minute that the engine has passed: outcomes are due by it. */
  minute(): number
  play(checkOutcomes: () => Promise<void>): Promise<void>
}

/**
 * Plays a folder of recordings to the engine at a multiple of its speed. The clock of a replay is
 * event time, so the same folder gives the same output at every speed.
 * @throws Error if the folder holds nothing to play
 */
export function playRecordings(
  { folder, speed }: { folder: string; speed: number },
  markets: readonly Market[],
  runner: Pick<Runner, 'take' | 'commit' | 'save' | 'eventTime' | 'inputs'>,
  schedule: Scheduler,
  signal: AbortSignal,
): Replay {
  const recordings = findRecordings(folder, markets)
  let minute = startOfMinute(runner.eventTime())
  return {
    candles: createRecordedCandles(recordings.candles),
    minute: () => minute,
    async play(checkOutcomes) {
      const known = runner.inputs()
      const keepPace = createPace(speed, schedule, signal)
      let count = 0
      // The last process may have ended between the end of a minute and its outcomes.
      await checkOutcomes()
      for await (const event of readEvents(recordings.events)) {
        if (signal.aborted) return
        count += 1
        // A restart goes on behind the newest event that it knows.
        if (count <= known) continue
        const at = timeOf(event)
        if (minute === 0) minute = startOfMinute(at)
        await keepPace(at)
        while (event.type !== 'gap' && at >= minute + MINUTE_MS) {
          minute += MINUTE_MS
          runner.take({ type: 'clock', at: minute })
          runner.commit()
          await checkOutcomes()
        }
        runner.take(event)
        if (count % TURN === 0) await new Promise<void>((resolve) => void setImmediate(resolve))
      }
      runner.save()
    },
  }
}

/** A candle is known when its minute is over. */
function timeOf(event: EngineEvent): number {
  if (event.type === 'candle') return event.at + MINUTE_MS
  if (event.type === 'gap') return event.to
  return event.type === 'outcome' ? 0 : event.at
}

function startOfMinute(at: number): number {
  return at - (at % MINUTE_MS)
}

function createPace(speed: number, schedule: Scheduler, signal: AbortSignal): (at: number) => Promise<void> {
  let begin: { at: number; realMs: number } | null = null
  return async (at) => {
    if (speed === Number.POSITIVE_INFINITY) return
    begin ??= { at, realMs: performance.now() }
    const ahead = (at - begin.at) / speed - (performance.now() - begin.realMs)
    if (ahead >= MIN_PAUSE_MS) await pause(ahead, schedule, signal)
  }
}
