/**
 * Cache lifetime as a multiple of the measured duration: measuring takes at most 1/20 of the time.
 */
const LIFETIME_FACTOR = 20
/** So many lifetimes after it was measured, callers wait for a new result. */
const MOST_LIFETIMES = 3

/**
 * Caches the result of `measure` for 20 times as long as it took, and shares a running measurement
 * between callers. This bounds the database load however many callers there are. For two lifetimes
 * more, callers still get the old result while the new one is measured, so that only the first
 * callers after a quiet time wait. Errors are not cached.
 */
export function cacheByCost<Given, Measured>(
  measure: (given: Given) => Promise<Measured>,
): (given: Given) => Promise<Measured> {
  let kept: { value: Measured; freshUntilMs: number; staleUntilMs: number } | null = null
  let running: Promise<Measured> | null = null
  const measureNow = async (given: Given) => {
    const startedAtMs = performance.now()
    const value = await measure(given)
    const endedAtMs = performance.now()
    const lifetimeMs = (endedAtMs - startedAtMs) * LIFETIME_FACTOR
    kept = { value, freshUntilMs: endedAtMs + lifetimeMs, staleUntilMs: endedAtMs + lifetimeMs * MOST_LIFETIMES }
    return value
  }
  return async (given) => {
    const nowMs = performance.now()
    if (kept && nowMs < kept.freshUntilMs) return kept.value
    running ??= measureNow(given).finally(() => {
      running = null
    })
    if (!kept || nowMs >= kept.staleUntilMs) return running
    running.catch(() => {})
    return kept.value
  }
}
