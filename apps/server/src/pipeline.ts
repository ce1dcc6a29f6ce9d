import type { Context } from './context.ts'
import { lead, leaderLocks } from './db/leader.ts'
import { sweepAccounts } from './features/accounts/service.ts'
import { issueAlert } from './features/alerts/service.ts'
import { runFeed } from './features/feed/service.ts'
import { recordPayment } from './features/payments/service.ts'
import { watchPayments } from './features/payments/watcher.ts'
import { creditTransfer, restorePayment, revokePayment } from './features/subscriptions/service.ts'
import { anchorLog } from './features/tlog/anchor-log.ts'
import { appendEntry } from './features/tlog/service.ts'
import { systemScheduler } from './scheduler.ts'

const HOUR_MS = 3_600_000

/**
 * All that happens by itself: payments -> subscriptions; feed -> alerts -> log -> anchors. Each is done by one instance at a time, and begins from what the tables
 * say. Returns what stops it.
 */
export function startPipeline(ctx: Context): () => Promise<void> {
  const { databaseUrl } = ctx.config
  const stops = [
    lead(databaseUrl, leaderLocks.payments, ctx.logger, (signal) =>
      watchPayments(ctx, signal, {
        creditTransfer: (_ctx, credit) => creditTransfer(ctx, recordPayment, credit),
        revokePayment,
        restorePayment,
      }),
    ),
    lead(databaseUrl, leaderLocks.feed, ctx.logger, (signal) =>
      runFeed(ctx, signal, { issueAlert: (alert) => issueAlert(ctx, appendEntry, alert) }),
    ),
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
