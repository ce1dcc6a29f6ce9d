const SHORTEST_MS = 500
const LONGEST_MS = 30_000

/**
 * How long to wait before the next attempt: between half and all of a window that doubles, so that a server which restarts is not met by everybody
 * at once.
 * @param random from 0 to 1
 */
export function backoffMs(attempt: number, random: number): number {
  const windowMs = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** attempt)
  return Math.round(windowMs * (0.5 + random / 2))
}
