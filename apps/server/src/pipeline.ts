import { configuredContexts } from './chain/payment-chains.ts'
import type { Context } from './context.ts'
import { lead, leaderLocks } from './db/leader.ts'
import { endLapsedSession, sweepAccounts } from './features/accounts/service.ts'
import { removeUnlessLast } from './features/accounts/ways-in.ts'
import type { IssueAlert } from './features/alerts/issue-alerts.ts'
import { runFeed } from './features/feed/service.ts'
import { watchPayments } from './features/payments/watcher.ts'
import { mailSubscribers } from './features/receipts/mail-subscribers.ts'
import { noteEnds } from './features/subscriptions/note-ends.ts'
import { anchorLog } from './features/tlog/anchor-log.ts'
import { watchClocks, whileClockIsRight } from './features/tlog/clock-watch.ts'
import { watchWallets } from './features/wallets/recheck.ts'
import { deleteExpiredAnswers } from './http/idempotency.ts'
import { purchases } from './purchases.ts'
import { systemScheduler } from './scheduler.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * All that happens by itself: payments -> subscriptions; feed -> alerts -> log -> anchors. Each is done by one instance at a time, and begins from what the tables
 * say. Returns what stops it.
 */
export function startPipeline(ctx: Context, issueAlert: IssueAlert): () => Promise<void> {
  const { databaseUrl } = ctx.config
  const stops = [
    lead(databaseUrl, leaderLocks.payments, ctx.logger, (signal) =>
      watchEachChain(ctx, (context) => watchPayments(context, signal, purchases)),
    ),
    lead(databaseUrl, leaderLocks.feed, ctx.logger, (signal) =>
      whileClockIsRight(ctx, signal, (until) => runFeed(ctx, until, { issueAlert })),
    ),
    lead(databaseUrl, leaderLocks.wallets, ctx.logger, (signal) =>
      watchWallets(ctx, signal, { endSession: endLapsedSession, removeUnlessLast }),
    ),
    lead(databaseUrl, leaderLocks.subscriberMails, ctx.logger, (signal) => mailSubscribers(ctx, signal)),
    lead(databaseUrl, leaderLocks.anchoring, ctx.logger, (signal) => anchorLog(ctx, signal)),
  ]
  const stopSweeping = systemScheduler.every(HOUR_MS, () => {
    sweepAccounts(ctx).catch((error: unknown) => ctx.logger.error({ err: error }, 'sweeping old sessions failed'))
    deleteExpiredAnswers(ctx).catch((error: unknown) => ctx.logger.error({ err: error }, 'deleting old answers failed'))
  })
  const stopNoting = systemScheduler.every(MINUTE_MS, () => {
    noteEnds(ctx).catch((error: unknown) => ctx.logger.error({ err: error }, 'noting ended plans failed'))
  })
  const stopWatchingClocks = watchClocks(ctx)
  return async () => {
    stopWatchingClocks()
    stopSweeping()
    stopNoting()
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** What is paid counts on every configured chain, whichever is chosen for new payments. */
async function watchEachChain(ctx: Context, watch: (ctx: Context) => Promise<void>): Promise<void> {
  await Promise.all(configuredContexts(ctx).map(watch))
}
