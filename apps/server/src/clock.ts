import { sql } from 'drizzle-orm'
import type { Queryable } from './db/database.ts'

/** The one source of the present. Rules take `now` as an argument; only edges and workers ask this. */
export interface Clock {
  /** On a running server the database's time, as `openDatabaseClock` keeps it. */
  now(): Date
  /** The database's own clock, which all instances share. */
  readDatabaseTime(tx: Queryable): Promise<Date>
  /** This machine's own clock, if `now` is another. */
  machineTime?(): Date
}

export const systemClock: Clock = { now: () => new Date(), readDatabaseTime }

/**
 * A clock that shows the database's time without asking it each time: the newest reading plus the time that has passed since
 * then on a monotonic clock. This machine's own clock has no influence, so a wrong one, or one that jumps, changes no decision.
 * The first reading is made before this resolves; callers repeat `refresh`.
 */
export async function openDatabaseClock(
  db: Queryable,
  { readDatabaseTime: readTime, now: machineTime } = systemClock,
  elapsedMs: () => number = () => performance.now(),
): Promise<{ clock: Clock; refresh(): Promise<void> }> {
  let offsetMs: number | null = null
  const refresh = async () => {
    const before = elapsedMs()
    const databaseMs = (await readTime(db)).getTime()
    const after = elapsedMs()
    // The reading was made at an unknown moment between the two. What it does not disprove stays, so that time runs evenly.
    const [least, most] = [databaseMs - after, databaseMs - before + READING_STEP_MS]
    offsetMs = Math.min(Math.max(offsetMs ?? (least + most) / 2, least), most)
  }
  await refresh()
  return {
    clock: { now: () => new Date(elapsedMs() + (offsetMs ?? 0)), readDatabaseTime: readTime, machineTime },
    refresh,
  }
}

/** Readings are rounded down to whole milliseconds. */
const READING_STEP_MS = 1

/** Unlike `now()`, which PostgreSQL keeps at the start of the transaction, this moves while a transaction waits. */
async function readDatabaseTime(tx: Queryable): Promise<Date> {
  const { rows } = await tx.execute<{ ms: string }>(
    sql`select floor(extract(epoch from clock_timestamp()) * 1000)::text as ms`,
  )
  const [row] = rows
  if (!row) throw new Error('The database did not tell its time')
  return new Date(Number(row.ms))
}
