import type { Scheduler } from '../src/scheduler.ts'
import { startAt } from './wire.ts'

/** Maximum delay that passes immediately. Longer delays pass when the test advances the time. */
const IMMEDIATE_DELAY_MS = 2_000

/** Creates a clock that only the test advances, and a scheduler that uses it. */
export function createManualTime() {
  let now = startAt
  const timers = new Set<{ dueMs: number; every: number | null; run: () => void }>()
  const addTimer = (timer: { dueMs: number; every: number | null; run: () => void }) => {
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const schedule: Scheduler = {
    after(delayMs, run) {
      if (delayMs > IMMEDIATE_DELAY_MS) return addTimer({ dueMs: now + delayMs, every: null, run })
      const timer = setImmediate(run)
      return () => clearImmediate(timer)
    },
    every: (every, run) => addTimer({ dueMs: now + every, every, run }),
  }
  return {
    nowMs: () => now,
    schedule,
    advance(ms: number) {
      now += ms
      for (const timer of [...timers]) {
        if (timer.dueMs > now) continue
        if (timer.every === null) timers.delete(timer)
        else timer.dueMs = now + timer.every
        timer.run()
      }
    },
  }
}
