import type { Hex } from '@tocsin/proof'
import type { Plan, PlanId } from '@tocsin/protocol'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { lockActor } from '../sessions/lock-actor.ts'
import { findEntitlement, startPeriods } from '../subscriptions/service.ts'
import * as subscriptions from '../subscriptions/store.ts'
import { confirmWallets } from '../wallets/recheck.ts'
import { findTransfers, recordPayment } from './service.ts'
import type { NewPayment } from './store.ts'

interface Purchase {
  accountId: string
  sessionId: string
  plan: Plan
  txHash: Hex
  /** Wallets that the buyer has proved in this session. */
  payers: readonly string[]
}

/**
 * Starts a subscription for a payment. Idempotent: returns the existing subscription if the
 * transaction was already credited. A payment made during a running period starts a period after
 * it.
 */
export async function subscribe(ctx: Context, purchase: Purchase): Promise<subscriptions.PaidSubscription> {
  const { accountId, plan, txHash } = purchase
  const key = { accountId, txHash }
  const existingSubscription = await subscriptions.findSubscriptionByTransaction(ctx.db, key)
  if (existingSubscription) return existingSubscription
  let transfers: readonly Transfer[]
  try {
    transfers = await confirmTransfers(ctx, purchase, await findTransfers(ctx, purchase))
  } catch (error) {
    return handleRefusal(ctx, key, error)
  }
  const { subscription, credited: creditedTransfer } = await ctx.db.transaction(async (tx) => {
    await lockActor(ctx, tx, purchase)
    const concurrentSubscription = await subscriptions.findSubscriptionByTransaction(tx, key)
    if (concurrentSubscription) return { subscription: concurrentSubscription, credited: null }
    for (const transfer of transfers) {
      const id = await startSubscription(ctx, tx, { accountId, planId: plan.id, transfer })
      const subscription = id && (await subscriptions.findSubscription(tx, id))
      if (subscription) return { subscription, credited: transfer }
    }
    throw new Refusal('payment_used', 'This payment has already been used.')
  })
  if (creditedTransfer) ctx.logger.info({ payments: 1, chainId: creditedTransfer.chainId }, 'payments credited')
  return subscription
}

/**
 * Returns the transfers from wallets that are still proved in the session. Only the paying wallets
 * are rechecked, because many wallets may be proved in the session.
 */
async function confirmTransfers(
  ctx: Context,
  { sessionId, payers: provedWallets }: Purchase,
  transfers: readonly Transfer[],
): Promise<readonly Transfer[]> {
  const payers = transfers.map(({ payer }) => payer)
  const confirmedPayers = await confirmWallets(ctx, { sessionId, provedWallets }, payers)
  const ownTransfers = transfers.filter(({ payer }) => confirmedPayers.includes(payer))
  if (ownTransfers.length > 0) return ownTransfers
  throw new Refusal('wallet_not_proved', 'Sign in with the wallet that has paid, then try again.')
}

/**
 * Credits a transfer to an account. Callers must hold the account lock.
 * @returns the period's id, or null if the transfer was already recorded
 */
export async function startSubscription(
  ctx: Context,
  tx: Tx,
  { accountId, planId, transfer }: { accountId: string; planId: PlanId; transfer: NewPayment['transfer'] },
): Promise<string | null> {
  const paymentId = await recordPayment(tx, { transfer, accountId, planId, now: ctx.clock.now() })
  if (!paymentId) return null
  const ids = await startPeriods(ctx, tx, [{ accountId, planId, transfer, paymentId, paidWei: transfer.amountWei }])
  return ids.get(paymentId) ?? null
}

async function handleRefusal(
  ctx: Context,
  key: subscriptions.TransactionKey,
  error: unknown,
): Promise<subscriptions.PaidSubscription> {
  const code = error instanceof Refusal ? error.code : null
  if (code === 'payment_used') {
    // A concurrent report, or the watcher, may have credited the payment first.
    const startedSubscription = await subscriptions.findSubscriptionByTransaction(ctx.db, key)
    if (startedSubscription) return startedSubscription
  }
  // The chain does not know the transaction. Tell an account with access that its plan is running.
  if (code === 'payment_unknown' && (await findEntitlement(ctx, key.accountId, ctx.clock.now()))) {
    throw new Refusal('subscription_active', 'You already have an active subscription')
  }
  throw error
}
