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
  if (receipt) return (await isFinal(ctx, receipt, lastConfirmedBlock)) ? { isMined: true, receipt } : null
  // A recorded Transfer log is as good a proof as the receipt.
  if ((await store.listUsedTransfers(ctx.db, collection.chainId, hashes)).length > 0)
    return { isMined: true, receipt: null }
  if (!countMissingReceipt(ctx, collection)) return null
  return (await hasTransfer(ctx, collection, head)) ? { isMined: true, receipt: null } : { isMined: false }
}

/**
 * Resets the count of reads. Call it when the nonce is unused again, or the collection has ended.
 */
export function resetMissingReceiptCount({ id }: CollectionRow): void {
  missingReceiptCounts.delete(id)
}

async function isFinal(ctx: Context, { blockNumber, blockHash }: TransactionReceipt, lastConfirmedBlock: number) {
  if (blockNumber > BigInt(lastConfirmedBlock)) return false
  const block = await callPaymentChain(ctx, () => findBlock(ctx, { blockNumber }))
  return block?.hash === blockHash
}

/** Counts this read. Returns true if enough reads have found no receipt. */
function countMissingReceipt(ctx: Context, { id, orderId, txHash }: CollectionRow): boolean {
  const lastAtMs = ctx.clock.now().getTime()
  const count = missingReceiptCounts.get(id)
  if (!count) {
    missingReceiptCounts.set(id, { reads: 1, lastAtMs })
    return false
  }
  if (lastAtMs - count.lastAtMs < READ_EVERY_MS) return false
  count.reads += 1
  count.lastAtMs = lastAtMs
  // The first read is not logged: right after a new block, a node may not have its receipts yet.
  if (count.reads === 2)
    ctx.logger.warn({ order: orderId, hash: txHash }, 'a collecting transaction has no receipt, but its nonce is used')
  return count.reads >= MIN_READS_WITHOUT_RECEIPT
}

/**
 * Returns true if a Transfer log of the collection is found. Reads the logs again, because the scan
 * may have read them from the same lagging node.
 */
async function hasTransfer(
  ctx: Context,
  { txHash, earlierHashes, createdAt }: CollectionRow,
  head: number,
): Promise<boolean> {
  const hashes = new Set([txHash, ...earlierHashes])
  const firstBlock = await findFirstBlock(ctx, createdAt.getTime() - SKEW_MS, head)
  for (let from = firstBlock; from <= head; from += CHUNK_BLOCKS) {
    const logs = await readTransferLogs(ctx, { from, to: Math.min(from + CHUNK_BLOCKS - 1, head) })
    if (logs.some((log) => hashes.has(log.txHash))) return true
  }
  return false
}
