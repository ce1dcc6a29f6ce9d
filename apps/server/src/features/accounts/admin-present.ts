import { type AdminUser, type AdminUserDetail, getPlan, type PlanId } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { describeDevice } from '../sessions/device.ts'
import type { Session } from '../sessions/store.ts'
import { findEntitlementAt, isRunning } from '../subscriptions/subscription.ts'
import type * as store from './admin-store.ts'

/**
 * Presents a user to staff.
 * @param periods may include periods of other accounts
 * @param paidSums sums by account; null for a role that may not see payments
 */
export function presentUser(
  row: store.UserRow,
  periods: readonly store.OpenPeriod[],
  paidSums: ReadonlyMap<string, string> | null,
  now: Date,
): AdminUser {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    emailVerified: row.emailVerifiedAt !== null,
    walletAddress: row.wallets[0] ?? null,
    wallets: row.wallets,
    isAdmin: row.role !== 'user',
    role: row.role,
    createdAt: row.createdAt.toISOString(),
    suspendedAt: row.suspendedAt?.toISOString() ?? null,
    lastSeenAt: row.lastSeenAt?.toISOString() ?? null,
    paidWei: paidSums && (paidSums.get(row.id) ?? '0'),
    activeSubscription: presentActive(
      periods.filter(({ accountId }) => accountId === row.id),
      now,
      paidSums !== null,
    ),
  }
}

function presentActive(
  periods: readonly store.OpenPeriod[],
  now: Date,
  showsPayment: boolean,
): AdminUser['activeSubscription'] {
  const runningPeriod = periods.find((period) => isRunning(period, now))
  const entitlement = findEntitlementAt(periods, now)
  if (!runningPeriod || !entitlement) return null
  return {
    planType: runningPeriod.planId,
    tokenAmount: showsPayment ? runningPeriod.amountWei.toString() : null,
    startTime: runningPeriod.startsAt.toISOString(),
    endTime: entitlement.endsAt.toISOString(),
    transactionHash: showsPayment ? runningPeriod.txHash : null,
    extendedHours: extendedHours(runningPeriod),
  }
}

type SubscriptionRow = Awaited<ReturnType<typeof store.listSubscriptions>>[number]
type PaymentRow = Awaited<ReturnType<typeof store.listPayments>>[number]

/** @param showsPayment false for a role that may not see payments */
export function presentPeriod(
  { period, amountWei, txHash }: SubscriptionRow,
  now: Date,
  showsPayment: boolean,
): AdminUserDetail['subscriptions'][number] {
  return {
    id: period.id,
    state: getPeriodState(period, now),
    planType: period.planId,
    tokenAmount: showsPayment ? amountWei.toString() : null,
    startTime: period.startsAt.toISOString(),
    endTime: period.endsAt.toISOString(),
    transactionHash: showsPayment ? txHash : null,
    extendedHours: extendedHours(period),
  }
}

/**
 * Returns the hours that admins added: the length of the period minus that of its plan. Any other
 * change moves a period without changing its length.
 */
function extendedHours({ planId, startsAt, endsAt }: { planId: PlanId; startsAt: Date; endsAt: Date }): number {
  return Math.max(0, Math.round((endsAt.getTime() - startsAt.getTime()) / HOUR_MS) - getPlan(planId).hours)
}

type ExtensionRow = Awaited<ReturnType<typeof store.listExtensions>>[number]

export function presentExtension({ entry, actorName }: ExtensionRow): AdminUserDetail['extensions'][number] {
  return {
    id: String(entry.id),
    at: entry.at.toISOString(),
    hours: Number(entry.detail.hours),
    by: entry.actorId === null ? null : { id: entry.actorId, name: actorName },
    reason: entry.reason,
  }
}

function getPeriodState(
  period: SubscriptionRow['period'],
  now: Date,
): AdminUserDetail['subscriptions'][number]['state'] {
  if (period.cancelledAt) return 'cancelled'
  if (period.revokedAt) return 'revoked'
  if (period.endsAt <= now) return 'ended'
  return period.startsAt <= now ? 'running' : 'queued'
}

export function presentPayment(row: PaymentRow): AdminUserDetail['payments'][number] {
  return {
    id: row.id,
    chainId: row.chainId,
    transactionHash: row.txHash,
    payer: row.payer,
    tokenAmount: row.amountWei.toString(),
    planType: row.planId,
    at: row.blockAt.toISOString(),
    state: row.revertedAt ? 'reverted' : 'credited',
  }
}

export function presentSession(row: Session): AdminUserDetail['sessions'][number] {
  return {
    id: row.id,
    device: describeDevice(row.userAgent),
    remembered: row.remembered,
    createdAt: row.createdAt.toISOString(),
    lastSeenAt: row.lastSeenAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }
}
