/** A wall clock that never goes back. */
export interface MonotonicClock {
  nowMs(): number
  /** Time since an arbitrary start. It does not depend on the machine's clock. */
  elapsedMs(): number
  /** Time by which the machine's clock has been set back, in milliseconds. */
  setBackMs(): number
}

/**
 * Follows the machine's clock forward. If that clock is set back, the returned time still advances,
 * by `elapsedMs`. Otherwise every trade would seem to lie in the future. The machine's new time
 * applies only after a restart of the process.
 */
export function createMonotonicClock(
  wallMs: () => number = Date.now,
  elapsedMs: () => number = () => performance.now(),
): MonotonicClock {
  let offset = wallMs() - elapsedMs()
  const nowMs = () => {
    const elapsed = elapsedMs()
    offset = Math.max(offset, wallMs() - elapsed)
    return Math.floor(elapsed + offset)
  }
  return { nowMs, elapsedMs, setBackMs: () => Math.max(0, nowMs() - wallMs()) }
}
