import { setTimeout as delay } from 'node:timers/promises'

/**
 * Number of connections that are closed together. With the pause, 5,000 sockets are closed per
 * second, which limits how many clients reconnect to the other instances at the same time.
 */
const BATCH = 500
const PAUSE_MS = 100

/**
 * Closes connections in batches with pauses between the batches. Up to `BATCH` connections are
 * closed without a pause.
 */
export async function closeInBatches<T>(
  openConnections: readonly T[],
  closeConnection: (connection: T) => void,
  pause: () => Promise<void> = () => delay(PAUSE_MS),
): Promise<void> {
  for (let from = 0; from < openConnections.length; from += BATCH) {
    if (from > 0) await pause()
    for (const connection of openConnections.slice(from, from + BATCH)) closeConnection(connection)
  }
}
