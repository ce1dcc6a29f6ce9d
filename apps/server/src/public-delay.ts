import { HOUR_MS } from '@tocsin/protocol/durations'

/** Returns the time until which issued alerts are public. */
export function publicUntil(now: Date, publicDelayHours: number): Date {
  return new Date(now.getTime() - publicDelayHours * HOUR_MS)
}
