import { isHash } from './field-checks.ts'
import type { Hex } from './hex.ts'

/**
 * Asks a node of the anchor chain (Ethereum JSON-RPC) and answers the `result`. Throws when the node can't be asked or answers
 * with an error. Server, browser and command line bring their own.
 */
export type Rpc = (method: string, params: unknown[]) => Promise<unknown>

/** What nodes say is not to be trusted, so every reader throws on what is not of the one form that the standard has for it. */
export type RpcObject = { readonly [field: string]: unknown }

/** @throws Error when the node can't be asked or answers nonsense */
export async function readChainId(rpc: Rpc): Promise<number> {
  return readQuantity(await rpc('eth_chainId', []))
}

/**
 * The number of the newest block.
 * @throws Error when the node can't be asked or answers nonsense
 */
export async function readBlockNumber(rpc: Rpc): Promise<number> {
  return readQuantity(await rpc('eth_blockNumber', []))
}

/** @throws Error */
export function readObject(value: unknown): RpcObject {
  if (!isRpcObject(value)) throw new Error('The node did not answer an object')
  return value
}

function isRpcObject(value: unknown): value is RpcObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @throws Error beyond 2^53 - 1 too: no block, size or time is there */
export function readQuantity(value: unknown): number {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,16}$/.test(value))
    throw new Error('The node did not answer a quantity')
  return readNumber(BigInt(value))
}

/** @throws Error */
export function readNumber(value: bigint): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new Error('The node answered a number beyond 2^53 - 1')
  return Number(value)
}

/** @throws Error */
export function readRpcHash(value: unknown): Hex {
  const hash = typeof value === 'string' ? value.toLowerCase() : null
  if (!isHash(hash)) throw new Error('The node did not answer a hash')
  return hash
}

export function formatQuantity(value: number): Hex {
  return `0x${value.toString(16)}`
}

/** Asks each question once: one file needs the same chain, block and transaction again and again. */
export function rememberAnswers(rpc: Rpc): Rpc {
  const answers = new Map<string, Promise<unknown>>()
  return (method, params) => {
    const question = JSON.stringify([method, params])
    const known = answers.get(question)
    if (known) return known
    const answer = rpc(method, params)
    answers.set(question, answer)
    return answer
  }
}
