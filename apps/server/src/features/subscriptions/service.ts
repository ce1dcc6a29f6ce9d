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

/** Counts a transfer once and for ever: the payment's id, or null when it was counted before. */
export type RecordPayment = (
  tx: Tx,
  payment: { transfer: CreditedTransfer; accountId: string; planId: PlanId; now: Date },
) => Promise<string | null>

/** What subscriptions need of payments. */
export interface Payments {
  /** Transfers of a transaction that pay for the plan; at least one, or a Refusal. */
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
  /** Wallets that the buyer has proved in this session. */
  payers: readonly string[]
}

/**
 * Turns a payment into a subscription. Told again of the same transaction, it answers with the subscription that it made then. A payment that
 * arrives while a period runs is honoured after it.
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
 * Of an account that an operator has named.
 * @throws Refusal not_found
 */
export async function lockNamedAccount(tx: Tx, accountId: string): Promise<void> {
  const account = isUuid(accountId) ? await store.lockAnyAccount(tx, accountId) : null
  if (!account) throw new Refusal('not_found', 'There is no such user.')
}

/** Gives an account what a transfer pays for, in a transaction that has locked the account. The period's id; null, and nothing done, when it was counted before. */
export async function creditInTransaction(
  ctx: Context,
  tx: Tx,
  recordPayment: RecordPayment,
  { accountId, planId, transfer }: { accountId: string; planId: PlanId; transfer: CreditedTransfer },
): Promise<string | null> {
  return startSubscription(ctx, tx, recordPayment, { accountId, plan: getPlan(planId), transfer })
}

/** As the account's owner sees them, by the payment that each hangs on. */
export async function findSubscriptions(ctx: Context, paymentIds: string[]): Promise<Map<string, Subscription>> {
  const rows = await store.listSubscriptionsByPayment(ctx.db, paymentIds)
  const now = ctx.clock.now()
  return new Map(rows.map((row) => [row.paymentId, presentSubscription(row, now)]))
}

/** The running period of an account, its end moved to where access ends. */
export async function findActiveSubscription(ctx: Context, accountId: string): Promise<store.PaidSubscription | null> {
  const now = ctx.clock.now()
  const periods = await store.listOpenPeriods(ctx.db, accountId, now)
  const running = periods.find((period) => isRunning(period, now))
  const entitlement = entitlementAt(periods, now)
  const paid = running && (await store.findSubscription(ctx.db, running.id))
  return paid && entitlement ? { ...paid, endsAt: entitlement.endsAt } : null
}

/** Whether a period of the account runs. */
export async function isSubscribed(tx: Queryable, accountId: string, now: Date): Promise<boolean> {
  return entitlementAt(await store.listOpenPeriods(tx, accountId, now), now) !== null
}

/** What the account may read at `now`; null without a running period. Queued periods without a gap prolong `endsAt`. */
export async function findEntitlement(ctx: Context, accountId: string, now: Date): Promise<Entitlement | null> {
  return entitlementAt(await store.listOpenPeriods(ctx.db, accountId, now), now)
}

/** The same of several accounts at this moment, in their order. */
export async function findEntitlements(ctx: Context, accountIds: string[]): Promise<(Entitlement | null)[]> {
  const now = ctx.clock.now()
  const byAccount = new Map<string, store.SubscriptionRow[]>()
  for (const period of await store.listOpenPeriodsOf(ctx.db, [...new Set(accountIds)], now)) {
    byAccount.set(period.accountId, [...(byAccount.get(period.accountId) ?? []), period])
  }
  return accountIds.map((accountId) => entitlementAt(byAccount.get(accountId) ?? [], now))
}

/** When the account could read, in order: each paid period up to its end or its cancellation; one that was taken away does not count. */
export async function listPastPeriods(ctx: Context, accountId: string, now: Date): Promise<Entitlement[]> {
  const periods = await store.listPeriods(ctx.db, accountId)
  return periods.flatMap(({ planId, startsAt, endsAt, cancelledAt, revokedAt }) => {
    const end = cancelledAt && cancelledAt < endsAt ? cancelledAt : endsAt
    return revokedAt || startsAt > now || end <= startsAt ? [] : [{ planId, startsAt, endsAt: end }]
  })
}

/** The payment has left the chain: its period is taken away until it is back, and what was queued behind it moves up. */
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

/** The payment is on the chain again: its period starts over, after what else the account has. */
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

/** What is held of the account's periods, for its owner. */
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

/** A payment that is counted now, and that a period is to hang on. */
export interface Credit {
  accountId: string
  planId: PlanId
  transfer: CreditedTransfer
  paymentId: string
}

/**
 * Starts the period of each payment, after all that its account has, in a transaction that has locked the accounts.
 * @returns the periods' ids by payment
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
    // The same report, or the watcher, may have been faster by a moment.
    const made = await store.findSubscriptionByTransaction(ctx.db, key)
    if (made) return made
  }
  // No payment is under way, and a second plan can't be started while one runs.
  if (code === 'payment_unknown' && (await findEntitlement(ctx, key.accountId, ctx.clock.now()))) {
    throw new Refusal('subscription_active', 'You already have an active subscription')
  }
  throw error
}
