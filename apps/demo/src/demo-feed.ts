import { type Clock, systemClock } from '@tocsin/server/clock.ts'
import { serveRecordedSignals } from '@tocsin/server/replay-signals.ts'
import { type Scheduler, systemScheduler } from '@tocsin/server/scheduler.ts'
import type { SignalServer } from '@tocsin/server/signal-server.ts'
import { makeSignal, type Random } from './demo-signal.ts'

export type DemoFeed = SignalServer

const FIRST_AFTER_MS = 8_000
const SHORTEST_PAUSE_MS = 20_000
const LONGEST_PAUSE_MS = 60_000
/** Number of recorded signals, about half a day. */
const RECORDED = 1_000

/**
 * A realistic signal feed on a free loopback port. Requires the Bearer key and sends a signal every
 * 20 to 60 s. Replays a recording in a loop, like `tocsin feed replay`.
 */
export function startDemoFeed({
  apiKey,
  random = Math.random,
  schedule = systemScheduler,
  clock = systemClock,
}: {
  apiKey: string
  random?: Random
  schedule?: Scheduler
  clock?: Clock
}): Promise<DemoFeed> {
  const recording = recordSignals(random, clock.now())
  return serveRecordedSignals(recording, { apiKey, schedule, clock, repeat: true, firstAfterMs: FIRST_AFTER_MS })
}

function recordSignals(random: Random, from: Date): string {
  let atMs = from.getTime()
  const lines = Array.from({ length: RECORDED }, () => {
    atMs += Math.ceil(SHORTEST_PAUSE_MS + random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS))
    return JSON.stringify(makeSignal(random, new Date(atMs)))
  })
  return lines.join('\n')
}
