import { setTimeout as delay } from 'node:timers/promises'

/** 5,000 sockets a second: more would all reconnect to the other instances at the same moment. */
const SLICE = 500
const PAUSE_MS = 100

/** Ends connections in slices with pauses between them. Few connections end at once. */
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
