/** What has been started and must be stopped again. */
export interface Stops {
  /** Aborts when stopping begins. */
  readonly signal: AbortSignal
  add(stop: () => Promise<void>): void
  /** Sees that a part which is being started gets stopped, even if stopping begins before it has started. */
  keep<T>(starting: Promise<T>, stop: (part: T) => Promise<void>): Promise<T>
  /** Stops everything, newest first. Calling it again waits for the same. */
  stopAll(): Promise<void>
}

/** @param onFailure hears of a part that could not be stopped; the others are stopped all the same. */
export function createStops(onFailure: (error: unknown) => void): Stops {
  const pending: (() => Promise<void>)[] = []
  const begun = new AbortController()
  let stopping: Promise<void> | null = null

  const stopEach = async () => {
    begun.abort()
    for (let stop = pending.pop(); stop; stop = pending.pop()) await stop().catch(onFailure)
  }
  return {
    signal: begun.signal,
    add: (stop) => void pending.push(stop),
    keep(starting, stop) {
      pending.push(() => starting.then(stop, () => {}))
      return starting
    },
    stopAll() {
      stopping ??= stopEach()
      return stopping
    },
  }
}
