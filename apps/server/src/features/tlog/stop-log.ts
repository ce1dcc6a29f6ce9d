import type { Context } from '../../context.ts'
import * as store from './store.ts'

/**
 * Stops appending and anchoring on all instances, across restarts, until an operator resumes the
 * log. Uses a separate transaction, because the transaction that found the problem is rolled back.
 */
export async function stopLog(ctx: Context, reason: string): Promise<void> {
  ctx.logger.fatal({ reason }, 'the log is stopped: it is damaged or differs from the anchored log')
  try {
    await store.insertStop(ctx.db, reason, ctx.clock.now())
  } catch (error) {
    // The next append or anchor detects the same problem and tries to stop the log again.
    ctx.logger.error({ err: error }, 'the stop of the log could not be stored')
  }
}
