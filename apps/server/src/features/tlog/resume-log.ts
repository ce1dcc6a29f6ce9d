import { operator, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { assertLogMatchesChain } from './check-log.ts'
import * as store from './store.ts'

/**
 * Resumes a stopped log after an operator has resolved the problem.
 * @returns why the log was stopped, or null if it was not stopped
 * @throws LogFault while the log is still damaged or differs from the anchored one
 * @throws AnchorNodeUnreachable if the log could not be compared with the chain
 */
export async function resumeLog(ctx: Context): Promise<store.LogStop | null> {
  const logStop = await store.findStop(ctx.db)
  if (!logStop) return null
  // Throws LogFault if the head is damaged. `assertLogMatchesChain` does not read the head of a log
  // without anchors.
  await store.findHead(ctx.db)
  await assertLogMatchesChain(ctx)
  await ctx.db.transaction(async (tx) => {
    await store.deleteStop(tx)
    const detail = { stoppedFor: logStop.reason }
    await recordAudit(tx, { ...operator, action: 'log_resumed', subject: null, detail, at: ctx.clock.now() })
  })
  ctx.logger.warn({ reason: logStop.reason }, 'the log was resumed by an operator')
  return logStop
}
