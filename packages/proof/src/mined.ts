import type { Hex } from './hex.ts'
import {
  formatQuantity,
  type Rpc,
  readBlockNumber,
  readChainId,
  readObject,
  readQuantity,
  readRpcHash,
} from './json-rpc.ts'

interface Receipt {
  status: 'success' | 'reverted'
  blockNumber: number
  blockHash: Hex
  logs: unknown[]
}

/**
 * Reads the receipt of a transaction. Returns null if the transaction does not exist.
 * @throws Error if the node is unreachable or on another chain, or the response is invalid
 */
export async function readReceipt(rpc: Rpc, chainId: number, hash: Hex): Promise<Receipt | null> {
  if ((await readChainId(rpc)) !== chainId) throw new Error('The node is on another chain')
  const response = await rpc('eth_getTransactionReceipt', [hash])
  if (response === null) return null
  const { status, blockNumber, blockHash, transactionHash, logs } = readObject(response)
  if (readRpcHash(transactionHash) !== hash) throw new Error('The receipt belongs to another transaction')
  if (!Array.isArray(logs)) throw new Error('The receipt has no logs')
  return {
    status: readStatus(status),
    blockNumber: readQuantity(blockNumber),
    blockHash: readRpcHash(blockHash),
    logs,
  }
}

/** Number of confirmations of a block: 1 for the latest block. */
export async function readConfirmations(rpc: Rpc, blockNumber: number): Promise<number> {
  return Math.max(1, (await readBlockNumber(rpc)) - blockNumber + 1)
}

/** @throws Error if the status is neither 0 nor 1 (EIP-658) */
function readStatus(value: unknown): 'success' | 'reverted' {
  const status = readQuantity(value)
  if (status > 1) throw new Error('The status of the receipt is neither 0 nor 1')
  return status === 1 ? 'success' : 'reverted'
}

/**
 * Timestamp of the receipt's block in Unix seconds.
 * @throws Error if a reorg replaced the block at this height
 */
export async function readBlockSeconds(rpc: Rpc, blockNumber: number, blockHash: Hex): Promise<number> {
  const block = readObject(await rpc('eth_getBlockByNumber', [formatQuantity(blockNumber), false]))
  if (readRpcHash(block.hash) !== blockHash || readQuantity(block.number) !== blockNumber) {
    throw new Error('The chain has no block with the hash in the receipt')
  }
  return readQuantity(block.timestamp)
}
