import { configuredContexts } from './chain/payment-chains.ts'
import type { Context } from './context.ts'
import { fenced, type Job, type LeaseTimes, openLeadership, type Term } from './db/leader.ts'
import { deleteExpiredAccountData, endLapsedSession } from './features/accounts/service.ts'
import { removeUnlessLast } from './features/accounts/ways-in.ts'
import type { IssueAlert } from './features/alerts/issue-alerts.ts'
import { runFeed } from './features/feed/service.ts'
import { watchPayments } from './features/payments/watcher.ts'
import { mailSubscribers } from './features/receipts/mail-subscribers.ts'
import { recordExpiredSubscriptions } from './features/subscriptions/record-expired-subscriptions.ts'
import { anchorLog } from './features/tlog/anchor-log.ts'
import { watchClocks, whileClockIsRight } from './features/tlog/clock-watch.ts'
import { recheckContractWallets } from './features/wallets/recheck.ts'
import { deleteExpiredAnswers } from './http/idempotency.ts'
import { purchases } from './purchases.ts'
import { systemScheduler } from './scheduler.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

export interface Pipeline {
  /** Jobs that this instance runs now, and no other. */
  leads(): Job[]
  /** Ends every job and releases its lease. */
  stop(): Promise<void>
}

/**
 * All that happens by itself: payments -> subscriptions; feed -> alerts -> log -> anchors. One instance at a time does each, begins from what the tables
 * say, and fences its transactions: a late one of an instance that has lost its lease fails.
 */
export function startPipeline(ctx: Context, issueAlert: IssueAlert, times?: LeaseTimes): Pipeline {
  const leadership = openLeadership(ctx.config.databaseUrl, ctx.logger, times)
  const lead = (job: Job, work: (ctx: Context, signal: AbortSignal) => Promise<void>) =>
    leadership.lead(job, (term: Term) => work({ ...ctx, db: fenced(ctx.db, term) }, term.signal))
  const stops = [
    lead('payments', (fencedCtx, signal) =>
      watchEachChain(fencedCtx, (context) => watchPayments(context, signal, purchases)),
    ),
    lead('feed', (fencedCtx, signal) =>
      whileClockIsRight(fencedCtx, signal, (until) => runFeed(fencedCtx, until, { issueAlert })),
    ),
    lead('wallets', (fencedCtx, signal) =>
      recheckContractWallets(fencedCtx, signal, { endSession: endLapsedSession, removeUnlessLast }),
    ),
    lead('subscriberMails', mailSubscribers),
    lead('anchoring', (fencedCtx, signal) => anchorLog(fencedCtx, signal)),
  ]
  const stopDeletingExpired = systemScheduler.every(HOUR_MS, () => {
    deleteExpiredAccountData(ctx).catch((error: unknown) =>
      ctx.logger.error({ err: error }, 'deleting expired account data failed'),
    )
    deleteExpiredAnswers(ctx).catch((error: unknown) =>
      ctx.logger.error({ err: error }, 'deleting expired idempotency answers failed'),
    )
  })
  const stopRecordingExpired = systemScheduler.every(MINUTE_MS, () => {
    recordExpiredSubscriptions(ctx).catch((error: unknown) =>
      ctx.logger.error({ err: error }, 'recording expired subscriptions failed'),
    )
  })
  const stopWatchingClocks = watchClocks(ctx)
  return {
    leads: leadership.held,
    async stop() {
      stopWatchingClocks()
      stopDeletingExpired()
      stopRecordingExpired()
      await Promise.all(stops.map((stop) => stop()))
      await leadership.close()
    },
  }
}

/** What is paid counts on every configured chain, whichever is chosen for new payments. */
async function watchEachChain(ctx: Context, watch: (ctx: Context) => Promise<void>): Promise<void> {
  await Promise.all(configuredContexts(ctx).map(watch))
}
