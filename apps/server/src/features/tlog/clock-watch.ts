import type { Context } from '../../context.ts'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import { describeDifference, findClockTrouble, readClocks } from './entry-time.ts'

const CHECK_MS = 5_000
/** Issuing checks the clock itself, so a later line in the log does no harm. */
const LOG_MS = 15_000

/**
 * Logs when a wrong clock stops this instance from issuing alerts, and when it resumes. Returns a
 * function that ends the watch.
 */
export function watchClocks(ctx: Context, schedule: Scheduler = systemScheduler): () => void {
  let loggedTrouble: string | null = null
  const look = async () => {
    const trouble = await findClockTrouble(ctx)
    if (trouble !== null && loggedTrouble === null)
      ctx.logger.error({ reason: trouble }, 'issuing is stopped: a clock is wrong')
    if (trouble === null && loggedTrouble !== null) ctx.logger.info('the clocks are right, issuing resumes')
    loggedTrouble = trouble
  }
  // Nothing is issued while the database is unreachable, and that is logged elsewhere.
  return schedule.every(LOG_MS, () => void look().catch(() => {}))
}

/**
 * Runs work that issues alerts while this instance's clock is right. Ends the work when the clock
 * is wrong, so that another instance can take the lead.
 */
export async function whileClockIsRight(
  ctx: Context,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  schedule: Scheduler = systemScheduler,
): Promise<void> {
  const isWrong = async () => describeDifference(await readClocks(ctx, ctx.db)) !== null
  if (await isWrong()) return
  const wrong = new AbortController()
  const stop = schedule.every(CHECK_MS, () => {
    isWrong().then(
      (found) => found && wrong.abort(),
      () => {},
    )
  })
  try {
    await work(AbortSignal.any([signal, wrong.signal]))
  } finally {
    stop()
  }
}
