import type { OrderFlag, orderResolutions } from '@tocsin/protocol'
import { type AuditActor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import { computeAmountsWithoutOrder } from './order.ts'
import * as store from './order-store.ts'

export interface OrderResolution {
  by: AuditActor
  id: string
  action: (typeof orderResolutions)[number]
  reason: string
}

const actions = { refund_noted: 'order_refund_noted', ignore: 'order_ignored' } as const
/**
 * Flags that an admin can resolve. The flag of an underpaid order is not one of them: the order is
 * still watched, or its transfers are listed as unmatched payments.
 */
const RESOLVABLE_FLAGS: ReadonlySet<OrderFlag> = new Set(['over', 'late', 'multiple'])

/**
 * Records how an admin handled a flagged purchase, or the overpayment of a payment without an
 * order. This can be done once, but a further transfer reopens the purchase.
 * @throws Refusal not_found, already_resolved
 */
export async function resolveOrder(ctx: Context, { by, id, action, reason }: OrderResolution): Promise<void> {
  if (!isUuid(id)) throw createNotFoundRefusal()
  await ctx.db.transaction(async (tx) => {
    const flaggedPurchase = (await findFlaggedOrder(tx, id)) ?? (await findOverpayment(tx, id))
    if (!flaggedPurchase) throw createNotFoundRefusal()
    if (flaggedPurchase.resolvedAt) throw new Refusal('already_resolved', 'This purchase is already resolved.')
    const now = ctx.clock.now()
    await flaggedPurchase.save({
      resolution: action,
      resolutionReason: reason,
      resolvedAt: now,
      resolvedBy: by.actorId,
    })
    await recordAudit(tx, {
      ...by,
      action: actions[action],
      subject: id,
      reason,
      detail: flaggedPurchase.detail,
      at: now,
    })
  })
}

async function findFlaggedOrder(tx: Tx, id: string) {
  const order = await store.lockOrder(tx, id)
  if (!order?.flags.some((flag) => RESOLVABLE_FLAGS.has(flag))) return null
  const receivedTransfers = await store.listTransfersOf(tx, [id])
  const receivedWei = receivedTransfers.reduce(
    (sum, { amountWei, revertedAt }) => sum + (revertedAt ? 0n : amountWei),
    0n,
  )
  const detail = {
    transactionHash: order.txHash,
    priceWei: order.priceWei.toString(),
    receivedWei: receivedWei.toString(),
    flags: order.flags.join(', '),
  }
  return {
    resolvedAt: order.resolvedAt,
    detail,
    save: (change: store.ResolutionColumns) => store.saveResolution(tx, id, change),
  }
}

async function findOverpayment(tx: Tx, id: string) {
  const payment = await store.lockPaymentWithoutOrder(tx, id)
  const amounts = payment && computeAmountsWithoutOrder(payment)
  if (!amounts || amounts.flags.length === 0) return null
  const detail = {
    transactionHash: payment.txHash,
    priceWei: amounts.priceWei.toString(),
    receivedWei: amounts.paidWei.toString(),
    flags: amounts.flags.join(', '),
  }
  return {
    resolvedAt: payment.resolvedAt,
    detail,
    save: (change: store.ResolutionColumns) => store.savePaymentResolution(tx, id, change),
  }
}

function createNotFoundRefusal(): Refusal {
  return new Refusal('not_found', 'Purchase not found, or it is not flagged as unusual.')
}
