type ReadValue<Key, Value> = (key: Key) => Promise<Value>

/**
 * Until `freshUntilMs`, the cached value is returned without a read. From then until
 * `staleUntilMs`, it is still returned, and a read for later callers starts in the background.
 */
interface Lifetime {
  freshUntilMs: number
  staleUntilMs: number
}

/**
 * Caches values for as long as their keys exist. Callers who find an outdated value share one read.
 * Errors are not cached.
 * @param sharesInitialRead true if callers who find no value also share a read
 * @param lifetimeOf returns null if the value must not be cached
 */
function staleWhileRevalidate<Key extends object, Value>(
  read: ReadValue<Key, Value>,
  { sharesInitialRead, nowMs }: { sharesInitialRead: boolean; nowMs(): number },
  lifetimeOf: (value: Value, startedAtMs: number, endedAtMs: number) => Lifetime | null,
): ReadValue<Key, Value> {
  const cached = new WeakMap<Key, Lifetime & { value: Value }>()
  const runningReads = new WeakMap<Key, Promise<Value>>()
  const readNow: typeof read = async (key) => {
    const startedAtMs = nowMs()
    const value = await read(key)
    const lifetime = lifetimeOf(value, startedAtMs, nowMs())
    if (lifetime) cached.set(key, { value, ...lifetime })
    else cached.delete(key)
    return value
  }
  const readShared: typeof read = (key) => {
    const runningRead = runningReads.get(key) ?? readNow(key).finally(() => runningReads.delete(key))
    runningReads.set(key, runningRead)
    return runningRead
  }
  return async (key) => {
    const cachedEntry = cached.get(key)
    if (!cachedEntry) return sharesInitialRead ? readShared(key) : readNow(key)
    const atMs = nowMs()
    if (atMs < cachedEntry.freshUntilMs) return cachedEntry.value
    const runningRead = readShared(key)
    if (atMs >= cachedEntry.staleUntilMs) return runningRead
    runningRead.catch(() => {})
    return cachedEntry.value
  }
}

/**
 * Caches a measurement for 20 times as long as it took, so that measuring takes at most 1/20 of the
 * time, regardless of the number of callers. The stale value is then returned for another 40 times
 * as long, so that callers wait for a measurement only after a longer period without calls.
 */
export function cacheByCost<Key extends object, Value>(measure: ReadValue<Key, Value>): ReadValue<Key, Value> {
  const options = { sharesInitialRead: true, nowMs: () => performance.now() }
  return staleWhileRevalidate(measure, options, (_, startedAtMs, endedAtMs) => {
    const costMs = endedAtMs - startedAtMs
    return { freshUntilMs: endedAtMs + 20 * costMs, staleUntilMs: endedAtMs + 60 * costMs }
  })
}

interface LargeValueLimits<Value> {
  /** True if the value was read from so many rows that it must be cached. */
  isLarge(value: Value): boolean
  /** Ages, measured from the start of the read, until which a cached value is fresh or stale. */
  freshMs: number
  staleMs: number
}

/** Caches reads that are slow because their tables are large. Other reads are always current. */
export function cacheLarge<Key extends object, Value>(
  { isLarge, freshMs, staleMs }: LargeValueLimits<Value>,
  read: ReadValue<Key, Value>,
  nowMs = () => performance.now(),
): ReadValue<Key, Value> {
  return staleWhileRevalidate(read, { sharesInitialRead: false, nowMs }, (value, startedAtMs) =>
    isLarge(value) ? { freshUntilMs: startedAtMs + freshMs, staleUntilMs: startedAtMs + staleMs } : null,
  )
}
