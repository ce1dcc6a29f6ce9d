import { vi } from 'vitest'

/** Only ends a test that hangs: tests wait for a state, never for a time. The limit of `expect.poll` is the same. */
const HANG_LIMIT_MS = 120_000

/**
 * Repeats `attempt` until it neither throws nor rejects, and returns its value. For a single value, `expect.poll` says more
 * when it fails, but works only inside a test, not in `beforeAll` and its like.
 */
export function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: HANG_LIMIT_MS, interval: 20 })
}
