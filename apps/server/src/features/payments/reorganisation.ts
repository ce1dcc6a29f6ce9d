import type { Hex } from '@tocsin/proof'
import type { Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { creditMined, type PaymentEffects } from './credit-payment.ts'
import { requiredOnChain } from './order.ts'
import * as orderStore from './order-store.ts'
import { isIncoming } from './payment.ts'
import * as store from './store.ts'
import { askPaymentChain, findBlock, readTransaction } from './transaction.ts'

/** Blocks after which a payment is taken for final: two epochs of Ethereum. */
const FINAL_BLOCKS = 64
const HOUR_MS = 3_600_000

/**
 * Compares every transfer that is not final with the chain. What counts is the hash of the block at its height: a missing receipt alone may be
 * a node that lags, and takes nothing from anybody.
 */
export async function recheckPayments(ctx: Context, effects: PaymentEffects, head: number): Promise<void> {
  const { chainId, maxAgeHours } = ctx.config.payment
  const notBefore = new Date(ctx.clock.now().getTime() - maxAgeHours * HOUR_MS)
  const after = head - FINAL_BLOCKS
  const hasMoved = createMoved(ctx)
  for (const payment of await store.listReversiblePayments(ctx.db, chainId, after, notBefore)) {
    if (await hasMoved(payment)) await followPayment(ctx, effects, payment)
  }
  for (const unmatched of await store.listReversibleUnmatched(ctx.db, chainId, after, notBefore)) {
    if (await hasMoved(unmatched)) await followUnmatched(ctx, effects, unmatched)
  }
}

interface Recorded {
  blockNumber: number
  blockHash: Hex
  revertedAt: Date | null
}

/** Whether a transfer's block is another one than that on record, or the transfer was away. Each height is asked for once. */
function createMoved(ctx: Context): (recorded: Recorded) => Promise<boolean> {
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

/** Its block is not the one that we knew: the transaction is in another one, or gone. */
async function followPayment(ctx: Context, effects: PaymentEffects, payment: store.PaymentRow): Promise<void> {
  const { transfer } = await findAgain(ctx, payment)
  await ctx.db.transaction(async (tx) => {
    if (payment.accountId !== null) await effects.lockAccount(tx, payment.accountId)
    const wasPaid = await isPaid(ctx, tx, payment)
    if (transfer) await store.markMined(tx, payment, transfer)
    else await store.markReverted(tx, payment.id, ctx.clock.now())
    const isPaidNow = await isPaid(ctx, tx, payment)
    if (wasPaid === isPaidNow) return
    const subscriptionPaymentId =
      payment.orderId === null ? payment.id : await orderStore.findSubscriptionPayment(tx, payment.orderId)
    if (subscriptionPaymentId === null) return
    if (isPaidNow) await effects.restorePayment(ctx, tx, subscriptionPaymentId)
    else await effects.revokePayment(ctx, tx, subscriptionPaymentId)
  })
}

/** Whether the payments of an order, or a payment alone, are on the chain as far as it takes. */
async function isPaid(ctx: Context, tx: Tx, payment: store.PaymentRow): Promise<boolean> {
  const together = await orderStore.listRelatedPayments(tx, payment)
  const price = payment.orderId === null ? null : await orderStore.findPrice(tx, payment.orderId)
  const attachedWei = together.reduce((sum, { amountWei }) => sum + amountWei, 0n)
  const thereWei = together.reduce((sum, { amountWei, revertedAt }) => sum + (revertedAt ? 0n : amountWei), 0n)
  return thereWei >= requiredOnChain(price, attachedWei, ctx.config.orders.toleranceBps)
}

/** A part of an order that is back may be what was missing. */
async function followUnmatched(ctx: Context, effects: PaymentEffects, unmatched: store.UnmatchedRow): Promise<void> {
  const { transaction, transfer } = await findAgain(ctx, unmatched)
  await store.moveUnmatched(ctx.db, unmatched.id, transfer, ctx.clock.now())
  if (transfer && unmatched.orderId !== null) await creditMined(ctx, effects, transaction)
}

type Known = Pick<Transfer, 'txHash' | 'logIndex' | 'payer' | 'amountWei'>

/** The transfer as the chain shows it now, confirmed; null where it does not. */
async function findAgain(ctx: Context, known: Known) {
  const { confirmations } = ctx.config.payment
  const transaction = await readTransaction(ctx, known.txHash)
  const isConfirmed = transaction.state === 'mined' && transaction.confirmations >= confirmations
  const transfers = isConfirmed ? transaction.transfers : []
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
