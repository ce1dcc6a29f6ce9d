import { setTimeout as delay } from 'node:timers/promises'

const EVEN_TIME_MS = 300

/** Answers after the same time, so that it does not tell whether there was something to do. */
export async function inEvenTime(work: () => Promise<void>): Promise<void> {
  const [outcome] = await Promise.allSettled([work(), delay(EVEN_TIME_MS)])
  if (outcome.status === 'rejected') throw outcome.reason
}
