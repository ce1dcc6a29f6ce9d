interface PendingCall<Key, Value> {
  key: Key
  resolve(value: Value): void
  reject(error: unknown): void
}

/**
 * Coalesces concurrent calls into batches. Calls that arrive while a batch is running, or less than
 * `pauseMs` after the last batch started, share the next batch. Otherwise a call starts a batch
 * immediately. A batch starts after all of its calls, so a result is never older than the call that
 * receives it.
 * @param limits maximum number of keys in a batch, and minimum time between the starts of batches
 * @param readBatch returns one value per key, in the same order
 */
export function coalesce<Key, Value>(
  { maxBatchSize, pauseMs }: { maxBatchSize: number; pauseMs: number },
  readBatch: (keys: Key[]) => Promise<Value[]>,
): (key: Key) => Promise<Value> {
  const pendingCalls: PendingCall<Key, Value>[] = []
  let isRunning = false

  const runBatch = async (batch: PendingCall<Key, Value>[]) => {
    try {
      const values = await readBatch(batch.map(({ key }) => key))
      if (values.length !== batch.length) throw new Error('The batch returned the wrong number of values')
      for (const [index, value] of values.entries()) batch[index]?.resolve(value)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const runBatches = async () => {
    // Wait one microtask, so that calls made in the same tick share a batch.
    await null
    while (pendingCalls.length > 0) {
      const startedAtMs = performance.now()
      await runBatch(pendingCalls.splice(0, maxBatchSize))
      const remainingPauseMs = startedAtMs + pauseMs - performance.now()
      if (remainingPauseMs > 0) await new Promise((resolve) => setTimeout(resolve, remainingPauseMs))
    }
    isRunning = false
  }
  return (key) =>
    new Promise((resolve, reject) => {
      pendingCalls.push({ key, resolve, reject })
      if (isRunning) return
      isRunning = true
      void runBatches()
    })
}

/**
 * Coalesces calls that pass the same object `given`, such as a context. Calls that arrive while a
 * batch is running share the next batch, which starts without a pause.
 */
export function coalescePerContext<Given extends object, Key, Value>(
  readBatch: (given: Given, keys: Key[]) => Promise<Value[]>,
): (given: Given, key: Key) => Promise<Value> {
  const batches = new WeakMap<Given, (key: Key) => Promise<Value>>()
  return (given, key) => {
    const callBatch =
      batches.get(given) ?? coalesce({ maxBatchSize: 500, pauseMs: 0 }, (keys: Key[]) => readBatch(given, keys))
    batches.set(given, callBatch)
    return callBatch(key)
  }
}
