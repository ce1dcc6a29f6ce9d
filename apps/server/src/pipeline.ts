import { configuredContexts } from './chain/payment-chains.ts'
import type { Context } from './context.ts'
import { lead, leaderLocks } from './db/leader.ts'
import { sweepAccounts } from './features/accounts/service.ts'
import type { IssueAlert } from './features/alerts/issue-alerts.ts'
import { runFeed } from './features/feed/service.ts'
import { recordPayment } from './features/payments/service.ts'
import { watchPayments } from './features/payments/watcher.ts'
import { creditTransfer, restorePayment, revokePayment } from './features/subscriptions/service.ts'
import { anchorLog } from './features/tlog/anchor-log.ts'
import { systemScheduler } from './scheduler.ts'

const HOUR_MS = 3_600_000

/**
 * All that happens by itself: payments -> subscriptions; feed -> alerts -> log -> anchors. Each is done by one instance at a time, and begins from what the tables
 * say. Returns what stops it.
 */
export function startPipeline(ctx: Context, issueAlert: IssueAlert): () => Promise<void> {
  const { databaseUrl } = ctx.config
  const stops = [
    lead(databaseUrl, leaderLocks.payments, ctx.logger, (signal) =>
      watchEachChain(ctx, (context) =>
        watchPayments(context, signal, {
          creditTransfer: (_ctx, credit) => creditTransfer(ctx, recordPayment, credit),
          revokePayment,
          restorePayment,
        }),
      ),
    ),
    lead(databaseUrl, leaderLocks.feed, ctx.logger, (signal) => runFeed(ctx, signal, { issueAlert })),
    lead(databaseUrl, leaderLocks.anchoring, ctx.logger, (signal) => anchorLog(ctx, signal)),
  ]
  const stopSweeping = systemScheduler.every(HOUR_MS, () => {
    sweepAccounts(ctx).catch((error: unknown) => ctx.logger.error({ err: error }, 'sweeping old sessions failed'))
  })
  return async () => {
    stopSweeping()
    await Promise.all(stops.map((stop) => stop()))
  }
}

/** What is paid counts on every configured chain, whichever is chosen for new payments. */
async function watchEachChain(ctx: Context, watch: (ctx: Context) => Promise<void>): Promise<void> {
  await Promise.all(configuredContexts(ctx).map(watch))
}
