/** Timers, injected so that tests can control them. Both functions return a cancel function. */
export interface Scheduler {
  after(delayMs: number, run: () => void): () => void
  every(intervalMs: number, run: () => void): () => void
}

export const systemScheduler: Scheduler = {
  after(delayMs, run) {
    const timer = setTimeout(run, Math.max(0, delayMs))
    return () => clearTimeout(timer)
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs)
    return () => clearInterval(timer)
  },
}
