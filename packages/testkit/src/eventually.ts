import { vi } from 'vitest'

/** Only ends tests that hang. `expect.poll` is configured with the same limit. */
const HANG_LIMIT_MS = 120_000

/**
 * Repeats `attempt` until it neither throws nor rejects, and returns its value. For a single value
 * prefer `expect.poll`, which has better failure messages but works only inside a test, not in
 * hooks such as `beforeAll`.
 */
export function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: HANG_LIMIT_MS, interval: 20 })
}
