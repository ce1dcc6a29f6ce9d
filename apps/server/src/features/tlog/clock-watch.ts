import type { Context } from '../../context.ts'
import { type Scheduler, systemScheduler } from '../../scheduler.ts'
import { describeDifference, findClockTrouble, readClocks } from './entry-time.ts'

const LOOK_MS = 5_000

/** Logs when this instance stops issuing because of a clock, and when it goes on. Returns what stops the watch. */
export function watchClocks(ctx: Context, schedule: Scheduler = systemScheduler): () => void {
  let told: string | null = null
  const look = async () => {
    const trouble = await findClockTrouble(ctx)
    if (trouble !== null && told === null) ctx.logger.error({ reason: trouble }, 'issuing is stopped: a clock is wrong')
    if (trouble === null && told !== null) ctx.logger.info('the clocks are right, issuing goes on')
    told = trouble
  }
  // While the database is away nothing is issued, and others say why.
  return schedule.every(LOOK_MS, () => void look().catch(() => {}))
}

/**
 * Runs work that issues alerts while this instance's clock is right. If it is not, the work ends, so that another instance
 * can lead it.
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
  const stop = schedule.every(LOOK_MS, () => {
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
