import type { Context } from './context.ts'

/**
 * Time without a failure after which an outage is over. Longer than the longest pause between two
 * attempts of a job that retries with backoff.
 */
const QUIET_MS = 60_000

interface Outage {
  sinceMs: number
  lastFailureMs: number
  failures: number
}

/** Messages for the beginning and end of an outage, such as "the payment chain cannot be read". */
export interface OutageWords {
  begins: string
  ends: string
}

export type OutageLog = ReturnType<typeof createOutageLog>

/**
 * Logs an outage only twice instead of once per failed attempt: when it begins, and when an attempt
 * succeeds and none has failed for a minute. The second line has the number of failures. Failures
 * in between are logged at debug level.
 */
export function createOutageLog(words: OutageWords) {
  let outage: Outage | null = null
  return {
    recordFailure({ clock, logger }: Pick<Context, 'clock' | 'logger'>, error: unknown, details: object = {}): void {
      const nowMs = clock.now().getTime()
      if (outage === null) {
        outage = { sinceMs: nowMs, lastFailureMs: nowMs, failures: 1 }
        logger.warn({ ...details, err: error }, words.begins)
        return
      }
      outage.lastFailureMs = nowMs
      outage.failures += 1
      logger.debug({ ...details, err: error }, words.begins)
    },
    recordSuccess({ clock, logger }: Pick<Context, 'clock' | 'logger'>, details: object = {}): void {
      if (outage === null || clock.now().getTime() - outage.lastFailureMs < QUIET_MS) return
      const { sinceMs, lastFailureMs, failures } = outage
      outage = null
      const at = (timeMs: number) => new Date(timeMs).toISOString()
      logger.info({ ...details, failures, since: at(sinceMs), lastFailureAt: at(lastFailureMs) }, words.ends)
    },
  }
}
