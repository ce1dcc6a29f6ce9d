import type { Context } from '../../context.ts'
import * as store from './store.ts'

/**
 * From now on nothing is appended or anchored on any instance, over restarts, until an operator has looked. In a transaction of
 * its own: the one that found the fault is rolled back.
 */
export async function stopLog(ctx: Context, reason: string): Promise<void> {
  ctx.logger.fatal({ reason }, 'the log is stopped: it is damaged or differs from what is anchored')
  try {
    await store.insertStop(ctx.db, reason, ctx.clock.now())
  } catch (error) {
    // Whoever looks next finds the same fault, and stops then.
    ctx.logger.error({ err: error }, 'that the log is stopped could not be saved')
  }
}
