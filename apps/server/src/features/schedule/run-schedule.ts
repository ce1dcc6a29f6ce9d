import { recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { pauseUntilDue } from '../../db/leader.ts'
import { Refusal } from '../../refusal.ts'
import { pickAlertContent } from '../alerts/alert.ts'
import type { IssueAlert } from '../alerts/issue-alerts.ts'
import { findAccounts, isStillPermitted } from '../settings/admin-accounts.ts'
import { MAX_LATE_MS } from './schedule.ts'
import * as store from './store.ts'

const BATCH = 20
/**
 * Stored in `problem` of a scheduled alert that is cancelled because its author was suspended or
 * lost the permission.
 */
const AUTHOR_NOT_PERMITTED = 'Its author may no longer issue alerts. To issue it, schedule it again.'

/**
 * Issues scheduled alerts when they are due, until `signal` aborts. Only one instance runs this.
 */
export async function runSchedule(ctx: Context, signal: AbortSignal, issueAlert: IssueAlert): Promise<void> {
  while (!signal.aborted) {
    try {
      await issueDueAlerts(ctx, issueAlert)
    } catch (error) {
      ctx.logger.error({ err: error }, 'issuing scheduled alerts failed, trying again')
    }
    await pauseUntilDue(ctx.notifications, () => store.selectDueAfterMs(computeDueTimes(ctx)), signal)
  }
}

/**
 * Runs one round. Each row is marked in the transaction that logs the alert, so an alert is not
 * issued twice after a crash or by a second instance. The time of the alert in the log is the time
 * of issue. Cancels alerts whose author was suspended or lost the permission to issue alerts since.
 */
export async function issueDueAlerts(ctx: Context, issueAlert: IssueAlert): Promise<void> {
  const { now, notBefore } = computeDueTimes(ctx)
  for (const dueAlert of await store.listDue(ctx.db, now, notBefore, BATCH)) {
    try {
      if (!(await isAuthorPermitted(ctx, dueAlert))) {
        await cancelUnpermitted(ctx, dueAlert)
        continue
      }
      await issueAlert({
        content: pickAlertContent(dueAlert),
        origin: 'admin',
        broadcast: true,
        async alsoWrite(tx, alertId) {
          const at = ctx.clock.now()
          if (!(await store.markIssued(tx, dueAlert, alertId, at))) throw new NoLongerWaiting()
          const by = { actorId: dueAlert.createdBy, requestId: 'schedule' }
          const detail = { broadcast: true, scheduled: dueAlert.id }
          await recordAudit(tx, { ...by, action: 'alert_created', subject: alertId, detail, at })
        },
      })
      ctx.logger.info({ scheduledId: dueAlert.id }, 'scheduled alert issued')
    } catch (error) {
      if (error instanceof NoLongerWaiting) continue
      ctx.logger.error({ err: error, scheduledId: dueAlert.id }, 'a scheduled alert could not be issued, trying again')
      const problem = error instanceof Refusal ? error.message : 'The server could not issue it. See its log.'
      // If the connection broke during the commit, the alert may have been issued nevertheless.
      await ctx.db.transaction((tx) => store.updateProblem(tx, dueAlert, problem))
    }
  }
}

async function isAuthorPermitted(ctx: Context, { createdBy }: store.ScheduledRow): Promise<boolean> {
  const accounts = await findAccounts(ctx.db, [createdBy])
  return isStillPermitted(accounts.get(createdBy ?? ''), 'alerts.publish')
}

async function cancelUnpermitted(ctx: Context, dueAlert: store.ScheduledRow): Promise<void> {
  const at = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    if (!(await store.markRefused(tx, dueAlert, AUTHOR_NOT_PERMITTED, at))) throw new NoLongerWaiting()
    const reason = 'Its author may no longer issue alerts'
    const by = { actorId: null, requestId: 'schedule' }
    await recordAudit(tx, { ...by, action: 'scheduled_alert_cancelled', subject: dueAlert.id, reason, at })
  })
  ctx.logger.warn(
    { scheduledId: dueAlert.id },
    'a scheduled alert was cancelled: its author may no longer issue alerts',
  )
}

function computeDueTimes(ctx: Context): { now: Date; notBefore: Date } {
  const now = ctx.clock.now()
  return { now, notBefore: new Date(now.getTime() - MAX_LATE_MS) }
}

/**
 * Thrown if another instance has issued the alert, or if it was changed or cancelled since it was
 * read.
 */
class NoLongerWaiting extends Error {}
