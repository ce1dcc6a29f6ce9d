/**
 * Timers, passed as an argument so that tests can control them. Both functions return a function
 * that cancels the timer.
 */
export interface Scheduler {
  after(delayMs: number, run: () => void): () => void
  every(intervalMs: number, run: () => void): () => void
}

/**
 * Longest delay of a timer. A longer delay would overflow Node's timer, which would fire
 * immediately. With this limit, the timer of a longer delay fires early, so callers must check the
 * time.
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
