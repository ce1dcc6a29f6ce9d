/** Registry of started parts that have to be stopped. */
export interface ShutdownRegistry {
  /** Aborts when stopping begins. */
  readonly signal: AbortSignal
  add(stop: () => Promise<void>): void
  /**
   * Registers a part that is still starting, so that it is stopped even if the shutdown begins
   * before the part has started.
   */
  keep<T>(starting: Promise<T>, stop: (part: T) => Promise<void>): Promise<T>
  /** Stops all parts, newest first. Further calls wait for the same result. */
  stopAll(): Promise<void>
}

/** @param onFailure called for each part that fails to stop; the others are still stopped */
export function createShutdownRegistry(onFailure: (error: unknown) => void): ShutdownRegistry {
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
