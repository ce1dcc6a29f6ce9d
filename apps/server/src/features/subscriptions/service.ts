import { getPlan, type PlanId, type Subscription } from '@tocsin/protocol'
import { recordActivities, recordActivity } from '../../activity-log.ts'
import { formatIto, type Transfer } from '../../chain/transfer.ts'
import { coalescePerContext } from '../../coalesce.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { presentSubscription } from './present.ts'
import { revocationMail } from './revocation-mail.ts'
import * as store from './store.ts'
import { addHours, closeGaps, type Entitlement, findEntitlementAt, findNextStart, isRunning } from './subscription.ts'

export type CreditedTransfer = Omit<Transfer, 'recipient'>

/** Returns subscriptions by payment id, in the form that the account's owner sees. */
export async function findSubscriptions(ctx: Context, paymentIds: string[]): Promise<Map<string, Subscription>> {
  const rows = await store.listSubscriptionsByPayment(ctx.db, paymentIds)
  const now = ctx.clock.now()
  return new Map(rows.map((row) => [row.paymentId ?? '', presentSubscription(row, now)]))
}

/** Returns the running period, with `endsAt` set to the end of access, or null. */
export async function findActiveSubscription(ctx: Context, accountId: string): Promise<store.PaidSubscription | null> {
  const now = ctx.clock.now()
  const periods = await store.listOpenPeriods(ctx.db, accountId, now)
  const runningPeriod = periods.find((period) => isRunning(period, now))
  const entitlement = findEntitlementAt(periods, now)
  const paidSubscription = runningPeriod && (await store.findSubscription(ctx.db, runningPeriod.id))
  return paidSubscription && entitlement ? { ...paidSubscription, endsAt: entitlement.endsAt } : null
}

/** True if the account has a running period. */
export async function isSubscribed(tx: Queryable, accountId: string, now: Date): Promise<boolean> {
  return findEntitlementAt(await store.listOpenPeriods(tx, accountId, now), now) !== null
}

/**
 * Returns the account's access at `now`, or null if no period is running. Queued periods that
 * follow without a gap extend `endsAt`.
 */
export async function findEntitlement(ctx: Context, accountId: string, now: Date): Promise<Entitlement | null> {
  return findEntitlementAt(await store.listOpenPeriods(ctx.db, accountId, now), now)
}

/**
 * Like `findEntitlement`, at the current time. Concurrent calls share a query. The query starts
 * after these calls, so each call sees every change made before it.
 */
export const findEntitlementNow = coalescePerContext(findEntitlements)

/** Returns the entitlements of several accounts, in the order of the ids. */
export async function findEntitlements(ctx: Context, accountIds: string[]): Promise<(Entitlement | null)[]> {
  const now = ctx.clock.now()
  const byAccount = new Map<string, store.SubscriptionRow[]>()
  for (const period of await store.listOpenPeriodsOf(ctx.db, [...new Set(accountIds)], now)) {
    byAccount.set(period.accountId, [...(byAccount.get(period.accountId) ?? []), period])
  }
  return accountIds.map((accountId) => findEntitlementAt(byAccount.get(accountId) ?? [], now))
}

/**
 * Returns the periods in which the account had access, in order. A cancelled period ends at its
 * cancellation. Revoked periods are left out.
 */
export async function listPastPeriods(ctx: Context, accountId: string, now: Date): Promise<Entitlement[]> {
  const periods = await store.listPeriods(ctx.db, accountId)
  return periods.flatMap(({ planId, startsAt, endsAt, cancelledAt, revokedAt }) => {
    const end = cancelledAt && cancelledAt < endsAt ? cancelledAt : endsAt
    return revokedAt || startsAt > now || end <= startsAt ? [] : [{ planId, startsAt, endsAt: end }]
  })
}

/**
 * Revokes the period of a payment that was removed from the chain by a reorg. The periods queued
 * behind it start earlier.
 */
export async function revokePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void> {
  const subscription = await store.findSubscriptionByPayment(tx, paymentId)
  if (!subscription) return
  const { accountId, cancelledAt } = subscription
  const now = ctx.clock.now()
  const account = await lockAccount(tx, accountId)
  await store.updatePeriod(tx, subscription.id, { revokedAt: now })
  for (const { id, startsAt, endsAt } of closeGaps(await store.listOpenPeriods(tx, accountId, now), now)) {
    await store.updatePeriod(tx, id, { startsAt, endsAt })
  }
  const { amountWei, txHash } = subscription
  if (txHash === null) throw new Error('The period has no payment')
  const removalText = `${formatIto(amountWei)} was removed from the chain by a reorganisation`
  const detail = cancelledAt
    ? removalText
    : `${removalText}; the plan is paused until the payment is on the chain again`
  await recordActivity(tx, { accountId, kind: 'payment_reverted', detail, reference: txHash, at: now })
  if (!cancelledAt && account?.email)
    await ctx.sendMail(tx, revocationMail(account.email, formatIto(amountWei), txHash))
  await ctx.notifications.notify(tx, 'entitlement', accountId)
}

