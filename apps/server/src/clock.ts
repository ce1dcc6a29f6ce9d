import { sql } from 'drizzle-orm'
import type { Queryable } from './db/database.ts'
import type { Heartbeat } from './db/wake.ts'

/**
 * Source of the current time. Domain rules take `now` as an argument; only entry points and workers
 * read the clock.
 */
export interface Clock {
  /** On a running server this is the database's time, see `openDatabaseClock`. */
  now(): Date
  /** The database's own clock, which all instances share. */
  readDatabaseTime(tx: Queryable): Promise<Date>
  /** This machine's clock, if `now` is another one. */
  machineTime?(): Date
}

export const systemClock: Clock = { now: () => new Date(), readDatabaseTime }

/**
 * Follows the database's time without a query per call: the newest reading plus the time elapsed
 * since then on a monotonic clock. This machine's clock is not used, so a wrong or jumping one has
 * no effect.
 * The first reading is made before this resolves; callers pass on later ones.
 */
export async function openDatabaseClock(
  db: Queryable,
  { readDatabaseTime: readTime, now: machineTime } = systemClock,
  elapsedMs: () => number = () => performance.now(),
): Promise<{ clock: Clock; correct(databaseAt: Date, read: Heartbeat): void }> {
  let offsetMs: number | null = null
  const correct = (databaseAt: Date, { sentAtMs, answeredAtMs }: Heartbeat) => {
    const databaseMs = databaseAt.getTime()
    // The reading was made at an unknown moment between the two. The offset is kept if the reading
    // does not contradict it, so that time runs evenly.
    const [least, most] = [databaseMs - answeredAtMs, databaseMs - sentAtMs + READING_STEP_MS]
    offsetMs = Math.min(Math.max(offsetMs ?? (least + most) / 2, least), most)
  }
  const sentAtMs = elapsedMs()
  correct(await readTime(db), { sentAtMs, answeredAtMs: elapsedMs() })
  return {
    clock: { now: () => new Date(elapsedMs() + (offsetMs ?? 0)), readDatabaseTime: readTime, machineTime },
    correct,
  }
}

/** Readings are rounded down to whole milliseconds. */
const READING_STEP_MS = 1

/**
 * Unix time in milliseconds. Unlike `now()`, which PostgreSQL keeps at the start of the
 * transaction, this moves while a transaction waits.
 */
export const databaseMs = sql<string>`floor(extract(epoch from clock_timestamp()) * 1000)::text`

async function readDatabaseTime(tx: Queryable): Promise<Date> {
  const { rows } = await tx.execute<{ ms: string }>(sql`select ${databaseMs} as ms`)
  const [row] = rows
  if (!row) throw new Error('The database returned no time')
  return new Date(Number(row.ms))
}
