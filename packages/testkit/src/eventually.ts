import { vi } from 'vitest'

/** Time limit that only ends tests that hang. `expect.poll` is configured with the same limit. */
const HANG_LIMIT_MS = 120_000

/** Number of initial attempts, 20 ms apart. */
const QUICK_ATTEMPTS = 50
/**
 * Pause before each later attempt, so that a long wait stays below the 600 requests per minute that
 * a server allows one network.
 */
const PAUSE_MS = 200
/** The real setTimeout. It is used even while a test replaces the global one. */
const { setTimeout } = globalThis

/**
 * Repeats `attempt` until it neither throws nor rejects, and returns its value. For a single value
 * prefer `expect.poll`, which has better failure messages but works only inside a test, not in
 * hooks such as `beforeAll`.
 */
export function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  let attempts = 0
  const attemptWithPause = async () => {
    attempts += 1
    if (attempts > QUICK_ATTEMPTS) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    return attempt()
  }
  return vi.waitFor(attemptWithPause, { timeout: HANG_LIMIT_MS, interval: 20 })
}
