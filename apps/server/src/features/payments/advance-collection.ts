import type { Hex } from '@tocsin/proof'
import { keccak256, parseTransaction, type TransactionReceipt, type TransactionSerializableEIP1559 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Context } from '../../context.ts'
import { isSubscribed } from '../subscriptions/service.ts'
import { computeRaisedFees, isStuck } from './collection-fee.ts'
import { findNonceUse, resetMissingReceiptCount } from './collection-outcome.ts'
import * as store from './collection-store.ts'
import { creditTransactions, paymentEffects } from './credit-payment.ts'
import { isPendingState } from './order.ts'
import * as orderStore from './order-store.ts'
import * as paymentStore from './store.ts'
import { callPaymentChain } from './transaction.ts'

/** What the watcher has read from the chain in this round. */
interface WatcherRound {
  head: number
  lastConfirmedBlock: number
  /** False if the scan reads transfers of another token or to another treasury. */
  isCoveredByScan: boolean
  /** Accounts with a mined payment that is not credited yet. */
  payingAccounts: ReadonlySet<string>
}

/**
 * Moves a collection forward. If its nonce is used, the collection ends once it is clear which
 * transaction has used it. While the collecting transaction is pending, it is sent again: as a
 * cancellation if the collection is no longer wanted, with a higher fee if the transaction is
 * stuck.
 * @param ctx has the payment terms under which the transaction was signed
 * @param treasuryKey null if this server no longer holds the key. The transaction is then not sent
 *   again, because the server could not cancel it.
 */
export async function advanceCollection(
  ctx: Context,
  treasuryKey: Hex | null,
  collection: store.CollectionRow,
  round: WatcherRound,
): Promise<void> {
  // Nodes keep the state of about 128 blocks, so the count is not read at a confirmed block.
  const countRequest = { address: ctx.config.payment.treasury, blockNumber: BigInt(round.head) }
  const nextNonce = await callPaymentChain(ctx, () => ctx.paymentChain.getTransactionCount(countRequest))
  if (nextNonce > collection.nonce) return endRunningCollection(ctx, collection, round)
  resetMissingReceiptCount(collection)
  if (treasuryKey === null) return
  const isCancelling = isCancellation(ctx, parseTransaction(collection.signed).to)
  if (!isCancelling && !(await isStillWanted(ctx, collection, round))) {
    const cancellation = await signReplacement(ctx, treasuryKey, collection, 'cancellation')
    if (cancellation) await sendTransaction(ctx, cancellation)
    return
  }
  // Only the transaction with the next nonce needs a higher fee: higher nonces wait for it.
  const isNext = nextNonce === collection.nonce
  const needsHigherFee = isNext && isStuck(collection.signedAt ?? collection.createdAt, ctx.clock.now())
  await sendTransaction(
    ctx,
    (needsHigherFee ? await signReplacement(ctx, treasuryKey, collection, 'same call') : null) ?? collection,
  )
}

/**
 * Returns false once the order is paid, cancelled or expired, or its account has a subscription or
 * a mined payment. The server must then not charge anything more. Also returns false if less than
 * the collected amount is missing, because the buyer has paid a part directly. The rest is then
 * collected by another transaction.
 */
async function isStillWanted(
  ctx: Context,
  { orderId, amountWei }: store.CollectionRow,
  { payingAccounts }: WatcherRound,
): Promise<boolean> {
  const now = ctx.clock.now()
  const collectable = await orderStore.findCollectable(ctx.db, ctx.config.payment, now, orderId)
  if (!collectable || collectable.order.priceWei - collectable.partialPaymentsWei < amountWei) return false
  const { accountId } = collectable.order
  return accountId !== null && !payingAccounts.has(accountId) && !(await isSubscribed(ctx.db, accountId, now))
}

/**
 * True for a zero-value transfer from the treasury to itself, which replaces a collecting
 * transaction.
 */
function isCancellation({ config }: Context, recipient: string | null | undefined): boolean {
  return recipient?.toLowerCase() === config.payment.treasury.toLowerCase()
}

/**
 * Ends the collection. It stays unfinished while it is unclear which transaction used the nonce.
 */
async function endRunningCollection(ctx: Context, collection: store.CollectionRow, round: WatcherRound): Promise<void> {
  const nonceUse = await findNonceUse(ctx, collection, round)
  if (nonceUse === null) return
  const receipt = nonceUse.isMined ? nonceUse.receipt : null
  const isReplaced = !nonceUse.isMined || (receipt !== null && isCancellation(ctx, receipt.to))
  const outcome = isReplaced ? 'overtaken' : receipt?.status === 'reverted' ? 'failed' : 'collected'
  // The collection stays unfinished until its transfer is credited: the scan reads another token or
  // treasury and would not find the transfer later.
  if (outcome === 'collected' && !round.isCoveredByScan && !(await ensureCredited(ctx, collection, receipt))) return
  if (outcome === 'failed' && receipt) await recordFailure(ctx, collection, receipt)
  await store.endCollection(ctx.db, collection.id, outcome, ctx.clock.now())
  resetMissingReceiptCount(collection)
  loggedHashes.delete(collection.id)
}

