import type { Address, Hex } from '@tocsin/proof'
import {
  keccak256,
  parseTransaction,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type TransactionSerializableEIP1559,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Context } from '../../context.ts'
import { isStuck, raisedFees } from './collection-fee.ts'
import * as store from './collection-store.ts'
import type { PaymentEffects } from './credit-payment.ts'
import * as orderStore from './order-store.ts'
import { askPaymentChain } from './transaction.ts'

/** What the chain asks for a transfer without data. */
const WITHDRAWAL_GAS = 21_000n

/** Ends a transaction that is settled for good, and sends any other again that is in no block. */
export async function advance(
  ctx: Context,
  effects: PaymentEffects,
  treasuryKey: Hex,
  running: store.CollectionRow,
  { head, confirmed }: { head: number; confirmed: number },
): Promise<void> {
  const [usedForGood, used] = await askPaymentChain(ctx, () =>
    Promise.all([confirmed, head].map((height) => countTransactions(ctx, height))),
  )
  if (usedForGood === undefined || used === undefined) return
  if (usedForGood > running.nonce) return end(ctx, running)
  if (used > running.nonce) return
  const isWithdrawing = isWithdrawal(ctx, parseTransaction(running.signed).to)
  if (!isWithdrawing && !(await isStillWanted(ctx, effects, running))) {
    const withdrawn = await replace(ctx, treasuryKey, running, { to: ctx.config.payment.treasury })
    if (withdrawn) await send(ctx, withdrawn)
    return
  }
  // Those behind it wait for this one alone.
  const isNext = used === running.nonce
  const needsHigherFee = isNext && isStuck(running.signedAt ?? running.createdAt, ctx.clock.now())
  await send(ctx, (needsHigherFee ? await replace(ctx, treasuryKey, running) : null) ?? running)
}

/** False once the order is paid, given up or over, or its account has a subscription: then nothing should be charged any more. */
async function isStillWanted(
  ctx: Context,
  effects: PaymentEffects,
  { orderId }: store.CollectionRow,
): Promise<boolean> {
  const now = ctx.clock.now()
  const collectable = await orderStore.findCollectable(ctx.db, ctx.config.payment.chainId, now, orderId)
  const accountId = collectable?.order.accountId ?? null
  return accountId !== null && !(await effects.isSubscribed(ctx.db, accountId, now))
}

/** A transfer of nothing by the treasury to itself, in place of one that collects. */
function isWithdrawal({ config }: Context, recipient: string | null | undefined): boolean {
  return recipient?.toLowerCase() === config.payment.treasury.toLowerCase()
}

function countTransactions(ctx: Context, height: number): Promise<number> {
  const { treasury: address } = ctx.config.payment
  return ctx.paymentChain.getTransactionCount({ address, blockNumber: BigInt(height) })
}

/** Any of its transactions may be the one that was mined: they share a nonce. */
async function end(ctx: Context, running: store.CollectionRow): Promise<void> {
  const hashes = [running.txHash, ...running.earlierHashes]
  const found = await askPaymentChain(ctx, () => Promise.all(hashes.map((hash) => findReceipt(ctx, hash))))
  const receipt = found.find((each) => each !== null) ?? null
  const isOvertaken = receipt === null || isWithdrawal(ctx, receipt.to)
  const outcome = isOvertaken ? 'overtaken' : receipt.status === 'success' ? 'collected' : 'failed'
  const at = ctx.clock.now()
  if (outcome === 'failed' && receipt) {
    const { transactionHash: txHash, blockNumber } = receipt
    const note = { txHash, txState: 'failed', at, blockNumber: Number(blockNumber) } as const
    await orderStore.noteTransaction(ctx.db, running.orderId, note)
  }
  await store.endCollection(ctx.db, running.id, outcome, at)
}

/**
 * Signs a transaction with the same nonce and a higher fee, and stores it before it is sent, beside the one before: either may be mined.
 * @param withdrawal what to send instead; without it the same again
 * @returns null where the higher fee is above the cap
 */
async function replace(
  ctx: Context,
  treasuryKey: Hex,
  running: store.CollectionRow,
  withdrawal?: { to: Address },
): Promise<store.CollectionRow | null> {
  const before = parseTransaction(running.signed)
  const { maxFeePerGas, maxPriorityFeePerGas = 0n } = before
  if (before.type !== 'eip1559' || maxFeePerGas === undefined) throw new Error('The collecting transaction has no fee')
  const market = await askPaymentChain(ctx, () => ctx.paymentChain.estimateFeesPerGas())
  const fees = raisedFees({ maxFeePerGas, maxPriorityFeePerGas }, market, ctx.config.orders.maxFeeGwei)
  if (fees === null) {
    ctx.logger.warn({ order: running.orderId }, 'a collecting transaction waits: a higher fee would be above the cap')
    return null
  }
  const { chainId, nonce, to, data, gas } = before
  const call = withdrawal ? { ...withdrawal, gas: WITHDRAWAL_GAS } : { to, data, gas }
  const signed = await sign(treasuryKey, { chainId, nonce, ...call, ...fees })
  const replaced = await store.replaceSigned(ctx.db, running, { ...signed, signedAt: ctx.clock.now() })
  ctx.failpoint('collect: before send')
  return replaced
}

export async function sign(treasuryKey: Hex, transaction: TransactionSerializableEIP1559) {
  const signed = await privateKeyToAccount(treasuryKey).signTransaction({ ...transaction, type: 'eip1559' })
  return { signed, txHash: keccak256(signed) }
}

async function findReceipt(ctx: Context, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    return await ctx.paymentChain.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

/** Whether it arrived shows on the chain; a node that has it already says no, and so does one of several. */
export async function send(ctx: Context, { orderId, txHash, nonce, signed }: store.CollectionRow): Promise<void> {
  try {
    await ctx.paymentChain.sendRawTransaction({ serializedTransaction: signed })
  } catch (error) {
    ctx.logger.debug({ err: error, hash: txHash }, 'a node did not take a collecting transaction')
  }
  if (isWithdrawal(ctx, parseTransaction(signed).to)) return
  const sender = { address: ctx.config.payment.treasury, nonce }
  const note = { txHash, txState: 'seen', at: ctx.clock.now(), sender } as const
  await orderStore.noteUnlessKnown(ctx.db, orderId, note)
}
