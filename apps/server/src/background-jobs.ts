import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@tocsin/protocol/durations'
import { listChainContexts } from './chain/payment-chains.ts'
import type { Context } from './context.ts'
import { type Job, type LeaseTimes, openLeadership, type Term, withFencing } from './db/leader.ts'
import { deleteExpiredAccountData } from './features/accounts/service.ts'
import type { IssueAlert } from './features/alerts/issue-alerts.ts'
import { mergePaymentDays } from './features/business/revenue-store.ts'
import { runChannels } from './features/channels/run-channels.ts'
import { applyDueResets } from './features/factors/reset.ts'
import { runFeed } from './features/feed/service.ts'
import { runMessages } from './features/outreach/run-messages.ts'
import { watchPayments } from './features/payments/watcher.ts'
import { mailSubscribers } from './features/receipts/mail-subscribers.ts'
import { runSchedule } from './features/schedule/run-schedule.ts'
import { forwardSecurityEvents } from './features/security/write-out.ts'
import { applyDueChanges } from './features/settings/protected-changes.ts'
import { recordExpiredSubscriptions } from './features/subscriptions/record-expired-subscriptions.ts'
import { deleteOldSupportMessages } from './features/support/old-support-messages.ts'
import { anchorLog } from './features/tlog/anchor-log.ts'
import { runWithCorrectClock } from './features/tlog/clock-watch.ts'
import { recheckContractWallets } from './features/wallets/recheck.ts'
import { deleteExpiredResponses } from './http/idempotency.ts'
import { pause } from './pause.ts'
import { systemScheduler } from './scheduler.ts'

export interface BackgroundJobs {
  /** Jobs led by this instance. */
  listLedJobs(): Job[]
  /** Stops all jobs and releases their leases. */
  stop(): Promise<void>
}

/**
 * Starts the background jobs, which for example credit payments, receive the feed and anchor the
 * log. Each job runs on one instance at a time and resumes from the state in the database. The
 * transactions of a job are fenced: a late transaction of an instance that has lost its lease
 * fails.
 */
export function startBackgroundJobs(ctx: Context, issueAlert: IssueAlert, times?: LeaseTimes): BackgroundJobs {
  const leadership = openLeadership(ctx.config.databaseUrl, ctx.notifications, ctx.logger, times)
  const leadJob = (job: Job, work: (ctx: Context, signal: AbortSignal) => Promise<void>) =>
    leadership.lead(job, (term: Term) => work({ ...ctx, db: withFencing(ctx.db, term) }, term.signal))
  const stops = [
    leadJob('payments', (fencedCtx, signal) => watchEachChain(fencedCtx, (context) => watchPayments(context, signal))),
    leadJob('feed', (fencedCtx, signal) =>
      runWithCorrectClock(fencedCtx, signal, (clockSignal) => runFeed(fencedCtx, clockSignal, { issueAlert })),
    ),
    leadJob('wallets', recheckContractWallets),
    leadJob('subscriberMails', async (fencedCtx, signal) => {
      const recordExpired = () => recordExpiredSubscriptions(fencedCtx)
      const recording = repeat(ctx, signal, MINUTE_MS, 'recording expired subscriptions', recordExpired)
      await Promise.all([mailSubscribers(fencedCtx, signal), recording])
    }),
    leadJob('channels', (fencedCtx, signal) => runChannels(fencedCtx, signal, ctx)),
    leadJob('securityLog', forwardSecurityEvents),
    leadJob('protectedChanges', async (fencedCtx, signal) => {
      const [applyChanges, applyResets] = [() => applyDueChanges(fencedCtx), () => applyDueResets(fencedCtx)]
      await Promise.all([
        repeat(ctx, signal, 10 * SECOND_MS, 'applying approved changes', applyChanges),
        repeat(ctx, signal, MINUTE_MS, 'applying resets of second factors', applyResets),
      ])
    }),
    leadJob('messages', runMessages),
    leadJob('schedule', (fencedCtx, signal) =>
      runWithCorrectClock(fencedCtx, signal, (clockSignal) => runSchedule(fencedCtx, clockSignal, issueAlert)),
    ),
    leadJob('anchoring', anchorLog),
  ]
  const stopHourly = systemScheduler.every(HOUR_MS, () => {
    for (const [description, work] of [
      ['deleting expired account data', deleteExpiredAccountData(ctx)],
      ['deleting expired idempotency responses', deleteExpiredResponses(ctx)],
      ['deleting old support messages', deleteOldSupportMessages(ctx)],
      ['merging the sums of payments by day', mergePaymentDays(ctx.db)],
    ] as const) {
      work.catch((error: unknown) => ctx.logger.error({ err: error }, `${description} failed`))
    }
  })
  return {
    listLedJobs: leadership.held,
    async stop() {
      stopHourly()
      await Promise.all(stops.map((stop) => stop()))
      await leadership.close()
    },
  }
}

/**
 * Runs `runRound` with pauses of `pauseMs` until `signal` aborts. A failed round is logged and does
 * not end the repetition.
 * @param description description of the work for the log
 */
async function repeat(
  ctx: Context,
  signal: AbortSignal,
  pauseMs: number,
  description: string,
  runRound: () => Promise<void>,
) {
  while (!signal.aborted) {
    await runRound().catch((error: unknown) => ctx.logger.error({ err: error }, `${description} failed`))
    await pause(pauseMs, signal)
  }
}

/**
 * Runs `watch` for every configured chain, because payments are credited on all of them, not only
 * on the chain that is selected for new purchases.
 */
async function watchEachChain(ctx: Context, watch: (ctx: Context) => Promise<void>): Promise<void> {
  await Promise.all(listChainContexts(ctx).map(watch))
}