/**
 * Records that the collecting transaction failed, unless a transaction that the buyer has reported
 * may still pay the order. The buyer would otherwise be asked to pay again.
 */
async function recordFailure(
  ctx: Context,
  { orderId, txHash, earlierHashes }: store.CollectionRow,
  receipt: TransactionReceipt,
): Promise<void> {
  const order = (await orderStore.findOrder(ctx.db, orderId))?.order
  if (!order) return
  const isOwnHash = order.txHash === null || [txHash, ...earlierHashes].includes(order.txHash)
  if (!isOwnHash && isPendingState(order.txState)) return
  const { transactionHash, blockNumber } = receipt
  const txUpdate = { txHash: transactionHash, blockNumber: Number(blockNumber), at: ctx.clock.now() }
  await orderStore.recordTransaction(ctx.db, orderId, { ...txUpdate, txState: 'failed' }, order.txHash)
}

/**
 * Credits the transfer of a collecting transaction. Without a receipt, only checks that the
 * transfer is already recorded.
 * @returns false if the transfer is not credited yet, so callers must try again
 */
async function ensureCredited(
  ctx: Context,
  { chainId, txHash, earlierHashes }: store.CollectionRow,
  receipt: TransactionReceipt | null,
): Promise<boolean> {
  if (receipt) return (await creditTransactions(ctx, paymentEffects, [receipt.transactionHash])).length === 0
  return (await paymentStore.countRecordedTransfers(ctx.db, chainId, [txHash, ...earlierHashes])).size > 0
}

/**
 * Hash of the transaction whose failed replacement was last logged, by collection, so that each is
 * logged once.
 */
const loggedHashes = new Map<string, Hex>()

/**
 * Signs a replacement with the same nonce and a higher fee. It is stored with the earlier hashes
 * before it is sent, because any of these transactions may be mined.
 * @returns null if the higher fee exceeds the cap
 */
async function signReplacement(
  ctx: Context,
  treasuryKey: Hex,
  collection: store.CollectionRow,
  content: 'same call' | 'cancellation',
): Promise<store.CollectionRow | null> {
  const previousTransaction = parseTransaction(collection.signed)
  const { maxFeePerGas, maxPriorityFeePerGas = 0n } = previousTransaction
  if (previousTransaction.type !== 'eip1559' || maxFeePerGas === undefined)
    throw new Error('The collecting transaction has no fee')
  const market = await callPaymentChain(ctx, () => ctx.paymentChain.estimateFeesPerGas())
  const fees = computeRaisedFees({ maxFeePerGas, maxPriorityFeePerGas }, market, ctx.config.orders.maxFeeGwei)
  if (fees === null) {
    if (loggedHashes.get(collection.id) !== collection.txHash) {
      ctx.logger.warn(
        { order: collection.orderId },
        'a collecting transaction cannot be replaced: the higher fee would exceed the cap',
      )
    }
    loggedHashes.set(collection.id, collection.txHash)
    return null
  }
  const { chainId, nonce, to, data, gas } = previousTransaction
  const isCancelling = content === 'cancellation' || isCancellation(ctx, to)
  const call = isCancelling ? await createCancellation(ctx) : { to, data, gas }
  const signedTransaction = await signTransaction(treasuryKey, { chainId, nonce, ...call, ...fees })
  const replacedCollection = await store.replaceSigned(ctx.db, collection, {
    ...signedTransaction,
    signedAt: ctx.clock.now(),
  })
  ctx.failpoint('collect: before send')
  return replacedCollection
}

/**
 * Creates the call of a cancellation. The gas limit is estimated, because 21,000 is not enough on
 * every chain: on Arbitrum, the limit must also cover the fee for the data on L1.
 */
async function createCancellation(ctx: Context) {
  const { treasury } = ctx.config.payment
  const call = { to: treasury, value: 0n }
  const estimatedGas = await callPaymentChain(ctx, () => ctx.paymentChain.estimateGas({ account: treasury, ...call }))
  return { ...call, gas: (estimatedGas * 3n) / 2n }
}

export async function signTransaction(treasuryKey: Hex, transaction: TransactionSerializableEIP1559) {
  const signedTransaction = await privateKeyToAccount(treasuryKey).signTransaction({ ...transaction, type: 'eip1559' })
  return { signed: signedTransaction, txHash: keccak256(signedTransaction) }
}

/**
 * Sends the signed transaction. Errors are ignored: a node that already has the transaction rejects
 * it, and the chain shows whether it was accepted.
 */
export async function sendTransaction(
  ctx: Context,
  { orderId, txHash, nonce, signed }: store.CollectionRow,
): Promise<void> {
  try {
    await ctx.paymentChain.sendRawTransaction({ serializedTransaction: signed })
  } catch (error) {
    ctx.logger.debug({ err: error, hash: txHash }, 'a node rejected a collecting transaction')
  }
  if (isCancellation(ctx, parseTransaction(signed).to)) return
  const sender = { address: ctx.config.payment.treasury, nonce }
  const txUpdate = { txHash, txState: 'seen', at: ctx.clock.now(), sender } as const
  await orderStore.recordTransactionUnlessKnown(ctx.db, orderId, txUpdate)
}
