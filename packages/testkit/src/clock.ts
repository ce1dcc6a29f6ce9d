import type { Clock } from '@tocsin/server/clock.ts'

export interface FakeClock extends Clock {
  advance(ms: number): void
  set(at: Date): void
}

/** A clock that changes only through `advance` and `set`. */
export function fakeClock(startAt = new Date('2026-01-15T12:00:00.000Z')): FakeClock {
  let nowMs = startAt.getTime()
  return {
    now: () => new Date(nowMs),
    // All instances of a test share this clock, and the database time equals it.
    readDatabaseTime: async () => new Date(nowMs),
    advance: (ms) => {
      nowMs += ms
    },
    set: (at) => {
      nowMs = at.getTime()
    },
  }
}
