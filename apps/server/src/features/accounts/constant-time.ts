import { setTimeout as delay } from 'node:timers/promises'

const MIN_DURATION_MS = 300

/** Answers after the same time, so that it does not tell whether there was something to do. */
export async function withConstantTime(work: () => Promise<void>): Promise<void> {
  const [outcome] = await Promise.allSettled([work(), delay(MIN_DURATION_MS)])
  if (outcome.status === 'rejected') throw outcome.reason
}
