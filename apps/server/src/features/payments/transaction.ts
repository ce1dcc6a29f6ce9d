import type { Address, Hex } from '@tocsin/proof'
import {
  BlockNotFoundError,
  TransactionNotFoundError,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { parseTransfers, type Transfer } from '../../chain/transfer.ts'
import { listTransferLogs, type TransferLog } from '../../chain/transfer-logs.ts'
import type { Context } from '../../context.ts'
import { withDeadline } from '../../db/health.ts'
import { mapLimit } from '../../map-limit.ts'
import { createOutageLog, type OutageLog } from '../../outage-log.ts'
import { Refusal } from '../../refusal.ts'

/**
 * State of a transaction on the payment chain. `transfers` contains all of its ERC-20 transfers, of
 * any contract.
 */
export type ChainTransaction =
  | { state: 'unknown' }
  | { state: 'pending'; sender: Sender | null }
  | { state: 'reverted'; sender: Address; blockNumber: number }
  | { state: 'mined'; confirmations: number; blockAt: Date; transfers: Transfer[] }

export interface Sender {
  address: Address
  nonce: number
}

/** Maximum number of transactions read concurrently. The node receives them in batches. */
const MAX_CONCURRENT_READS = 250

type Block = { hash: Hex; at: Date }

/** @throws Refusal `unavailable` if the chain cannot be read or the node serves another chain */
export function readTransaction(ctx: Context, txHash: Hex): Promise<ChainTransaction> {
  const findHead = () => ctx.paymentChain.getBlockNumber()
  return callPaymentChain(ctx, () => readFromNode(ctx, txHash, findHead, (blockHash) => findBlock(ctx, { blockHash })))
}

/**
 * Reads many transactions. The chain id and height are read once, and each block once. Transactions
 * that cannot be read are left out.
 * @param onFailure is called for each of these transactions, with a Refusal `unavailable` that has
 *   the cause
 * @throws Refusal `unavailable` if the chain id or the height cannot be read
 */
export async function readTransactions(
  ctx: Context,
  txHashes: Iterable<Hex>,
  onFailure: (txHash: Hex, error: Refusal) => void,
): Promise<Map<Hex, ChainTransaction>> {
  return callPaymentChain(ctx, async () => {
    const readByHash = await createReader(ctx)
    const transactions = new Map<Hex, ChainTransaction>()
    const readInto = (hashes: Iterable<Hex>, onError: (txHash: Hex, error: unknown) => void) =>
      mapLimit(MAX_CONCURRENT_READS, hashes, async (txHash) => {
        try {
          transactions.set(txHash, await readByHash(txHash))
        } catch (error) {
          onError(txHash, error)
        }
      })
    const failedHashes: Hex[] = []
    await readInto(new Set(txHashes), (txHash) => failedHashes.push(txHash))
    // Read the failed transactions again, in reverse order. `createNodeTransport` repeats the first
    // failed call of a batch, and rejects all other failed calls if the first one fails again. In
    // reverse order, another call comes first.
    await readInto(failedHashes.reverse(), (txHash, cause) =>
      onFailure(txHash, Object.assign(createChainRefusal(), { cause })),
    )
    return transactions
  })
}

async function createReader(ctx: Context): Promise<(txHash: Hex) => Promise<ChainTransaction>> {
  // The height is read before the receipts: a height that is too low can only reduce the
  // confirmations.
  const head = await ctx.paymentChain.getBlockNumber()
  const blocks = new Map<Hex, Promise<Block | null>>()
  const findCachedBlock = (blockHash: Hex) => {
    const cachedRead = blocks.get(blockHash)
    if (cachedRead) return cachedRead
    const blockRead = findBlock(ctx, { blockHash })
    blocks.set(blockHash, blockRead)
    // A failed read is not kept, so that the next transaction of the block reads the block again.
    blockRead.catch(() => blocks.delete(blockHash))
    return blockRead
  }
  return (txHash) => readFromNode(ctx, txHash, async () => head, findCachedBlock)
}

async function readFromNode(
  ctx: Context,
  txHash: Hex,
  findHead: () => Promise<bigint>,
  findBlockOf: (blockHash: Hex) => Promise<Block | null>,
): Promise<ChainTransaction> {
  const receipt = await findReceipt(ctx, txHash)
  if (!receipt) {
    const sender = await findSender(ctx, txHash)
    return sender ? { state: 'pending', sender } : { state: 'unknown' }
  }
  if (receipt.status !== 'success') {
    return { state: 'reverted', sender: receipt.from, blockNumber: Number(receipt.blockNumber) }
  }
  const [head, block] = await Promise.all([findHead(), findBlockOf(receipt.blockHash)])
  // The block was reorganised out, so the transaction is pending again.
  if (!block) return { state: 'pending', sender: null }
  const transfers = parseTransfers(receipt.logs, {
    chainId: ctx.config.payment.chainId,
    number: receipt.blockNumber,
    hash: receipt.blockHash,
    at: block.at,
  })
  const confirmations = Math.max(0, Number(head - receipt.blockNumber) + 1)
  return { state: 'mined', confirmations, blockAt: block.at, transfers }
}

const outageLogs = new WeakMap<Context['paymentChain'], OutageLog>()

function getOutageLog(chain: Context['paymentChain']): OutageLog {
  const outageMessages = { begins: 'the payment chain cannot be read', ends: 'the payment chain can be read again' }
  const log = outageLogs.get(chain) ?? createOutageLog(outageMessages)
  outageLogs.set(chain, log)
  return log
}

/**
 * Runs chain reads after checking the node's chain id, because the same hashes and addresses have
 * no meaning on another chain.
 * @throws Refusal `unavailable` on any error. No payment is lost while the chain cannot be read, so
 *   callers can retry
 */
export async function callPaymentChain<T>(
  ctx: Pick<Context, 'config' | 'paymentChain' | 'logger' | 'clock'>,
  read: () => Promise<T>,
): Promise<T> {
  const outageLog = getOutageLog(ctx.paymentChain)
  const { chainId } = ctx.config.payment
  try {
    const servedId = await ctx.paymentChain.getChainId()
    if (servedId !== chainId) throw new Error(`The payment node serves chain ${servedId}`)
    const result = await read()
    outageLog.recordSuccess(ctx, { chainId })
    return result
  } catch (error) {
    outageLog.recordFailure(ctx, error, { chainId })
    throw createChainRefusal()
  }
}

/**
 * Returns null if the chain is unavailable or does not answer in time; the work then continues.
 * @throws any other error
 */
export function withChainDeadline<T>(operation: Promise<T>, deadlineMs: number): Promise<T | null> {
  const result = operation.catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'unavailable') return null
    throw error
  })
  return withDeadline(result, deadlineMs, null)
}

