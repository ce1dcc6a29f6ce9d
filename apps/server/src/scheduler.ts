/** Timers, handed in so that a test can move them. Both functions return what stops the timer. */
export interface Scheduler {
  after(delayMs: number, run: () => void): () => void
  every(intervalMs: number, run: () => void): () => void
}

/** A longer delay overflows Node's timer and would fire at once: it fires early instead, and who set it looks again. */
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
