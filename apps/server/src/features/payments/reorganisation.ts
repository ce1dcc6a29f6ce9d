import type { Hex } from '@tocsin/proof'
import { HOUR_MS } from '@tocsin/protocol/durations'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { lockAccount } from '../sessions/account-store.ts'
import { restorePayment } from '../subscriptions/service.ts'
import { creditMined, type PaymentEffects } from './credit-payment.ts'
import { requiredOnChain } from './order.ts'
import * as orderStore from './order-store.ts'
import { isConfirmed, isIncoming } from './payment.ts'
import * as store from './store.ts'
import { askPaymentChain, findBlock, readTransaction } from './transaction.ts'

/** Depth at which a payment is final: two epochs of Ethereum. */
const FINAL_BLOCKS = 64

/**
 * Compares every transfer that is not final with the chain. The decision is based on the block hash
 * at its height: a missing receipt may only mean a lagging node.
 */
export async function recheckPayments(ctx: Context, effects: PaymentEffects, head: number): Promise<void> {
  const { chainId, maxAgeHours } = ctx.config.payment
  const notBefore = new Date(ctx.clock.now().getTime() - maxAgeHours * HOUR_MS)
  const after = head - FINAL_BLOCKS
  const hasMoved = createReorgCheck(ctx)
  for (const payment of await store.listReversiblePayments(ctx.db, chainId, after, notBefore)) {
    if (await hasMoved(payment)) await updatePayment(ctx, effects, payment)
  }
  for (const unmatched of await store.listReversibleUnmatched(ctx.db, chainId, after, notBefore)) {
    if (await hasMoved(unmatched)) await updateUnmatched(ctx, effects, unmatched)
  }
}

interface Recorded {
  blockNumber: number
  blockHash: Hex
  revertedAt: Date | null
}

/**
 * Returns a check whether a transfer's block differs from the recorded one, or whether the transfer
 * had been reverted. Each height is read once.
 */
function createReorgCheck(ctx: Context): (recorded: Recorded) => Promise<boolean> {
  const hashes = new Map<number, Promise<Hex | null>>()
  return async ({ blockNumber, blockHash, revertedAt }) => {
    const known = hashes.get(blockNumber) ?? readBlockHash(ctx, blockNumber)
    hashes.set(blockNumber, known)
    const hash = await known
    return hash !== null && (hash !== blockHash || revertedAt !== null)
  }
}

async function readBlockHash(ctx: Context, height: number): Promise<Hex | null> {
  return askPaymentChain(ctx, async () => (await findBlock(ctx, { blockNumber: BigInt(height) }))?.hash ?? null)
}

/**
 * Handles a payment whose block was replaced: the transaction is in another block, or gone. Revokes
 * or restores the period when the paid amount crosses the price.
 */
async function updatePayment(ctx: Context, effects: PaymentEffects, payment: store.PaymentRow): Promise<void> {
  const { transfer } = await findOnChain(ctx, payment)
  await ctx.db.transaction(async (tx) => {
    if (payment.accountId !== null) await lockAccount(tx, payment.accountId)
    const wasPaid = await isPaid(ctx, tx, payment)
    if (transfer) await store.markMined(tx, payment, transfer)
    else await store.markReverted(tx, payment.id, ctx.clock.now())
    const isPaidAfter = await isPaid(ctx, tx, payment)
    if (wasPaid === isPaidAfter) return
    const subscriptionPaymentId =
      payment.orderId === null ? payment.id : await orderStore.findSubscriptionPayment(tx, payment.orderId)
    if (subscriptionPaymentId === null) return
    if (isPaidAfter) await restorePayment(ctx, tx, subscriptionPaymentId)
    else await effects.revokePayment(ctx, tx, subscriptionPaymentId)
  })
}

/**
 * True if the payments of an order, or a payment without one, still cover the price on the chain.
 */
async function isPaid(ctx: Context, tx: Tx, payment: store.PaymentRow): Promise<boolean> {
  const related = await orderStore.listRelatedPayments(tx, payment)
  const price = payment.orderId === null ? null : await orderStore.findPrice(tx, payment.orderId)
  const attachedWei = related.reduce((sum, { amountWei }) => sum + amountWei, 0n)
  const onChainWei = related.reduce((sum, { amountWei, revertedAt }) => sum + (revertedAt ? 0n : amountWei), 0n)
  return onChainWei >= requiredOnChain(price, attachedWei, ctx.config.orders.toleranceBps)
}

/** Updates an unmatched transfer. A partial payment that is back may complete its order. */
async function updateUnmatched(ctx: Context, effects: PaymentEffects, unmatched: store.UnmatchedRow): Promise<void> {
  const { transaction, transfer } = await findOnChain(ctx, unmatched)
  await store.moveUnmatched(ctx.db, unmatched.id, transfer, ctx.clock.now())
  if (transfer && unmatched.orderId !== null) await creditMined(ctx, transaction, effects)
}

type Known = Pick<Transfer, 'txHash' | 'logIndex' | 'payer' | 'amountWei'>

/** The transfer as the chain shows it now; null unless it is confirmed. */
async function findOnChain(ctx: Context, known: Known) {
  const transaction = await readTransaction(ctx, known.txHash)
  const transfers = isConfirmed(transaction, ctx.config.payment) ? transaction.transfers : []
  return { transaction, transfer: transfers.find((seen) => isSameTransfer(ctx, seen, known)) ?? null }
}

function isSameTransfer(ctx: Context, transfer: Transfer, known: Known): boolean {
  return (
    transfer.logIndex === known.logIndex &&
    transfer.payer === known.payer &&
    transfer.amountWei === known.amountWei &&
    isIncoming(transfer, ctx.config.payment)
  )
}
