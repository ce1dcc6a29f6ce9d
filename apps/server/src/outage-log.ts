import type { Context } from './context.ts'

/**
 * Time without a failure after which an outage is over. Longer than the longest pause between two
 * attempts of a job that retries with backoff.
 */
const RECOVERY_MS = 60_000

interface Outage {
  sinceMs: number
  lastFailureMs: number
  failures: number
}

/** Messages for the beginning and end of an outage, such as "the payment chain cannot be read". */
export interface OutageMessages {
  begins: string
  ends: string
}

export type OutageLog = ReturnType<typeof createOutageLog>

/**
 * Logs an outage only twice instead of once per failed attempt: when it begins, and when an attempt
 * succeeds after a minute without failures. The second line has the number of failures. Failures in
 * between are logged at debug level.
 */
export function createOutageLog(messages: OutageMessages) {
  let outage: Outage | null = null
  return {
    recordFailure({ clock, logger }: Pick<Context, 'clock' | 'logger'>, error: unknown, details: object = {}): void {
      const nowMs = clock.now().getTime()
      if (outage === null) {
        outage = { sinceMs: nowMs, lastFailureMs: nowMs, failures: 1 }
        logger.warn({ ...details, err: error }, messages.begins)
        return
      }
      outage.lastFailureMs = nowMs
      outage.failures += 1
      logger.debug({ ...details, err: error }, messages.begins)
    },
    recordSuccess({ clock, logger }: Pick<Context, 'clock' | 'logger'>, details: object = {}): void {
      if (outage === null || clock.now().getTime() - outage.lastFailureMs < RECOVERY_MS) return
      const { sinceMs, lastFailureMs, failures } = outage
      outage = null
      const formatTime = (timeMs: number) => new Date(timeMs).toISOString()
      logger.info(
        { ...details, failures, since: formatTime(sinceMs), lastFailureAt: formatTime(lastFailureMs) },
        messages.ends,
      )
    },
  }
}
