import type { Logger } from 'pino'
import { createLineLimit } from './http/line-limit.ts'
import type { Scheduler } from './scheduler.ts'

const TICK_MS = 250
/**
 * Minimum delay of the event loop that is logged. Shorter delays are measured by
 * `nodejs_eventloop_lag_p99_seconds`.
 */
const STALL_MS = 1_000
const MAX_REQUESTS = 10

interface Options {
  logger: Pick<Logger, 'warn'>
  scheduler: Scheduler
  /** Returns the requests that are running or have ended since the last call. */
  takeRequests(): string[]
  /** Returns the background jobs of this instance. */
  jobs(): string[]
  nowMs?(): number
  /** Returns the CPU time of the process. */
  cpuMs?(): number
}

/**
 * Logs when the event loop was blocked for more than a second, with possible causes: the requests
 * of that time, and the jobs of this instance. Little CPU time means that the process was suspended
 * or was waiting for a CPU.
 * @returns a function that stops logging
 */
export function logStalls({
  logger,
  scheduler,
  takeRequests,
  jobs,
  nowMs = () => performance.now(),
  cpuMs = readCpuMs,
}: Options): () => void {
  const limit = createLineLimit(scheduler, (_kind, suppressed) =>
    logger.warn({ suppressed }, 'further stalls of the event loop were not logged'),
  )
  let lastTick = { nowMs: nowMs(), cpuMs: cpuMs() }
  const stopTicks = scheduler.every(TICK_MS, () => {
    const currentTick = { nowMs: nowMs(), cpuMs: cpuMs() }
    const requests = takeRequests()
    const stalledMs = Math.round(currentTick.nowMs - lastTick.nowMs - TICK_MS)
    if (stalledMs > STALL_MS && limit.admits('stall')) {
      const usedCpuMs = Math.round(currentTick.cpuMs - lastTick.cpuMs)
      const details = { stalledMs, cpuMs: usedCpuMs, requests: requests.slice(0, MAX_REQUESTS), jobs: jobs() }
      logger.warn(details, 'the event loop stalled')
    }
    lastTick = currentTick
  })
  return () => {
    stopTicks()
    limit.close()
  }
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
