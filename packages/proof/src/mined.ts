import type { Hex } from './hex.ts'
import { formatQuantity, type Rpc, readObject, readQuantity, readRpcHash } from './json-rpc.ts'

/** @throws Error if the status is neither 0 nor 1 (EIP-658) */
export function readStatus(value: unknown): 'success' | 'reverted' {
  const status = readQuantity(value)
  if (status > 1) throw new Error('The status of the receipt is neither 0 nor 1')
  return status === 1 ? 'success' : 'reverted'
}

/**
 * Timestamp of the receipt's block in Unix seconds.
 * @throws Error if a reorg replaced the block at this height
 */
export async function readBlockSeconds(rpc: Rpc, number: number, hash: Hex): Promise<number> {
  const block = readObject(await rpc('eth_getBlockByNumber', [formatQuantity(number), false]))
  if (readRpcHash(block.hash) !== hash || readQuantity(block.number) !== number) {
    throw new Error('The chain has no block with the hash in the receipt')
  }
  return readQuantity(block.timestamp)
}
