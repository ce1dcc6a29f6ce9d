import { setTimeout as delay } from 'node:timers/promises'

/** Waits for `ms`, or until `signal` aborts. Never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return delay(ms, undefined, { signal }).catch(() => {})
}
