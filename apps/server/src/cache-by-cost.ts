/**
 * Cache lifetime as a multiple of the measured duration: measuring takes at most 1/20 of the time.
 */
const LIFETIME_FACTOR = 20

/**
 * Caches the result of `measure` for 20 times as long as it took, and shares a running measurement
 * between callers. This bounds the database load however many callers there are. Errors are not
 * cached.
 */
export function cacheByCost<Given, Measured>(
  measure: (given: Given) => Promise<Measured>,
): (given: Given) => Promise<Measured> {
  let cached: Promise<Measured> | null = null
  return async (given) => {
    if (cached) return cached
    const startedAt = performance.now()
    const running = measure(given)
    cached = running
    const expire = () => {
      cached = null
    }
    running.then(() => setTimeout(expire, (performance.now() - startedAt) * LIFETIME_FACTOR).unref(), expire)
    return running
  }
}
