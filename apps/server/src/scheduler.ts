/** Timers, injected so that tests can control them. Both functions return a cancel function. */
export interface Scheduler {
  after(delayMs: number, run: () => void): () => void
  every(intervalMs: number, run: () => void): () => void
}

/**
 * Longer delays overflow Node's timer, which would fire at once. The timer fires early instead, so
 * callers must check the time.
 */
const LONGEST_DELAY_MS = 2 ** 31 - 1

export const systemScheduler: Scheduler = {
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(0, delayMs), LONGEST_DELAY_MS))
    return () => clearTimeout(timer)
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs)
    return () => clearInterval(timer)
  },
}
