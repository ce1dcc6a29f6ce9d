const HOUR_MS = 3_600_000

/** Alerts issued up to this time are public. */
export function publicUntil(now: Date, publicDelayHours: number): Date {
  return new Date(now.getTime() - publicDelayHours * HOUR_MS)
}
