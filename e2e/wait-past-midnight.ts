import { setTimeout as delay } from 'node:timers/promises'

/**
 * Waits until midnight has passed if it is less than `ms` away, in UTC or in the time zone of this
 * machine, which the browser uses too. A test that expects times without a date, which pages show
 * only for today, calls this function at its start with its maximum duration.
 */
export async function waitPastMidnight(ms: number): Promise<void> {
  for (const setHours of ['setHours', 'setUTCHours'] as const) {
    const midnight = new Date()
    midnight[setHours](24, 0, 0, 0)
    const leftMs = midnight.getTime() - Date.now()
    // The clock of the server can be a few milliseconds behind.
    if (leftMs < ms) await delay(leftMs + 1_000)
  }
}
