import { setTimeout as delay } from 'node:timers/promises'

/**
 * Number of connections that end at once. With the pause, that is 5,000 sockets a second: more
 * would all reconnect to the other instances at the same moment.
 */
const SLICE = 500
const PAUSE_MS = 100

/**
 * Ends connections in slices with pauses between them. If there are only a few, they all end at
 * once.
 */
export async function endInSlices<T>(
  open: readonly T[],
  end: (one: T) => void,
  pause: () => Promise<void> = () => delay(PAUSE_MS),
): Promise<void> {
  for (let from = 0; from < open.length; from += SLICE) {
    if (from > 0) await pause()
    for (const one of open.slice(from, from + SLICE)) end(one)
  }
}
