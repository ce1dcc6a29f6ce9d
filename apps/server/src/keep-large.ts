interface Limits<Value> {
  /** True if a result was read from so many rows that it is kept. */
  isLarge(value: Value): boolean
  /** Age from which a kept result is read again, while callers still get it. */
  freshMs: number
  /** Age from which callers wait for a new result. */
  staleMs: number
}

/**
 * Keeps results of a read that is slow because its tables are large: callers get the last one at
 * once, and it is read again behind them. Small results are never kept.
 * @param key results are kept for as long as this object exists
 */
export function keepLarge<Key extends object, Value>(
  { isLarge, freshMs, staleMs }: Limits<Value>,
  read: (key: Key) => Promise<Value>,
  nowMs: () => number = () => performance.now(),
): (key: Key) => Promise<Value> {
  const kept = new WeakMap<Key, { value: Value; atMs: number }>()
  const running = new WeakMap<Key, Promise<Value>>()

  async function readNow(key: Key): Promise<Value> {
    const startMs = nowMs()
    const value = await read(key)
    if (isLarge(value)) kept.set(key, { value, atMs: startMs })
    else kept.delete(key)
    return value
  }

  function readOnce(key: Key): Promise<Value> {
    const before = running.get(key)
    if (before) return before
    const reading = readNow(key).finally(() => running.delete(key))
    running.set(key, reading)
    return reading
  }

  return (key) => {
    const found = kept.get(key)
    const ageMs = found ? nowMs() - found.atMs : Number.POSITIVE_INFINITY
    if (!found || ageMs > staleMs) return found ? readOnce(key) : readNow(key)
    if (ageMs > freshMs) readOnce(key).catch(() => {})
    return Promise.resolve(found.value)
  }
}
