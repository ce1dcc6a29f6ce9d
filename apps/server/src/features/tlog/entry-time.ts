import type { NewestTime } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Queryable } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { findTail } from './store.ts'
import { findNewestTime } from './tail.ts'

/**
 * Times in the log never decrease: every verifier permanently rejects a log in which a time is
 * earlier than the one before it. So the time must not depend on a single clock. Entries get the
 * database's time, and are only issued while the clock of the signing instance agrees with that of
 * the database.
 */

/**
 * Maximum difference between instance and database clock. If it is larger, no entries are issued.
 * Verifiers allow 60 s.
 */
export const MAX_CLOCK_DIFFERENCE_MS = 10_000

export interface ClockReading {
  databaseAt: Date
  /** How far the instance's clock is ahead of the database's; negative if it is behind. */
  aheadMs: number
}

/**
 * Compares this machine's clock with the database's. The latency of the query is not counted as a
 * difference.
 */
export async function readClocks({ clock }: Context, tx: Queryable): Promise<ClockReading> {
  const readMachineMs = () => (clock.machineTime ?? clock.now)().getTime()
  const beforeMs = readMachineMs()
  const databaseAt = await clock.readDatabaseTime(tx)
  const afterMs = readMachineMs()
  const databaseMs = databaseAt.getTime()
  const aheadMs = databaseMs < beforeMs ? beforeMs - databaseMs : databaseMs > afterMs ? afterMs - databaseMs : 0
  return { databaseAt, aheadMs }
}

/** Maximum duration of a reading. A slower one could hide a larger difference. */
const MAX_READING_MS = 1_000

/**
 * Like `readClocks`, but the query is sent after the statement of `lock`, which may wait. After a
 * long wait the clocks are read again, because a difference that is shorter than the reading is not
 * detected.
 */
export async function readClocksAfterLock(ctx: Context, tx: Queryable, lock: Promise<unknown>): Promise<ClockReading> {
  const startedAtMs = performance.now()
  const [clockReading] = await Promise.all([readClocks(ctx, tx), lock])
  return performance.now() - startedAtMs < MAX_READING_MS ? clockReading : readClocks(ctx, tx)
}

/** Returns why a wrong clock prevents this instance from issuing now, or null. */
export async function findClockProblem(ctx: Context): Promise<string | null> {
  const clocks = await readClocks(ctx, ctx.db)
  try {
    assertClocksAgree(clocks)
    decideEntryTime({ wanted: undefined, now: clocks.databaseAt, newest: findNewestTime(await findTail(ctx.db)) })
    return null
  } catch (error) {
    if (error instanceof Refusal && error.code === 'clock_wrong') return error.message
    throw error
  }
}

export function describeClockDifference({ aheadMs }: Pick<ClockReading, 'aheadMs'>): string | null {
  if (Math.abs(aheadMs) <= MAX_CLOCK_DIFFERENCE_MS) return null
  const direction = aheadMs > 0 ? 'ahead of' : 'behind'
  return (
    `The clock of this server is ${formatSeconds(Math.abs(aheadMs))} ${direction} the database's clock. The maximum is ` +
    `${formatSeconds(MAX_CLOCK_DIFFERENCE_MS)}. This server appends no entries to the log until both clocks agree.`
  )
}

/** @throws Refusal clock_wrong */
export function assertClocksAgree(reading: ClockReading): void {
  const problem = describeClockDifference(reading)
  if (problem !== null) throw new Refusal('clock_wrong', problem)
}

/**
 * Returns the createdAt of the next entry: now, or an earlier time if the caller gives one (demo
 * history). If that time is at most MAX_CLOCK_DIFFERENCE_MS before the newest entry, returns the
 * time of the newest entry.
 * @throws Refusal clock_wrong if the time is earlier than that, or in the future
 */
export function decideEntryTime({
  wanted,
  now,
  newest,
}: {
  wanted: Date | undefined
  now: Date
  newest: NewestTime | null
}): Date {
  const at = wanted ?? now
  if (at.getTime() > now.getTime()) {
    throw new Refusal(
      'clock_wrong',
      `An entry with the time ${at.toISOString()} would be in the future: the time is now ${now.toISOString()}.`,
    )
  }
  if (newest === null) return at
  const behindMs = Date.parse(newest.createdAt) - at.getTime()
  if (behindMs <= 0) return at
  if (behindMs <= MAX_CLOCK_DIFFERENCE_MS) return new Date(newest.createdAt)
  throw new Refusal(
    'clock_wrong',
    `An entry of ${at.toISOString()} can't follow entry ${newest.index} of ${newest.createdAt}: times in the log never go ` +
      `back. Either the clocks are ${formatSeconds(behindMs)} behind, or they were ahead when that entry was issued. ` +
      'Issuing resumes automatically when they reach its time.',
  )
}

function formatSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}
