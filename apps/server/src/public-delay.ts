import { HOUR_MS } from '@tocsin/protocol/durations'

/** Alerts issued up to this time are public. */
export function publicUntil(now: Date, publicDelayHours: number): Date {
  return new Date(now.getTime() - publicDelayHours * HOUR_MS)
}
