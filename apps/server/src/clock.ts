import { sql } from 'drizzle-orm'
import type { Queryable } from './db/database.ts'
import type { Heartbeat } from './db/notification-bus.ts'

/**
 * Source of the current time. Domain rules take `now` as an argument; only entry points and workers
 * read the clock.
 */
export interface Clock {
  /** On a running server this is the database's time, see `openDatabaseClock`. */
  now(): Date
  /** Reads the database's own clock, which all instances share. */
  readDatabaseTime(tx: Queryable): Promise<Date>
  /** The time of this machine's clock, if `now` uses another clock. */
  machineTime?(): Date
}

export const systemClock: Clock = { now: () => new Date(), readDatabaseTime }

/**
 * Creates a clock that follows the database's time without a query per call. Its time is the newest
 * reading of the database's clock plus the time that has elapsed since then by a monotonic clock.
 * This machine's wall clock is not used, because it can be wrong or jump. The function resolves
 * after the first reading. Callers pass later readings to `correct`.
 */
export async function openDatabaseClock(
  db: Queryable,
  { readDatabaseTime: readTime, now: machineTime } = systemClock,
  elapsedMs: () => number = () => performance.now(),
): Promise<{ clock: Clock; correct(databaseAt: Date, heartbeat: Heartbeat): void }> {
  let offsetMs: number | null = null
  const correctOffset = (databaseAt: Date, { sentAtMs, answeredAtMs }: Heartbeat) => {
    const databaseMs = databaseAt.getTime()
    // The offset is the database's time minus the monotonic time. The database read its clock at an
    // unknown moment between the query and its response, so each reading gives only a range for the
    // offset. An offset within the range does not change, so that the clock runs evenly.
    const [minOffsetMs, maxOffsetMs] = [databaseMs - answeredAtMs, databaseMs - sentAtMs + READING_STEP_MS]
    offsetMs = Math.min(Math.max(offsetMs ?? (minOffsetMs + maxOffsetMs) / 2, minOffsetMs), maxOffsetMs)
  }
  const sentAtMs = elapsedMs()
  correctOffset(await readTime(db), { sentAtMs, answeredAtMs: elapsedMs() })
  return {
    clock: { now: () => new Date(elapsedMs() + (offsetMs ?? 0)), readDatabaseTime: readTime, machineTime },
    correct: correctOffset,
  }
}

/** Readings are rounded down to whole milliseconds, so the true time can be this much later. */
const READING_STEP_MS = 1

/**
 * The current Unix time of the database in milliseconds. Not `now()`, because that returns the
 * start time of the transaction, even after the transaction has waited for a lock.
 */
export const databaseMs = sql<string>`floor(extract(epoch from clock_timestamp()) * 1000)::text`

async function readDatabaseTime(tx: Queryable): Promise<Date> {
  const { rows } = await tx.execute<{ ms: string }>(sql`select ${databaseMs} as ms`)
  const [row] = rows
  if (!row) throw new Error('The database returned no time')
  return new Date(Number(row.ms))
}
