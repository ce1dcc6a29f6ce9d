import { recordActivity } from '../../activity-log.ts'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { lockNamedAccount } from '../sessions/service.ts'
import { cancellationMail, extensionMail } from './adjustment-mails.ts'
import * as store from './store.ts'
import { extendPeriods, isRunning } from './subscription.ts'

/** An admin's change to a user's subscription. */
interface Adjustment {
  by: AuditActor
  accountId: string
  reason: string | undefined
}

/**
 * Extends the running period and moves the queued periods.
 * @returns the new end of access
 * @throws Refusal not_found, no_active_subscription
 */
export async function extendSubscription(
  ctx: Context,
  { by, accountId, reason }: Adjustment,
  hours: number,
): Promise<Date> {
  const now = ctx.clock.now()
  return ctx.db.transaction(async (tx) => {
    const { email, periods } = await lockRunningPeriods(tx, accountId, now)
    const movedPeriods = extendPeriods(periods, now, hours)
    for (const { id, startsAt, endsAt } of movedPeriods) await store.updatePeriod(tx, id, { startsAt, endsAt })
    const endsAt = new Date(Math.max(...movedPeriods.map((period) => period.endsAt.getTime())))
    const detail = `Extended by ${formatHours(hours)}`
    await recordActivity(tx, { accountId, kind: 'subscription_extended', detail, at: now })
    await recordAudit(tx, {
      ...by,
      action: 'subscription_extended',
      subject: accountId,
      reason,
      detail: { hours, endsAt: endsAt.toISOString() },
      at: now,
    })
    if (email) await ctx.sendMail(tx, extensionMail(email, formatHours(hours), endsAt))
    await ctx.notifications.notify(tx, 'entitlement', accountId)
    return endsAt
  })
}

/**
 * Ends access now by cancelling the running and the queued periods.
 * @throws Refusal not_found, no_active_subscription
 */
export async function cancelSubscription(ctx: Context, { by, accountId, reason }: Adjustment): Promise<void> {
  const now = ctx.clock.now()
  await ctx.db.transaction(async (tx) => {
    const { email, periods } = await lockRunningPeriods(tx, accountId, now)
    for (const { id } of periods) await store.updatePeriod(tx, id, { cancelledAt: now })
    await recordActivity(tx, {
      accountId,
      kind: 'subscription_cancelled',
      detail: 'Cancelled by the operator',
      at: now,
    })
    await recordAudit(tx, {
      ...by,
      action: 'subscription_cancelled',
      subject: accountId,
      reason,
      detail: { periods: periods.length },
      at: now,
    })
    if (email) await ctx.sendMail(tx, cancellationMail(email))
    await ctx.notifications.notify(tx, 'entitlement', accountId)
  })
}

export function formatHours(hours: number): string {
  return hours === 1 ? '1 hour' : `${hours.toLocaleString('en-US')} hours`
}

async function lockRunningPeriods(tx: Tx, accountId: string, now: Date) {
  const { email } = await lockNamedAccount(tx, accountId)
  const periods = await store.listOpenPeriods(tx, accountId, now)
  if (!periods.some((period) => isRunning(period, now))) {
    throw new Refusal('no_active_subscription', 'This user has no active subscription.')
  }
  return { email, periods }
}
