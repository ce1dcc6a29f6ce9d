import { MINUTE_MS } from '@tocsin/protocol/durations'
import type { TransactionReceipt } from 'viem'
import type { Context } from '../../context.ts'
import type { CollectionRow } from './collection-store.ts'
import * as store from './store.ts'
import {
  CHUNK_BLOCKS,
  callPaymentChain,
  findBlock,
  findFirstBlock,
  findReceipt,
  readTransferLogs,
} from './transaction.ts'

/**
 * Number of reads without a receipt after which another transaction is considered to have used the
 * nonce. A lagging node, such as one behind a load balancer, may lack a receipt for minutes.
 */
const MIN_READS_WITHOUT_RECEIPT = 10
/** Minimum time between two counted reads. */
const READ_EVERY_MS = MINUTE_MS
/** Maximum difference between the clocks of server and chain. */
const SKEW_MS = 60 * MINUTE_MS

/**
 * `isMined` is true if a transaction of the collection used the nonce, and false if another one
 * did. `receipt` is null if only the Transfer log was found.
 */
export type NonceUse = { isMined: false } | { isMined: true; receipt: TransactionReceipt | null }

interface MissingReceiptCount {
  /** Newest block at the first read. The nonce was used in it or before it. */
  firstHead: number
  reads: number
  lastAtMs: number
}

/**
 * Counts the reads of each collection whose nonce is used but whose receipt is missing. Kept in
 * memory: a new leader starts counting again, which only delays the decision.
 */
const missingReceiptCounts = new Map<string, MissingReceiptCount>()

/**
 * Decides which transaction used the nonce of a collection. It may be any transaction of the
 * collection, because replacements have the same nonce. Collecting again without proof could charge
 * the customer twice.
 * @param head the newest block, at which the nonce is used
 * @returns null while that is unclear
 */
export async function findNonceUse(
  ctx: Context,
  collection: CollectionRow,
  { head, lastConfirmedBlock }: { head: number; lastConfirmedBlock: number },
): Promise<NonceUse | null> {
  const hashes = [collection.txHash, ...collection.earlierHashes]
  const receipts = await callPaymentChain(ctx, () => Promise.all(hashes.map((hash) => findReceipt(ctx, hash))))
  const receipt = receipts.find((candidate) => candidate !== null)
  if (receipt) {
    resetMissingReceiptCount(collection)
    return (await isFinal(ctx, receipt, lastConfirmedBlock)) ? { isMined: true, receipt } : null
  }
  // A recorded Transfer log is as good a proof as the receipt.
  if ((await store.listUsedTransfers(ctx.db, collection.chainId, hashes)).length > 0)
    return { isMined: true, receipt: null }
  const firstHead = countMissingReceipt(ctx, collection, head)
  if (firstHead === null || firstHead > lastConfirmedBlock) return null
  const transferBlock = await findTransferBlock(ctx, collection, head)
  if (transferBlock === null) return { isMined: false }
  // After a reorg, the transfer may be in a later block than the first use of the nonce.
  return transferBlock <= lastConfirmedBlock ? { isMined: true, receipt: null } : null
}

/**
 * Resets the count of reads. Call it when the nonce is unused again, a receipt was found, or the
 * collection has ended.
 */
export function resetMissingReceiptCount({ id }: CollectionRow): void {
  missingReceiptCounts.delete(id)
}

async function isFinal(ctx: Context, { blockNumber, blockHash }: TransactionReceipt, lastConfirmedBlock: number) {
  if (blockNumber > BigInt(lastConfirmedBlock)) return false
  const block = await callPaymentChain(ctx, () => findBlock(ctx, { blockNumber }))
  return block?.hash === blockHash
}

/**
 * Counts this read. If enough reads have found no receipt, returns the newest block at the first
 * one, otherwise null.
 */
function countMissingReceipt(ctx: Context, { id, orderId, txHash }: CollectionRow, head: number): number | null {
  const lastAtMs = ctx.clock.now().getTime()
  const count = missingReceiptCounts.get(id)
  if (!count) {
    missingReceiptCounts.set(id, { firstHead: head, reads: 1, lastAtMs })
    return null
  }
  if (lastAtMs - count.lastAtMs < READ_EVERY_MS) return null
  count.reads += 1
  count.lastAtMs = lastAtMs
  // The first read is not logged: right after a new block, a node may not have its receipts yet.
  if (count.reads === 2)
    ctx.logger.warn({ order: orderId, hash: txHash }, 'a collecting transaction has no receipt, but its nonce is used')
  return count.reads >= MIN_READS_WITHOUT_RECEIPT ? count.firstHead : null
}

/**
 * Returns the block with a Transfer log of the collection, or null. Reads the logs again, because
 * the scan may have read them from the same lagging node.
 * @throws Error if the node does not have all blocks since the collection was created
 */
async function findTransferBlock(
  ctx: Context,
  { txHash, earlierHashes, createdAt }: CollectionRow,
  head: number,
): Promise<number | null> {
  const hashes = new Set([txHash, ...earlierHashes])
  const { firstBlock, isHistoryMissing } = await findFirstBlock(ctx, createdAt.getTime() - SKEW_MS, head)
  if (isHistoryMissing) throw new Error(`The node lacks blocks before ${firstBlock}, which may contain the transfer`)
  for (let from = firstBlock; from <= head; from += CHUNK_BLOCKS) {
    const logs = await readTransferLogs(ctx, { from, to: Math.min(from + CHUNK_BLOCKS - 1, head) })
    const transferLog = logs.find((log) => hashes.has(log.txHash))
    if (transferLog) return transferLog.blockNumber
  }
  return null
}
