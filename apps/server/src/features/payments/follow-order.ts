import type { Hex } from '@tocsin/proof'
import { isAddressEqual } from 'viem'
import type { TransferLog } from '../../chain/transfer-logs.ts'
import type { Context } from '../../context.ts'
import { allocate } from './order.ts'
import * as orderStore from './order-store.ts'
import { isIncoming } from './payment.ts'
import { orderTerms, type PaymentEffects, settleMined } from './settle.ts'
import { askPaymentChain, type ChainTransaction, findBlock, readTransaction } from './transaction.ts'

type FollowedOrder = orderStore.OrderColumns

/** A transaction that no node knows for this long is not on its way any more. */
const FORGOTTEN_MS = 10 * 60_000

/** All orders of the chain whose transaction is not counted yet. @param head the block up to which logs were read before */
export async function followOrders(ctx: Context, effects: PaymentEffects, head: number): Promise<void> {
  for (const order of await orderStore.listFollowed(ctx.db, ctx.config.payment.chainId)) {
    await followOrder(ctx, effects, order, head)
  }
}

/**
 * Looks where an order's transaction is, and counts it when it is confirmed.
 * @param head the block up to which Transfer logs were read: only then a transaction that was overtaken is known to have moved nothing. Null
 *   where they were not.
 */
export async function followOrder(
  ctx: Context,
  effects: PaymentEffects,
  order: FollowedOrder,
  head: number | null,
): Promise<void> {
  const { txHash } = order
  if (txHash === null) return
  // Before the receipt is: a transaction that is mined between the two shows there.
  const isOvertaken = head !== null && (await isNonceUsed(ctx, order, head))
  const transaction = await readTransaction(ctx, txHash)
  ctx.failpoint('payment: after receipt')
  if (transaction.state === 'mined') return followMined(ctx, effects, order, txHash, transaction)
  const at = ctx.clock.now()
  const note = (change: Omit<orderStore.TxNote, 'txHash' | 'at'>) =>
    orderStore.noteTransaction(ctx.db, order.id, { txHash, at, ...change }, txHash)
  if (transaction.state === 'reverted') {
    return note({ txState: 'failed', blockNumber: transaction.blockNumber })
  }
  const isForgotten =
    transaction.state === 'unknown' && at.getTime() - (order.txSeenAt ?? order.createdAt).getTime() > FORGOTTEN_MS
  if (isOvertaken || isForgotten) return note({ txState: 'dropped' })
  const wasMined = order.txState === 'confirming' || order.txState === 'reorganised'
  const sender = (transaction.state === 'pending' && transaction.sender) || undefined
  if (wasMined) return note({ txState: 'reorganised', sender })
  // Of one that is unknown nothing new is known: not even that it was seen again.
  if (transaction.state === 'pending') return note({ txState: 'seen', sender })
}

async function followMined(
  ctx: Context,
  effects: PaymentEffects,
  order: FollowedOrder,
  txHash: Hex,
  transaction: Extract<ChainTransaction, { state: 'mined' }>,
): Promise<void> {
  const { confirmations: required } = ctx.config.payment
  const own = transaction.transfers.find(
    (transfer) => isIncoming(transfer, ctx.config.payment) && transfer.payer === order.payer,
  )
  if (!own) return orderStore.forgetTransaction(ctx.db, order.id, txHash)
  const { confirmations } = transaction
  if (confirmations < required) {
    const { blockNumber } = own
    const note = { txHash, txState: 'confirming', at: ctx.clock.now(), blockNumber, confirmations } as const
    return orderStore.noteTransaction(ctx.db, order.id, note, txHash)
  }
  await settleMined(ctx, effects, transaction)
  const left = await orderStore.findOrder(ctx.db, order.id)
  // It was counted before, for something else.
  if (left?.order.txState) await orderStore.forgetTransaction(ctx.db, order.id, txHash)
}

/** Whether another transaction of the same sender with the same number was in a block by then. */
async function isNonceUsed(ctx: Context, { txSender, txNonce }: FollowedOrder, head: number): Promise<boolean> {
  if (txSender === null || txNonce === null) return false
  const count = await askPaymentChain(ctx, () =>
    ctx.paymentChain.getTransactionCount({ address: txSender, blockNumber: BigInt(head) }),
  )
  return count > txNonce
}

/** Tells the orders that transfers in blocks without enough confirmations are meant for, so that their buyers see them coming. */
export async function noteUnconfirmed(ctx: Context, logs: readonly TransferLog[], head: number): Promise<void> {
  const { chainId, treasury } = ctx.config.payment
  const payers = [...new Set(logs.map(({ payer }) => payer))]
  const now = ctx.clock.now()
  const expecting = await orderStore.listExpecting(ctx.db, chainId, payers, now)
  const times = new Map<number, Promise<Date>>()
  for (const payer of expecting.length === 0 ? [] : payers) {
    const orders = expecting
      .filter(({ order }) => order.payer === payer && isAddressEqual(order.treasury, treasury))
      .map(({ order, partWei }) => ({ ...order, parts: partWei > 0n ? [{ amountWei: partWei }] : [] }))
    const own = orders.length === 0 ? [] : logs.filter((log) => log.payer === payer)
    const dated = await Promise.all(
      own.map(async (log) => {
        const blockAt = await (times.get(log.blockNumber) ?? readTime(ctx, log.blockNumber, times))
        return { ...log, blockAt }
      }),
    )
    for (const allocation of allocate(dated, orders, orderTerms(ctx))) {
      const last = allocation.transfers.at(-1)
      if (!last || allocation.kind === 'none') continue
      const { txHash, blockNumber } = last
      const confirmations = head - blockNumber + 1
      const note = { txHash, txState: 'confirming', at: now, blockNumber, confirmations } as const
      await orderStore.noteTransaction(ctx.db, allocation.order.id, note)
    }
  }
}

function readTime(ctx: Context, blockNumber: number, times: Map<number, Promise<Date>>): Promise<Date> {
  const time = askPaymentChain(ctx, async () => {
    const block = await findBlock(ctx, { blockNumber: BigInt(blockNumber) })
    return block?.at ?? ctx.clock.now()
  })
  times.set(blockNumber, time)
  return time
}