const createChainRefusal = () =>
  new Refusal('unavailable', 'The payment chain can’t be reached right now. Your payment is safe: try again soon.')

/** Returns hash and time of a block, or null if the chain does not have it. */
export async function findBlock(
  ctx: Context,
  blockId: { blockHash: Hex } | { blockNumber: bigint },
): Promise<Block | null> {
  try {
    const { hash, timestamp } = await ctx.paymentChain.getBlock(blockId)
    const isRequested = !('blockHash' in blockId) || hash.toLowerCase() === blockId.blockHash.toLowerCase()
    if (!isRequested) throw new Error(`The node returned another block for ${blockId.blockHash}`)
    return { hash, at: new Date(Number(timestamp) * 1000) }
  } catch (error) {
    if (error instanceof BlockNotFoundError) return null
    throw error
  }
}

export async function findReceipt(ctx: Context, hash: Hex): Promise<TransactionReceipt | null> {
  try {
    const receipt = await ctx.paymentChain.getTransactionReceipt({ hash })
    if (receipt.transactionHash.toLowerCase() !== hash.toLowerCase())
      throw new Error(`The node returned another receipt for ${hash}`)
    return receipt
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

/** Block range of one eth_getLogs request. Public nodes of the payment chains accept it. */
export const CHUNK_BLOCKS = 1_000

/**
 * Reads the treasury's incoming transfers of these blocks.
 * @throws Refusal `unavailable`
 */
export function readTransferLogs(ctx: Context, blocks: { from: number; to: number }): Promise<TransferLog[]> {
  return callPaymentChain(ctx, () => listTransferLogs(ctx.paymentChain, ctx.config.payment, blocks))
}

/** Number of blocks that every node has, unless it lags. */
const RECENT_BLOCKS = 128

/**
 * Finds the first block up to `lastBlock` that is not older than `oldestMs` and that the node has.
 * Steps back from `lastBlock` in growing steps, because nodes may lack old blocks, and then
 * searches the last step.
 * @returns also whether the node lacks the block before the first one, so that there may be older
 *   blocks that are not older than `oldestMs`
 * @throws Refusal `unavailable`, also if the node lags
 */
export async function findFirstBlock(
  ctx: Context,
  oldestMs: number,
  lastBlock: number,
): Promise<{ firstBlock: number; isHistoryMissing: boolean }> {
  const missingBlocks = new Set<number>()
  const isTooOld = (blockNumber: number) =>
    callPaymentChain(ctx, async () => {
      const block = await findBlock(ctx, { blockNumber: BigInt(blockNumber) })
      if (!block && lastBlock - blockNumber < RECENT_BLOCKS)
        throw new Error(`The node does not have block ${blockNumber}`)
      if (!block) missingBlocks.add(blockNumber)
      return !block || block.at.getTime() < oldestMs
    })
  let firstBlock = Math.max(0, lastBlock)
  let excludedBlock = firstBlock - 1
  for (let step = 2; excludedBlock >= 0 && !(await isTooOld(excludedBlock)); step *= 2) {
    firstBlock = excludedBlock
    excludedBlock = Math.max(-1, excludedBlock - step)
  }
  while (firstBlock - excludedBlock > 1) {
    const middle = Math.floor((firstBlock + excludedBlock) / 2)
    if (await isTooOld(middle)) excludedBlock = middle
    else firstBlock = middle
  }
  return { firstBlock, isHistoryMissing: missingBlocks.has(excludedBlock) }
}

async function findSender(ctx: Context, hash: Hex): Promise<Sender | null> {
  try {
    const { from, nonce } = await ctx.paymentChain.getTransaction({ hash })
    return { address: from, nonce }
  } catch (error) {
    if (error instanceof TransactionNotFoundError) return null
    throw error
  }
}

/** Converts a hash to lower case, which is how nodes return and the database stores hashes. */
export function toHash(text: string): Hex {
  return `0x${text.slice(2).toLowerCase()}`
}
