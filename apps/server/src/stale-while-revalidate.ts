type Read<Key, Value> = (key: Key) => Promise<Value>

/** Callers get a fresh value. They get a stale one too, and it is read again for later callers. */
interface Lifetime {
  freshUntilMs: number
  staleUntilMs: number
}

/**
 * Caches values for as long as their keys exist. Callers who find an old value share one read.
 * Errors are not cached.
 * @param sharesFirst true if callers who find no value share one read too
 * @param lifetimeOf null if the value is not cached
 */
function staleWhileRevalidate<Key extends object, Value>(
  read: Read<Key, Value>,
  { sharesFirst, nowMs }: { sharesFirst: boolean; nowMs(): number },
  lifetimeOf: (value: Value, startedAtMs: number, endedAtMs: number) => Lifetime | null,
): Read<Key, Value> {
  const cached = new WeakMap<Key, Lifetime & { value: Value }>()
  const running = new WeakMap<Key, Promise<Value>>()
  const readNow: typeof read = async (key) => {
    const startedAtMs = nowMs()
    const value = await read(key)
    const lifetime = lifetimeOf(value, startedAtMs, nowMs())
    if (lifetime) cached.set(key, { value, ...lifetime })
    else cached.delete(key)
    return value
  }
  const readShared: typeof read = (key) => {
    const reading = running.get(key) ?? readNow(key).finally(() => running.delete(key))
    running.set(key, reading)
    return reading
  }
  return async (key) => {
    const found = cached.get(key)
    if (!found) return sharesFirst ? readShared(key) : readNow(key)
    const atMs = nowMs()
    if (atMs < found.freshUntilMs) return found.value
    const reading = readShared(key)
    if (atMs >= found.staleUntilMs) return reading
    reading.catch(() => {})
    return found.value
  }
}

/**
 * Caches a measurement for 20 times as long as it took, so that measuring takes at most 1/20 of the
 * time however many callers there are. Stale for 40 times as long: only the first callers after a
 * quiet time wait.
 */
export function cacheByCost<Key extends object, Value>(measure: Read<Key, Value>): Read<Key, Value> {
  const options = { sharesFirst: true, nowMs: () => performance.now() }
  return staleWhileRevalidate(measure, options, (_, startedAtMs, endedAtMs) => {
    const costMs = endedAtMs - startedAtMs
    return { freshUntilMs: endedAtMs + 20 * costMs, staleUntilMs: endedAtMs + 60 * costMs }
  })
}

interface Limits<Value> {
  /** True if the value was read from so many rows that it is cached. */
  isLarge(value: Value): boolean
  /** Ages of the value. */
  freshMs: number
  staleMs: number
}

/** Caches reads that are slow because their tables are large. Others are always current. */
export function cacheLarge<Key extends object, Value>(
  { isLarge, freshMs, staleMs }: Limits<Value>,
  read: Read<Key, Value>,
  nowMs = () => performance.now(),
): Read<Key, Value> {
  return staleWhileRevalidate(read, { sharesFirst: false, nowMs }, (value, startedAtMs) =>
    isLarge(value) ? { freshUntilMs: startedAtMs + freshMs, staleUntilMs: startedAtMs + staleMs } : null,
  )
}
