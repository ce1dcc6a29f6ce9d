import type { OrderFlag, orderResolutions } from '@tocsin/protocol'
import { type Auditor, recordAudit } from '../../audit-log.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'
import { isUuid } from '../../uuid.ts'
import * as store from './order-store.ts'

export interface ResolveOrder {
  by: Auditor
  id: string
  action: (typeof orderResolutions)[number]
  reason: string
}

const actions = { refund_noted: 'order_refund_noted', ignore: 'order_ignored' } as const
/** What there may be something to do about. Too little is still waited for, or among the unmatched payments. */
const UNUSUAL: ReadonlySet<OrderFlag> = new Set(['over', 'late', 'multiple'])

/**
 * Notes what an operator has done about an unusual purchase, once. Another transfer for it makes it news again.
 * @throws Refusal not_found, already_resolved
 */
export async function resolveOrder(ctx: Context, { by, id, action, reason }: ResolveOrder): Promise<void> {
  if (!isUuid(id)) throw notFound()
  await ctx.db.transaction(async (tx) => {
    const order = await store.lockOrder(tx, id)
    if (!order?.flags.some((flag) => UNUSUAL.has(flag))) throw notFound()
    if (order.resolvedAt) throw new Refusal('already_resolved', 'This purchase is resolved already.')
    const now = ctx.clock.now()
    await store.saveResolution(tx, id, { resolution: action, resolutionReason: reason, resolvedAt: now })
    const received = await store.listTransfersOf(tx, [id])
    const receivedWei = received.reduce((sum, { amountWei, revertedAt }) => sum + (revertedAt ? 0n : amountWei), 0n)
    const detail = {
      transactionHash: order.txHash,
      priceWei: order.priceWei.toString(),
      receivedWei: receivedWei.toString(),
      flags: order.flags.join(', '),
    }
    await recordAudit(tx, { ...by, action: actions[action], subject: id, reason, detail, at: now })
  })
}

function notFound(): Refusal {
  return new Refusal('not_found', 'There is no such purchase, or nothing was unusual about it.')
}
