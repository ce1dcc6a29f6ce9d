import { HOUR_MS } from '@tocsin/protocol/durations'

/** Alerts created up to the returned time are public at `now`. */
export function computePublicCutoff(now: Date, publicDelayHours: number): Date {
  return new Date(now.getTime() - publicDelayHours * HOUR_MS)
}
