/** Registry of started parts that have to be stopped. */
export interface ShutdownRegistry {
  /** Aborts when stopping begins. */
  readonly signal: AbortSignal
  add(stop: () => Promise<void>): void
  /**
   * Registers a part that is still starting, so that it is stopped even if the shutdown begins
   * before the part has started.
   */
  addStarting<T>(startup: Promise<T>, stop: (part: T) => Promise<void>): Promise<T>
  /** Stops all parts, newest first. Further calls wait for the same result. */
  stopAll(): Promise<void>
}

/** @param onFailure called for each part that fails to stop; the others are still stopped */
export function createShutdownRegistry(onFailure: (error: unknown) => void): ShutdownRegistry {
  const pendingStops: (() => Promise<void>)[] = []
  const shutdownBegun = new AbortController()
  let runningShutdown: Promise<void> | null = null

  const runStops = async () => {
    shutdownBegun.abort()
    for (let stop = pendingStops.pop(); stop; stop = pendingStops.pop()) await stop().catch(onFailure)
  }
  return {
    signal: shutdownBegun.signal,
    add: (stop) => void pendingStops.push(stop),
    addStarting(starting, stop) {
      pendingStops.push(() => starting.then(stop, () => {}))
      return starting
    },
    stopAll() {
      runningShutdown ??= runStops()
      return runningShutdown
    },
  }
}
