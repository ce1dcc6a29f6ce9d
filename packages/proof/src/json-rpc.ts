import { isHash } from './field-checks.ts'
import type { Hex } from './hex.ts'

/**
 * Calls a node (Ethereum JSON-RPC) and returns the `result`. Throws if the node is unreachable or
 * returns an error. Server, browser and command line provide their own implementation.
 */
export type Rpc = (method: string, params: unknown[]) => Promise<unknown>

/**
 * A response object. Responses are untrusted, so every reader throws on values that do not have the
 * standard form.
 */
export type RpcObject = { readonly [field: string]: unknown }

/** @throws Error if the node is unreachable or the response is invalid */
export async function readChainId(rpc: Rpc): Promise<number> {
  return readQuantity(await rpc('eth_chainId', []))
}

/**
 * The number of the latest block.
 * @throws Error if the node is unreachable or the response is invalid
 */
export async function readBlockNumber(rpc: Rpc): Promise<number> {
  return readQuantity(await rpc('eth_blockNumber', []))
}

/** @throws Error if the value is not an object */
export function readObject(value: unknown): RpcObject {
  if (!isRpcObject(value)) throw new Error('The node did not return an object')
  return value
}

function isRpcObject(value: unknown): value is RpcObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @throws Error if the value is not a hex quantity, or is above 2^53 - 1 */
export function readQuantity(value: unknown): number {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,16}$/.test(value))
    throw new Error('The node did not return a quantity')
  return readNumber(BigInt(value))
}

/** @throws Error above 2^53 - 1 */
export function readNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('The node returned a number above 2^53 - 1')
  return Number(value)
}

/** @throws Error if the value is not a 32-byte hash */
export function readRpcHash(value: unknown): Hex {
  // Nodes may write digits in either case, but the prefix is always lower-case.
  const hash = typeof value === 'string' && value.startsWith('0x') ? value.toLowerCase() : null
  if (!isHash(hash)) throw new Error('The node did not return a hash')
  return hash
}

export function formatQuantity(value: number): Hex {
  return `0x${value.toString(16)}`
}

/**
 * Caches all responses, because verifying one file reads the same chain id, blocks and transactions
 * repeatedly.
 */
export function cacheResponses(rpc: Rpc): Rpc {
  const responses = new Map<string, Promise<unknown>>()
  return (method, params) => {
    const requestText = JSON.stringify([method, params])
    const cachedResponse = responses.get(requestText)
    if (cachedResponse) return cachedResponse
    const response = rpc(method, params)
    responses.set(requestText, response)
    return response
  }
}
