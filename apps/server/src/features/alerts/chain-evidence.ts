import { alertAnchorAbi } from '@tocsin/contracts/abi'
import type { AnchorEvidence } from '@tocsin/proof'
import { BaseError, isAddressEqual, isHash, parseEventLogs, TransactionReceiptNotFoundError } from 'viem'
import type { Context } from '../../context.ts'

/** null: there is no such transaction or no anchor of our contract in it. 'unavailable': the chain did not answer. */
export type ChainEvidence = AnchorEvidence | null | 'unavailable'

/** What the anchor chain says about a transaction that somebody names. `size` chooses where it anchored several. */
export async function readChainEvidence(ctx: Context, txHash: unknown, size: unknown): Promise<ChainEvidence> {
  if (typeof txHash !== 'string' || !isHash(txHash)) return null
  try {
    const receipt = await ctx.anchorChain.getTransactionReceipt({ hash: txHash })
    const { contract } = ctx.config.anchor
    const events = parseEventLogs({ abi: alertAnchorAbi, eventName: 'Anchored', logs: receipt.logs }).filter(
      ({ address }) => isAddressEqual(address, contract),
    )
    const event = events.find(({ args }) => Number(args.size) === size) ?? events[0]
    if (!event) return null
    const [block, height] = await Promise.all([
      ctx.anchorChain.getBlock({ blockHash: receipt.blockHash }),
      ctx.anchorChain.getBlockNumber(),
    ])
    return {
      status: receipt.status,
      contract,
      size: Number(event.args.size),
      root: event.args.root,
      blockNumber: Number(receipt.blockNumber),
      blockAt: new Date(Number(block.timestamp) * 1000).toISOString(),
      confirmations: Math.max(1, Number(height - receipt.blockNumber) + 1),
    }
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    if (!(error instanceof BaseError)) throw error
    ctx.logger.warn({ reason: error.shortMessage }, 'the anchor chain could not be asked for a verification')
    return 'unavailable'
  }
}
