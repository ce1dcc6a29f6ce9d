import type { Hex } from '@tocsin/proof'
import { getPlan, type Plan, type PlanId, type Subscription } from '@tocsin/protocol'
import { recordActivities, recordActivity } from '../../activity-log.ts'
import { formatIto, type Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { presentSubscription } from './present.ts'
import { writeRevocation } from './revocation-mail.ts'
import * as store from './store.ts'
import { addHours, closeGaps, type Entitlement, entitlementAt, isRunning, nextStart } from './subscription.ts'

export type CreditedTransfer = Omit<Transfer, 'recipient'>

/**
 * Records a transfer as a payment. Returns the payment's id, or null if it was already recorded.
 */
export type RecordPayment = (
  tx: Tx,
  payment: { transfer: CreditedTransfer; accountId: string; planId: PlanId; now: Date },
) => Promise<string | null>

/** The operations on payments that subscriptions need. */
export interface Payments {
  /** Transfers of a transaction that pay for the plan; at least one. Throws a Refusal otherwise. */
  findTransfers(
    ctx: Context,
    claim: { accountId: string; txHash: Hex; plan: Plan; payers: readonly string[] },
  ): Promise<readonly CreditedTransfer[]>
  recordPayment: RecordPayment
}

interface Purchase {
  accountId: string
  plan: Plan
  txHash: Hex
  /** Wallets the buyer has proved in this session. */
  payers: readonly string[]
}

/**
 * Starts a subscription for a payment. Idempotent: returns the existing subscription if the
 * transaction was already credited. A payment made during a running period is queued after it.
 */
export async function subscribe(ctx: Context, from: Payments, purchase: Purchase): Promise<store.PaidSubscription> {
  const { accountId, plan, txHash } = purchase
  const key = { accountId, txHash }
  const before = await store.findSubscriptionByTransaction(ctx.db, key)
  if (before) return before
  let transfers: readonly CreditedTransfer[]
  try {
    transfers = await from.findTransfers(ctx, purchase)
  } catch (error) {
    return answerRefusal(ctx, key, error)
  }
  const { subscription, credited } = await ctx.db.transaction(async (tx) => {
    await store.lockAccount(tx, accountId)
    const meanwhile = await store.findSubscriptionByTransaction(tx, key)
    if (meanwhile) return { subscription: meanwhile, credited: null }
    for (const transfer of transfers) {
      const id = await startSubscription(ctx, tx, from.recordPayment, { accountId, plan, transfer })
      const started = id && (await store.findSubscription(tx, id))
      if (started) return { subscription: started, credited: transfer }
    }
    throw new Refusal('payment_used', 'This payment has already been used.')
  })
  if (credited) ctx.logger.info({ payments: 1, chainId: credited.chainId }, 'payments credited')
  return subscription
}

/**
 * Locks an account that an admin named.
 * @throws Refusal not_found
 */
export async function lockNamedAccount(tx: Tx, accountId: string): Promise<void> {
  const account = isUuid(accountId) ? await store.lockAnyAccount(tx, accountId) : null
  if (!account) throw new Refusal('not_found', 'There is no such user.')
}

/**
 * Credits a transfer to an account. Callers must hold the account lock.
 * @returns the period's id, or null if the transfer was already recorded
 */
export async function creditInTransaction(
  ctx: Context,
  tx: Tx,
  recordPayment: RecordPayment,
  { accountId, planId, transfer }: { accountId: string; planId: PlanId; transfer: CreditedTransfer },
): Promise<string | null> {
  return startSubscription(ctx, tx, recordPayment, { accountId, plan: getPlan(planId), transfer })
}

/** Subscriptions as shown to the account's owner, by payment id. */
export async function findSubscriptions(ctx: Context, paymentIds: string[]): Promise<Map<string, Subscription>> {
  const rows = await store.listSubscriptionsByPayment(ctx.db, paymentIds)
  const now = ctx.clock.now()
  return new Map(rows.map((row) => [row.paymentId, presentSubscription(row, now)]))
}

/** The running period, with `endsAt` moved to the end of access. */
export async function findActiveSubscription(ctx: Context, accountId: string): Promise<store.PaidSubscription | null> {
  const now = ctx.clock.now()
  const periods = await store.listOpenPeriods(ctx.db, accountId, now)
  const running = periods.find((period) => isRunning(period, now))
  const entitlement = entitlementAt(periods, now)
  const paid = running && (await store.findSubscription(ctx.db, running.id))
  return paid && entitlement ? { ...paid, endsAt: entitlement.endsAt } : null
}

/** True if the account has a running period. */
export async function isSubscribed(tx: Queryable, accountId: string, now: Date): Promise<boolean> {
  return entitlementAt(await store.listOpenPeriods(tx, accountId, now), now) !== null
}

/**
 * What the account may read at `now`; null without a running period. Queued periods without a gap
 * prolong `endsAt`.
 */
export async function findEntitlement(ctx: Context, accountId: string, now: Date): Promise<Entitlement | null> {
  return entitlementAt(await store.listOpenPeriods(ctx.db, accountId, now), now)
}

/** Entitlements of several accounts, in the order of the ids. */
export async function findEntitlements(ctx: Context, accountIds: string[]): Promise<(Entitlement | null)[]> {
  const now = ctx.clock.now()
  const byAccount = new Map<string, store.SubscriptionRow[]>()
  for (const period of await store.listOpenPeriodsOf(ctx.db, [...new Set(accountIds)], now)) {
    byAccount.set(period.accountId, [...(byAccount.get(period.accountId) ?? []), period])
  }
  return accountIds.map((accountId) => entitlementAt(byAccount.get(accountId) ?? [], now))
}

/**
 * Periods in which the account had access, in order, each cut at its cancellation. Revoked periods
 * are left out.
 */
export async function listPastPeriods(ctx: Context, accountId: string, now: Date): Promise<Entitlement[]> {
  const periods = await store.listPeriods(ctx.db, accountId)
  return periods.flatMap(({ planId, startsAt, endsAt, cancelledAt, revokedAt }) => {
    const end = cancelledAt && cancelledAt < endsAt ? cancelledAt : endsAt
    return revokedAt || startsAt > now || end <= startsAt ? [] : [{ planId, startsAt, endsAt: end }]
  })
}

/**
 * Revokes the period of a payment that was reorganised out, and moves up the periods queued behind
 * it.
 */
export async function revokePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void> {
  const subscription = await store.findSubscriptionByPayment(tx, paymentId)
  if (!subscription) return
  const { accountId } = subscription
  const now = ctx.clock.now()
  const { email } = await store.lockAccount(tx, accountId)
  await store.updatePeriod(tx, subscription.id, { revokedAt: now })
  for (const { id, startsAt, endsAt } of closeGaps(await store.listOpenPeriods(tx, accountId, now), now)) {
    await store.updatePeriod(tx, id, { startsAt, endsAt })
  }
  const { amountWei, txHash } = subscription
  const detail = `${formatIto(amountWei)} left the chain in a reorganisation; the plan waits until it is back`
  await recordActivity(tx, { accountId, kind: 'payment_reverted', detail, reference: txHash, at: now })
  if (email) await ctx.sendMail(tx, writeRevocation(email, formatIto(amountWei), txHash))
  await ctx.wake.notify(tx, 'entitlement', accountId)
}

/**
 * Restores the period of a payment that is on the chain again. It starts after the account's other
 * periods.
 */
export async function restorePayment(ctx: Context, tx: Tx, paymentId: string): Promise<void> {
  const subscription = await store.findSubscriptionByPayment(tx, paymentId)
  if (!subscription) return
  const { accountId } = subscription
  const now = ctx.clock.now()
  await store.lockAccount(tx, accountId)
  const startsAt = nextStart(await store.listOpenPeriods(tx, accountId, now), now)
  const endsAt = new Date(startsAt.getTime() + subscription.endsAt.getTime() - subscription.startsAt.getTime())
  await store.updatePeriod(tx, subscription.id, { startsAt, endsAt, revokedAt: null })
  const detail = `${formatIto(subscription.amountWei)} is on the chain again; the plan goes on`
  const reference = subscription.txHash
  await recordActivity(tx, { accountId, kind: 'payment_restored', detail, reference, at: now })
  await ctx.wake.notify(tx, 'entitlement', accountId)
}

/** The account's periods, for the data export. */
export async function exportSubscriptions(ctx: Context, accountId: string): Promise<Record<string, unknown>[]> {
  const rows = await store.listPeriods(ctx.db, accountId)
  return rows.map(({ accountId: _owner, ...row }) => row)
}

async function startSubscription(
  ctx: Context,
  tx: Tx,
  recordPayment: RecordPayment,
  { accountId, plan, transfer }: { accountId: string; plan: Plan; transfer: CreditedTransfer },
): Promise<string | null> {
  const planId = plan.id
  const paymentId = await recordPayment(tx, { transfer, accountId, planId, now: ctx.clock.now() })
  if (!paymentId) return null
  const ids = await startPeriods(ctx, tx, [{ accountId, planId, transfer, paymentId }])
  return ids.get(paymentId) ?? null
}

/** A recorded payment that starts a period. */
export interface Credit {
  accountId: string
  planId: PlanId
  transfer: CreditedTransfer
  paymentId: string
}

/**
 * Starts the period of each payment after the account's last one. Callers must hold the locks of
 * the accounts.
 * @returns period ids by payment id
 */
export async function startPeriods(ctx: Context, tx: Tx, credits: readonly Credit[]): Promise<Map<string, string>> {
  const now = ctx.clock.now()
  const accountIds = [...new Set(credits.map(({ accountId }) => accountId))]
  const open: { accountId: string; endsAt: Date }[] = await store.listOpenPeriodsOf(tx, accountIds, now)
  const periods: store.NewPeriod[] = []
  for (const { accountId, planId, paymentId } of credits) {
    const own = [...open, ...periods].filter((period) => period.accountId === accountId)
    const startsAt = nextStart(own, now)
    const endsAt = addHours(startsAt, getPlan(planId).hours)
    periods.push({ accountId, paymentId, planId, startsAt, endsAt, createdAt: now })
  }
  const ids = await store.insertSubscriptions(tx, periods)
  await recordActivities(
    tx,
    credits.map(({ accountId, planId, transfer }) => ({
      accountId,
      kind: 'plan_paid',
      detail: `${getPlan(planId).name}, ${formatIto(transfer.amountWei)}`,
      reference: transfer.txHash,
      at: now,
    })),
  )
  await ctx.wake.notifyAll(tx, 'entitlement', accountIds)
  return ids
}

async function answerRefusal(ctx: Context, key: store.TransactionKey, error: unknown): Promise<store.PaidSubscription> {
  const code = error instanceof Refusal ? error.code : null
  if (code === 'payment_used') {
    // A concurrent report, or the watcher, may have credited it first.
    const made = await store.findSubscriptionByTransaction(ctx.db, key)
    if (made) return made
  }
  // The transaction is unknown, and the account cannot buy a second plan while one runs.
  if (code === 'payment_unknown' && (await findEntitlement(ctx, key.accountId, ctx.clock.now()))) {
    throw new Refusal('subscription_active', 'You already have an active subscription')
  }
  throw error
}
