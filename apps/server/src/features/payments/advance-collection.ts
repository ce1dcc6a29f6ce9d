import type { Address, Hex } from '@tocsin/proof'
import { keccak256, parseTransaction, type TransactionReceipt, type TransactionSerializableEIP1559 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Context } from '../../context.ts'
import { isSubscribed } from '../subscriptions/service.ts'
import { computeRaisedFees, isStuck } from './collection-fee.ts'
import { findNonceUse, resetMissingReceiptCount } from './collection-outcome.ts'
import * as store from './collection-store.ts'
import { creditTransactions, paymentEffects } from './credit-payment.ts'
import * as orderStore from './order-store.ts'
import * as paymentStore from './store.ts'
import { callPaymentChain } from './transaction.ts'

/** Gas limit of a plain transfer without data. */
const CANCELLATION_GAS = 21_000n

/** The positions up to which the watcher has read the chain in this round. */
interface ReadPosition {
  head: number
  lastConfirmedBlock: number
  /** False if the scan reads transfers of another token or to another treasury. */
  isCoveredByScan: boolean
}

/**
 * Moves a collection forward. If a confirmed transaction has used the nonce of the collection, the
 * collection ends once it is clear which transaction that was. While the collecting transaction is
 * pending, it is sent again: as a cancellation if the collection is no longer wanted, with a higher
 * fee if the transaction is stuck.
 * @param ctx has the payment terms under which the transaction was signed
 * @param treasuryKey null if this server no longer holds the key. The transaction is then not sent
 *   again, because the server could not cancel it.
 */
export async function advanceCollection(
  ctx: Context,
  treasuryKey: Hex | null,
  collection: store.CollectionRow,
  blocks: ReadPosition,
): Promise<void> {
  const { head, lastConfirmedBlock } = blocks
  const [confirmedNonce, minedNonce] = await callPaymentChain(ctx, () =>
    Promise.all([countTransactions(ctx, lastConfirmedBlock), countTransactions(ctx, head)]),
  )
  if (confirmedNonce > collection.nonce) return endRunningCollection(ctx, collection, blocks)
  resetMissingReceiptCount(collection)
  if (minedNonce > collection.nonce || treasuryKey === null) return
  const isCancelling = isCancellation(ctx, parseTransaction(collection.signed).to)
  if (!isCancelling && !(await isStillWanted(ctx, collection))) {
    const cancellation = await signReplacement(ctx, treasuryKey, collection, { to: ctx.config.payment.treasury })
    if (cancellation) await sendTransaction(ctx, cancellation)
    return
  }
  // Only the transaction with the next nonce needs a higher fee: higher nonces wait for it.
  const isNext = minedNonce === collection.nonce
  const needsHigherFee = isNext && isStuck(collection.signedAt ?? collection.createdAt, ctx.clock.now())
  await sendTransaction(
    ctx,
    (needsHigherFee ? await signReplacement(ctx, treasuryKey, collection) : null) ?? collection,
  )
}

/**
 * Returns false once the order is paid, cancelled or expired, or its account has a subscription.
 * The server must then not charge anything more.
 */
async function isStillWanted(ctx: Context, { orderId }: store.CollectionRow): Promise<boolean> {
  const now = ctx.clock.now()
  const collectable = await orderStore.findCollectable(ctx.db, ctx.config.payment, now, orderId)
  const accountId = collectable?.order.accountId ?? null
  return accountId !== null && !(await isSubscribed(ctx.db, accountId, now))
}

/**
 * True for a zero-value transfer from the treasury to itself, which replaces a collecting
 * transaction.
 */
function isCancellation({ config }: Context, recipient: string | null | undefined): boolean {
  return recipient?.toLowerCase() === config.payment.treasury.toLowerCase()
}

function countTransactions(ctx: Context, height: number): Promise<number> {
  const { treasury: address } = ctx.config.payment
  return ctx.paymentChain.getTransactionCount({ address, blockNumber: BigInt(height) })
}

/**
 * Ends the collection. It stays unfinished while it is unclear which transaction used the nonce.
 */
async function endRunningCollection(
  ctx: Context,
  collection: store.CollectionRow,
  { lastConfirmedBlock, isCoveredByScan }: ReadPosition,
): Promise<void> {
  const nonceUse = await findNonceUse(ctx, collection, lastConfirmedBlock)
  if (nonceUse === null) return
  const receipt = nonceUse.isMined ? nonceUse.receipt : null
  const isReplaced = !nonceUse.isMined || (receipt !== null && isCancellation(ctx, receipt.to))
  const outcome = isReplaced ? 'overtaken' : receipt?.status === 'reverted' ? 'failed' : 'collected'
  // The collection stays unfinished until its transfer is credited: the scan reads another token or
  // treasury and would not find the transfer later.
  if (outcome === 'collected' && !isCoveredByScan && !(await ensureCredited(ctx, collection, receipt))) return
  const at = ctx.clock.now()
  if (outcome === 'failed' && receipt) {
    const { transactionHash: txHash, blockNumber } = receipt
    const txUpdate = { txHash, txState: 'failed', at, blockNumber: Number(blockNumber) } as const
    await orderStore.recordTransaction(ctx.db, collection.orderId, txUpdate)
  }
  await store.endCollection(ctx.db, collection.id, outcome, at)
  resetMissingReceiptCount(collection)
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
 * Signs a replacement with the same nonce and a higher fee. It is stored with the earlier hashes
 * before it is sent, because any of these transactions may be mined.
 * @param cancellation recipient of the zero-value transfer; without it, the same call is sent again
 * @returns null if the higher fee exceeds the cap
 */
async function signReplacement(
  ctx: Context,
  treasuryKey: Hex,
  collection: store.CollectionRow,
  cancellation?: { to: Address },
): Promise<store.CollectionRow | null> {
  const previousTransaction = parseTransaction(collection.signed)
  const { maxFeePerGas, maxPriorityFeePerGas = 0n } = previousTransaction
  if (previousTransaction.type !== 'eip1559' || maxFeePerGas === undefined)
    throw new Error('The collecting transaction has no fee')
  const market = await callPaymentChain(ctx, () => ctx.paymentChain.estimateFeesPerGas())
  const fees = computeRaisedFees({ maxFeePerGas, maxPriorityFeePerGas }, market, ctx.config.orders.maxFeeGwei)
  if (fees === null) {
    ctx.logger.warn(
      { order: collection.orderId },
      'a collecting transaction cannot be replaced: the higher fee would exceed the cap',
    )
    return null
  }
  const { chainId, nonce, to, data, gas } = previousTransaction
  const call = cancellation ? { ...cancellation, gas: CANCELLATION_GAS } : { to, data, gas }
  const signedTransaction = await signTransaction(treasuryKey, { chainId, nonce, ...call, ...fees })
  const replacedCollection = await store.replaceSigned(ctx.db, collection, {
    ...signedTransaction,
    signedAt: ctx.clock.now(),
  })
  ctx.failpoint('collect: before send')
  return replacedCollection
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
