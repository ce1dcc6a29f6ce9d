import type { Context } from '../../context.ts'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import { describeClockDifference, readClocks } from './entry-time.ts'

const CHECK_MS = 5_000

/**
 * Runs `work`, which issues alerts, and aborts it when this instance's clock becomes wrong, so that
 * another instance can become the leader. Does nothing if the clock is already wrong.
 */
export async function runWithCorrectClock(
  ctx: Context,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  schedule: Scheduler = systemScheduler,
): Promise<void> {
  if (describeClockDifference(await readClocks(ctx, ctx.db)) !== null) return
  const clockAbort = new AbortController()
  const stopChecks = schedule.every(CHECK_MS, () => {
    // `now` is the database's time, which each heartbeat of the notification bus corrects.
    const { now, machineTime = now } = ctx.clock
    if (describeClockDifference({ aheadMs: machineTime().getTime() - now().getTime() }) !== null) clockAbort.abort()
  })
  try {
    await work(AbortSignal.any([signal, clockAbort.signal]))
  } finally {
    stopChecks()
  }
}