/**
 * Restores the period of a payment that is on the chain again. The period starts after the
 * account's other periods. A cancelled period stays cancelled and keeps its times, because they say
 * when the account had access.
 */
export async function restorePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void> {
  const subscription = await store.findSubscriptionByPayment(tx, paymentId)
  if (!subscription) return
  const { accountId, cancelledAt } = subscription
  const now = ctx.clock.now()
  await lockAccount(tx, accountId)
  const startsAt = findNextStart(await store.listOpenPeriods(tx, accountId, now), now)
  const endsAt = new Date(startsAt.getTime() + subscription.endsAt.getTime() - subscription.startsAt.getTime())
  await store.updatePeriod(tx, subscription.id, { ...(cancelledAt ? {} : { startsAt, endsAt }), revokedAt: null })
  const detail = `${formatIto(subscription.amountWei)} is on the chain again${cancelledAt ? '' : '; the plan continues'}`
  const reference = subscription.txHash
  if (reference === null) throw new Error('The period has no payment')
  await recordActivity(tx, { accountId, kind: 'payment_restored', detail, reference, at: now })
  await ctx.notifications.notify(tx, 'entitlement', accountId)
}

/** Returns the account's periods for the data export. */
export async function exportSubscriptions(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await store.listPeriods(ctx.db, accountId)
  return rows.map(({ accountId: _owner, ...row }) => row)
}

/** A recorded payment that starts a period. */
export interface Credit {
  accountId: string
  planId: PlanId
  transfer: CreditedTransfer
  paymentId: string
  /** Amount of the transfer, or the sum of the payments of its order. */
  paidWei: bigint
}

/**
 * Starts a period for each payment. It begins when the account's last period ends, or now if the
 * account has no open period. Callers must hold the locks of the accounts.
 * @returns period ids by payment id
 */
export async function startPeriods(ctx: Context, tx: Tx, credits: readonly Credit[]): Promise<Map<string, string>> {
  const now = ctx.clock.now()
  const accountIds = [...new Set(credits.map(({ accountId }) => accountId))]
  const openPeriods: { accountId: string; endsAt: Date }[] = await store.listOpenPeriodsOf(tx, accountIds, now)
  const periods: store.NewPeriod[] = []
  for (const { accountId, planId, paymentId } of credits) {
    const ownPeriods = [...openPeriods, ...periods].filter((period) => period.accountId === accountId)
    const startsAt = findNextStart(ownPeriods, now)
    const endsAt = addHours(startsAt, getPlan(planId).hours)
    periods.push({ accountId, paymentId, planId, startsAt, endsAt, createdAt: now })
  }
  const ids = await store.insertSubscriptions(tx, periods)
  await recordActivities(
    tx,
    credits.map(({ accountId, planId, transfer, paidWei }) => ({
      accountId,
      kind: 'plan_paid',
      detail: `${getPlan(planId).name}, ${formatIto(paidWei)}`,
      reference: transfer.txHash,
      at: now,
    })),
  )
  await ctx.notifications.notifyAll(tx, 'entitlement', accountIds)
  return ids
}

/** A plan granted without a payment, by an admin or by a coupon that covers the whole price. */
export interface Grant {
  accountId: string
  planId: PlanId
  grantId: string
}

/**
 * Starts a period for a granted plan. It begins when the account's last period ends, or now if the
 * account has no open period. Callers must hold the lock of the account.
 * @returns the period
 */
export async function startGrantedPeriod(
  ctx: Context,
  tx: Tx,
  { accountId, planId, grantId }: Grant,
): Promise<store.PaidSubscription> {
  const now = ctx.clock.now()
  const startsAt = findNextStart(await store.listOpenPeriods(tx, accountId, now), now)
  const endsAt = addHours(startsAt, getPlan(planId).hours)
  const ids = await store.insertSubscriptions(tx, [{ accountId, grantId, planId, startsAt, endsAt, createdAt: now }])
  const period = await store.findSubscription(tx, ids.get(grantId) ?? '')
  if (!period) throw new Error('The granted period was not stored')
  await recordActivity(tx, { accountId, kind: 'plan_granted', detail: getPlan(planId).name, at: now })
  await ctx.notifications.notify(tx, 'entitlement', accountId)
  return period
}
