import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { Logger } from 'pino'
import type { Scheduler } from './scheduler.ts'

/** Interval of the reads. Each result is cached for longer than this. */
const REPEAT_MS = 4 * MINUTE_MS

interface Options {
  logger: Pick<Logger, 'warn'>
  scheduler: Scheduler
}

/**
 * Runs reads that are slow only the first time, at the start and every four minutes, so that no
 * caller waits for them. They run one after the other, because they must not use the database
 * connections that callers need. A read that fails is repeated by the next caller, who gets its
 * error.
 * @returns a function that stops the reads and resolves when none is running
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
