import { type Rpc, readChainId } from '@tocsin/proof'
import { formatOrigin, type Limits, request } from './http.ts'
import { isObject } from './log-source.ts'
import { CannotCheck } from './outcome.ts'
import { quote } from './printable.ts'

/** The node rejected the request. A smaller request may succeed. */
export class RpcRefusal extends CannotCheck {}

/**
 * Creates a client for JSON-RPC over HTTP to one node. It throws CannotCheck, or RpcRefusal if the
 * node returns an error.
 * @param url null if the user gave no node; then every request fails
 */
export function createRpc(url: URL | null, limits: Limits): Rpc {
  if (!url) return () => Promise.reject(new CannotCheck('No node of the chain was given (--rpc)'))
  let lastId = 0
  return async (method, params) => {
    lastId += 1
    const response = await request(url, limits, {
      body: JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params }),
    })
    return readResult(response.text, lastId, `The node ${formatOrigin(url)}`, response.status)
  }
}

/**
 * Records the first error of the node, because the checks only report that the chain is
 * unavailable.
 */
export function trackRpcProblem(rpc: Rpc, chainId: number): { rpc: Rpc; problem(): string | null } {
  let problem: string | null = null
  return {
    async rpc(method, params) {
      try {
        const response = await rpc(method, params)
        if (method === 'eth_chainId' && !(await isChainId(response, chainId))) {
          problem ??= `The node gives ${quote(String(response))} as its chain, not ${chainId}`
        }
        return response
      } catch (error) {
        if (error instanceof CannotCheck) problem ??= error.message
        throw error
      }
    },
    problem: () => problem,
  }
}

/** Compares numbers, because nodes may write capital letters and leading zeros. */
async function isChainId(response: unknown, chainId: number): Promise<boolean> {
  return (await readChainId(async () => response).catch(() => null)) === chainId
}

function readResult(text: string, id: number, node: string, status: number): unknown {
  const reply = parseObject(text)
  if (!reply) {
    throw new CannotCheck(
      status === 200 ? `${node} returned a response that is not JSON-RPC` : `${node} returned ${status}`,
    )
  }
  if (typeof reply.error === 'object' && reply.error !== null) throw createRefusal(node, reply.error)
  if (status !== 200) throw new CannotCheck(`${node} returned ${status}`)
  // Rejects a response to another request.
  if (reply.id !== id || reply.result === undefined)
    throw new CannotCheck(`${node} returned a response to another request, or one without a result`)
  return reply.result
}

function parseObject(text: string): { id?: unknown; result?: unknown; error?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

function createRefusal(node: string, error: object): RpcRefusal {
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'no reason'
  return new RpcRefusal(`${node} refuses: ${quote(message)}`)
}
