import type { Logger } from 'pino'
import { withDeadline } from '../db/health.ts'

/** One of the checks that /readyz reports. */
export interface Check {
  name: string
  /**
   * True if an instance that fails the check should receive no requests. False if the failure
   * affects only a part of the site.
   */
  isRequired: boolean
  /** @returns why the check fails, or null */
  find(): Promise<string | null>
}

export interface CheckResult {
  name: string
  isRequired: boolean
  /** The reason why the check fails, or null. */
  reason: string | null
}

const DEADLINE_MS = 2_000
const TIMEOUT_PROBLEM = `does not respond within ${DEADLINE_MS / 1_000} s`

/**
 * Runs all checks concurrently. Each has its own deadline, so a check that hangs does not
 * affect the others.
 */
export type RunChecks = () => Promise<CheckResult[]>

/**
 * Creates a function that runs the checks. It logs when a check begins to fail and when it succeeds
 * again.
 */
export function createChecks(checks: readonly Check[], logger: Logger): RunChecks {
  const failingNames = new Set<string>()
  const log = ({ name, reason }: CheckResult) => {
    if (reason !== null && !failingNames.has(name)) logger.warn({ check: name, reason }, 'a check of /readyz fails')
    if (reason === null && failingNames.has(name)) logger.info({ check: name }, 'a check of /readyz passes again')
    if (reason === null) failingNames.delete(name)
    else failingNames.add(name)
  }
  return () =>
    Promise.all(
      checks.map(async ({ name, isRequired, find }) => {
        const reason = await withDeadline(
          find().catch(() => 'cannot be read'),
          DEADLINE_MS,
          TIMEOUT_PROBLEM,
        )
        log({ name, isRequired, reason })
        return { name, isRequired, reason }
      }),
    )
}
