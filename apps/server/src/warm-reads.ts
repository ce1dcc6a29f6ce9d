import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { Logger } from 'pino'
import type { Scheduler } from './scheduler.ts'

/** Interval at which the reads run. Their results are cached for longer. */
const REPEAT_MS = 4 * MINUTE_MS

interface Options {
  logger: Pick<Logger, 'warn'>
  scheduler: Scheduler
}

/**
 * Runs slow reads at the start and again every four minutes, so that callers find their results in
 * the cache. Runs one read at a time, to leave database connections to callers. If a read fails,
 * the error is logged. The next caller then runs the read again and gets its error.
 * @returns a function that stops the reads and resolves when no read is running
 */
export function startWarmReads(
  reads: Record<string, () => Promise<unknown>>,
  { logger, scheduler }: Options,
): () => Promise<void> {
  let isStopped = false
  async function runReads() {
    for (const [name, read] of Object.entries(reads)) {
      if (isStopped) return
      await read().catch((error: unknown) => logger.warn({ err: error, name }, 'a read that fills a cache failed'))
    }
  }
  let lastRound = runReads()
  const stopRounds = scheduler.every(REPEAT_MS, () => {
    lastRound = lastRound.then(runReads)
  })
  return () => {
    isStopped = true
    stopRounds()
    return lastRound
  }
}
