import { setTimeout as delay } from 'node:timers/promises'

const MIN_DURATION_MS = 300

/**
 * Runs the work and takes at least 300 ms, so that the response time does not reveal whether `work`
 * had anything to do. Rethrows the error of `work` after the same delay.
 */
export async function withConstantTime(work: () => Promise<void>): Promise<void> {
  const [outcome] = await Promise.allSettled([work(), delay(MIN_DURATION_MS)])
  if (outcome.status === 'rejected') throw outcome.reason
}
