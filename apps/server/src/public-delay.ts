const HOUR_MS = 3_600_000

/** Alerts made up to this moment are for everybody. */
export function publicUntil(now: Date, publicDelayHours: number): Date {
  return new Date(now.getTime() - publicDelayHours * HOUR_MS)
}
