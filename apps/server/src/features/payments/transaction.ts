import type { Hex } from '@tocsin/proof'
import {
  BlockNotFoundError,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { parseTransfers, type Transfer } from '../../chain/transfer.ts'
import type { Context } from '../../context.ts'
import { Refusal } from '../../refusal.ts'

/** What the payment chain says of a transaction. `transfers` are all of its ERC-20 transfers, of any contract. */
export type ChainTransaction =
  | { state: 'unknown' }
  | { state: 'pending' }
  | { state: 'reverted' }
  | { state: 'mined'; confirmations: number; blockAt: Date; transfers: Transfer[] }

/** @throws Refusal `unavailable` when the chain can't be asked, or when its node serves another chain */
export function readTransaction(ctx: Context, txHash: Hex): Promise<ChainTransaction> {
  return askPaymentChain(ctx, async () => {
    const receipt = await findReceipt(ctx, txHash)
    if (!receipt) return { state: (await isPending(ctx, txHash)) ? 'pending' : 'unknown' }
    if (receipt.status !== 'success') return { state: 'reverted' }
    const [head, block] = await Promise.all([
      ctx.paymentChain.getBlockNumber(),
      findBlock(ctx, { blockHash: receipt.blockHash }),
    ])
    // Its block has just left the chain: the transaction is waiting for another one.
    if (!block) return { state: 'pending' }
    const transfers = parseTransfers(receipt.logs, {
      chainId: ctx.config.payment.chainId,
      number: receipt.blockNumber,
      hash: receipt.blockHash,
      at: block.at,
    })
    const confirmations = Math.max(0, Number(head - receipt.blockNumber) + 1)
    return { state: 'mined', confirmations, blockAt: block.at, transfers }
  })
}

/**
 * Runs reads of the payment chain after asking the node which chain it serves: the same hash and addresses mean nothing elsewhere.
 * @throws Refusal `unavailable`, never a fault: nothing is lost while the chain is silent
 */
export async function askPaymentChain<T>(ctx: Context, read: () => Promise<T>): Promise<T> {
  try {
    const chainId = await ctx.paymentChain.getChainId()
    if (chainId !== ctx.config.payment.chainId) throw new Error(`The payment node serves chain ${chainId}`)
    return await read()
  } catch (error) {
    ctx.logger.warn({ err: error }, 'the payment chain could not be read')
    throw new Refusal(
      'unavailable',
      'The payment chain can’t be reached right now. Your payment is safe: try again soon.',
    )
  }
}

/** The block's hash and time, null where the chain has no such block. */
export async function findBlock(
  ctx: Context,
  which: { blockHash: Hex } | { blockNumber: bigint },
): Promise<{ hash: Hex; at: Date } | null> {
  try {
    const { hash, timestamp } = await ctx.paymentChain.getBlock(which)
    return { hash, at: new Date(Number(timestamp) * 1000) }
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null
    throw error
  }
}

async function findReceipt(ctx: Context, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    return await ctx.paymentChain.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

async function isPending(ctx: Context, hash: Hex): Promise<boolean> {
  try {
    await ctx.paymentChain.getTransaction({ hash })
    return true
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return false
    throw error
  }
}
