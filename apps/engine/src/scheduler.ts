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

/** Resolves after the delay, or immediately when the signal aborts. */
export async function pause(delayMs: number, schedule: Scheduler, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const finish = () => {
      cancel()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = schedule.after(delayMs, finish)
    signal.addEventListener('abort', finish)
  })
}
