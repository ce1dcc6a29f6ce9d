const INITIAL_MS = 500
/**
 * Maximum backoff. After an outage in which all instances refused connections, for example because
 * the database was down, a client stays disconnected for at most this time.
 */
const MAX_MS = 10_000

/**
 * Exponential backoff with jitter: between half and all of a window that doubles with each attempt.
 * The jitter keeps clients from reconnecting simultaneously after a server restart.
 * @param random from 0 to 1
 */
export function backoffMs(attempt: number, random: number): number {
  const windowMs = Math.min(MAX_MS, INITIAL_MS * 2 ** attempt)
  return Math.round(windowMs * (0.5 + random / 2))
}
