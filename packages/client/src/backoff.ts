const INITIAL_MS = 500
/**
 * While all instances refuse connections, for example without their database, this is the longest
 * time for which a client stays away after the end of the outage.
 */
const MAX_MS = 10_000

/**
 * Exponential backoff with jitter: half to all of a window that doubles per attempt. The jitter
 * keeps clients from reconnecting simultaneously after a server restart.
 * @param random from 0 to 1
 */
export function backoffMs(attempt: number, random: number): number {
  const windowMs = Math.min(MAX_MS, INITIAL_MS * 2 ** attempt)
  return Math.round(windowMs * (0.5 + random / 2))
}
