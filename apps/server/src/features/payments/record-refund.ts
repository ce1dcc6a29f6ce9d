import type { Hex } from '@tocsin/proof'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import { findContext } from '../../chain/payment-chains.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import * as ledger from './ledger-store.ts'
import * as orderStore from './order-store.ts'
import { acceptRefund } from './refund.ts'
import * as store from './refund-store.ts'
import { readTransaction } from './transaction.ts'

/**
 * Links a payment with the transaction that refunded it, after reading that transaction from the
 * chain. Also resolves the payment if it was not credited, or is an open overpayment: a refunded
 * transfer must not be credited later.
 * @returns the refunded amount
 * @throws Refusal not_found, unavailable, and the refusals of `acceptRefund`
 */
export async function recordRefund(
  ctx: Context,
  { by, id, txHash }: { by: AuditActor; id: string; txHash: Hex },
): Promise<bigint> {
  const foundTarget = isUuid(id) ? await store.findRefundTarget(ctx.db, id) : null
  if (!foundTarget) throw createNotFoundRefusal()
  const chain = findContext(ctx, foundTarget.chainId)
  if (!chain) throw new Refusal('unavailable', 'The chain of this payment is not configured.')
  const transaction = await readTransaction(chain, txHash)
  const { chainId } = foundTarget
  return ctx.db.transaction(async (tx) => {
    await store.lockRefundTransaction(tx, chainId, txHash)
    const target = await store.lockRefundTarget(tx, id)
    if (!target) throw createNotFoundRefusal()
    const refundable = { ...target, refundedWei: await store.sumRefunds(tx, id) }
    const usedLogIndexes = await store.listUsedIndexes(tx, chainId, txHash)
    const transfers = acceptRefund(transaction, refundable, usedLogIndexes, chain.config.payment)
    const at = ctx.clock.now()
    const sharedColumns = { paymentId: id, chainId, txHash, recordedAt: at, recordedBy: by.actorId }
    await store.insertRefunds(
      tx,
      transfers.map(({ logIndex, amountWei, blockAt }) => ({ ...sharedColumns, logIndex, amountWei, blockAt })),
    )
    const amountWei = transfers.reduce((sum, transfer) => sum + transfer.amountWei, 0n)
    if (target.isResolvedByRefund) {
      const resolution = { resolution: 'refund_noted' as const, resolvedAt: at, resolvedBy: by.actorId }
      const change = { ...resolution, resolutionReason: `Refunded by ${txHash}` }
      if (target.kind === 'unmatched') await ledger.saveResolution(tx, id, change)
      else if (target.orderId !== null) await orderStore.saveResolution(tx, target.orderId, change)
      else await orderStore.savePaymentResolution(tx, id, change)
    }
    const detail = { transactionHash: txHash, chainId, amountWei: amountWei.toString() }
    await recordAudit(tx, { ...by, action: 'refund_recorded', subject: id, detail, at })
    return amountWei
  })
}

const createNotFoundRefusal = () =>
  new Refusal('not_found', 'Payment not found on the chain, or it was credited as another payment.')
