import { type PlanId, plans, type UnmatchedPayment } from '@tocsin/protocol'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import { findContext } from '../../chain/payment-chains.ts'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { lockNamedAccount } from '../sessions/service.ts'
import * as ledger from './ledger-store.ts'
import { computeAmountsWithoutOrder, computeExcess } from './order.ts'
import { isIncoming, toRecordedTerms } from './payment.ts'
import { startSubscription } from './subscribe.ts'
import { readTransaction } from './transaction.ts'

type UnmatchedTransfer = ledger.ListedUnmatchedTransfer['transfer']

export interface UnmatchedResolution {
  by: AuditActor
  id: string
  action: ledger.Resolution
  accountId: string | undefined
  planId: PlanId | undefined
  reason: string
}

const actions = { credit: 'payment_credited', refund_noted: 'payment_refund_noted', ignore: 'payment_ignored' } as const

/**
 * Resolves an unmatched transfer. This can be done once.
 * @throws Refusal not_found, already_resolved, payment_unknown, payment_used, unavailable
 */
export async function resolveUnmatched(ctx: Context, resolution: UnmatchedResolution): Promise<void> {
  const { by, id, action, accountId, planId, reason } = resolution
  const foundTransfer = isUuid(id) ? await ledger.findUnmatched(ctx.db, id) : null
  if (!foundTransfer) throw createNotFoundRefusal()
  // Read before the database transaction, so that no lock is held while the node responds.
  const chainTransfers = action === 'credit' ? await readIncoming(ctx, foundTransfer) : []
  await ctx.db.transaction(async (tx) => {
    // Lock the account before all other rows, to prevent deadlocks.
    if (accountId !== undefined && action === 'credit') await lockNamedAccount(tx, accountId)
    const transfer = await ledger.lockUnmatched(tx, id)
    if (!transfer) throw createNotFoundRefusal()
    if (transfer.resolvedAt) throw new Refusal('already_resolved', 'This payment is already resolved.')
    if (action === 'credit' && accountId !== undefined && planId !== undefined) {
      assertOnChain(transfer, chainTransfers)
      const periodId = await startSubscription(ctx, tx, { accountId, planId, transfer })
      if (!periodId) throw new Refusal('payment_used', 'This payment has already been used.')
    }
    const now = ctx.clock.now()
    await ledger.saveResolution(tx, id, {
      resolution: action,
      resolutionReason: reason,
      resolvedAt: now,
      resolvedBy: by.actorId,
    })
    const detail = {
      transactionHash: transfer.txHash,
      amountWei: transfer.amountWei.toString(),
      ...(action === 'credit' ? { accountId: accountId ?? null, planId: planId ?? null } : {}),
    }
    await recordAudit(tx, { ...by, action: actions[action], subject: id, reason, detail, at: now })
  })
}

function createNotFoundRefusal(): Refusal {
  return new Refusal('not_found', 'Payment not found.')
}

/**
 * Reads the transfers to the treasury that the transaction of an unmatched transfer contains now.
 * @throws Refusal unavailable
 */
async function readIncoming(ctx: Context, transfer: UnmatchedTransfer): Promise<Transfer[]> {
  const chainContext = findContext(ctx, transfer.chainId)
  if (!chainContext)
    throw new Refusal('unavailable', 'No node is configured for the chain of this payment: it can’t be checked.')
  const transaction = await readTransaction(chainContext, transfer.txHash)
  const terms = toRecordedTerms(chainContext.config.payment, transfer)
  return transaction.state === 'mined' ? transaction.transfers.filter((candidate) => isIncoming(candidate, terms)) : []
}

/**
 * Checks that the transfer is still on the chain: it may have been reverted since it was recorded.
 * @throws Refusal payment_unknown
 */
function assertOnChain(transfer: UnmatchedTransfer, chainTransfers: readonly Transfer[]): void {
  const isStillOnChain = chainTransfers.some(
    ({ logIndex, payer, amountWei }) =>
      logIndex === transfer.logIndex && payer === transfer.payer && amountWei === transfer.amountWei,
  )
  if (!isStillOnChain) throw new Refusal('payment_unknown', 'The payment is no longer on the chain.')
}

export function presentUnmatched(row: ledger.ListedUnmatchedTransfer): UnmatchedPayment {
  const { transfer, owner, resolverName } = row
  const affordablePlans = plans.filter(({ priceWei }) => priceWei <= transfer.amountWei)
  return {
    id: transfer.id,
    chainId: transfer.chainId,
    transactionHash: transfer.txHash,
    payer: transfer.payer,
    owner,
    tokenAmount: transfer.amountWei.toString(),
    at: transfer.blockAt.toISOString(),
    reason: transfer.reason,
    suggestedPlan: affordablePlans.at(-1)?.id ?? null,
    resolvedAt: transfer.resolvedAt?.toISOString() ?? null,
    resolution: transfer.resolvedAt ? (transfer.resolution ?? 'matched') : null,
    resolvedBy: transfer.resolvedBy === null ? null : { id: transfer.resolvedBy, name: resolverName },
    resolutionReason: transfer.resolutionReason,
    credit: presentCredit(row),
  }
}

function presentCredit(row: ledger.ListedUnmatchedTransfer): UnmatchedPayment['credit'] {
  const { payment, order, receiver, creditedWei, partialPaymentsWei } = row
  if (!payment) return null
  const excessWei = order
    ? computeExcess(creditedWei + partialPaymentsWei, order.priceWei)
    : computeAmountsWithoutOrder(payment).excessWei
  const { resolution } = order ?? payment
  return {
    account: receiver,
    planType: payment.planId,
    excessWei: excessWei.toString(),
    excessResolution: resolution,
  }
}
