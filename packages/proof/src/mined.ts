import type { Hex } from './hex.ts'
import { formatQuantity, type Rpc, readObject, readQuantity, readRpcHash } from './json-rpc.ts'

/** @throws Error when it is neither of the two that EIP-658 knows */
export function readStatus(value: unknown): 'success' | 'reverted' {
  const status = readQuantity(value)
  if (status > 1) throw new Error('The receipt has no status')
  return status === 1 ? 'success' : 'reverted'
}

/**
 * The time in Unix seconds of the block that a receipt names.
 * @throws Error when the chain holds another block at this height by now
 */
export async function readBlockSeconds(rpc: Rpc, number: number, hash: Hex): Promise<number> {
  const block = readObject(await rpc('eth_getBlockByNumber', [formatQuantity(number), false]))
  if (readRpcHash(block.hash) !== hash || readQuantity(block.number) !== number) {
    throw new Error('The receipt is of a block that the chain does not hold')
  }
  return readQuantity(block.timestamp)
}
