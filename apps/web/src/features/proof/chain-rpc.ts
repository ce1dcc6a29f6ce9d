import type { Rpc } from '@tocsin/proof'

const timeoutMs = 8_000
/** Allowlist of read methods, so that a compromised page cannot use the worker for other calls. */
const readMethods = new Set([
  'eth_chainId',
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getTransactionReceipt',
  'eth_getTransactionByHash',
  'eth_getLogs',
  'eth_call',
])

export interface ChainRpc {
  rpc: Rpc
  /** Why requests fail, as a sentence; null if all have succeeded. */
  getProblem(): string | null
  getRequestCount(): number
}

type Fetch = typeof fetch

/**
 * JSON-RPC client for one node. Equal requests are sent once. Verifies the node's chain id first: a
 * node of another chain would answer that the transaction does not exist.
 */
export function createChainRpc(url: string, chainId: number, fetcher: Fetch = fetch): ChainRpc {
  const responses = new Map<string, Promise<unknown>>()
  let problem: string | null = null
  let requestCount = 0

  function sendRequest(method: string, params: unknown[]): Promise<unknown> {
    const key = JSON.stringify([method, params])
    const knownResponse = responses.get(key)
    if (knownResponse) return knownResponse
    requestCount++
    const response = request(fetcher, url, { jsonrpc: '2.0', id: requestCount, method, params })
    responses.set(key, response)
    return response
  }

  const rpc: Rpc = async (method, params) => {
    try {
      if (!readMethods.has(method)) throw new Error(`Checks do not use the method ${method}.`)
      const nodeChainId = await sendRequest('eth_chainId', [])
      if (typeof nodeChainId !== 'string' || Number(nodeChainId) !== chainId) {
        throw new Error(`This node belongs to chain ${describeChain(nodeChainId)}. Enter a node of chain ${chainId}.`)
      }
      return await sendRequest(method, params)
    } catch (error) {
      problem ??= error instanceof Error ? error.message : 'The node could not be reached.'
      throw error
    }
  }
  return { rpc, getProblem: () => problem, getRequestCount: () => requestCount }
}

function describeChain(nodeChainId: unknown): string {
  const id = Number(nodeChainId)
  return typeof nodeChainId === 'string' && Number.isSafeInteger(id) ? String(id) : 'no id'
}

async function request(fetcher: Fetch, url: string, body: object): Promise<unknown> {
  const options = { method: 'POST', credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error' } as const
  const response = await fetcher(url, {
    ...options,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(async (error: unknown) => {
    throw new Error(isTimeout(error) ? timeoutMessage : await explainNetworkError(fetcher, url))
  })
  const text = await response.text().catch((error: unknown) => {
    throw new Error(isTimeout(error) ? timeoutMessage : 'The node’s response was incomplete.')
  })
  const parsed = parseResponse(text)
  if (parsed && 'result' in parsed) return parsed.result
  if (parsed) throw new Error(`The node rejected the request: ${parsed.message}`)
  if (!response.ok)
    throw new Error(
      `The node responded with HTTP status ${response.status}${response.status === 429 ? ', too many requests' : ''}.`,
    )
  throw new Error('The server at this address is not a blockchain node (no JSON-RPC response).')
}

const timeoutMessage = `The node did not respond within ${timeoutMs / 1000} seconds.`

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/**
 * Sends a `no-cors` request to distinguish an unreachable node from a node without CORS, because
 * `fetch` reports the same error for both.
 */
async function explainNetworkError(fetcher: Fetch, url: string): Promise<string> {
  try {
    await fetcher(url, { method: 'GET', mode: 'no-cors', credentials: 'omit', signal: AbortSignal.timeout(timeoutMs) })
    return 'This node does not let web pages read its responses (CORS). Choose another one.'
  } catch {
    return 'No server responds at this address. Check the address.'
  }
}

function parseResponse(text: string): { result: unknown } | { message: string } | null {
  const body = parseObject(text)
  if (!body) return null
  if ('result' in body) return { result: body.result }
  const error: unknown = 'error' in body ? body.error : undefined
  if (typeof error !== 'object' || error === null) return null
  const message = 'message' in error && typeof error.message === 'string' ? error.message : 'no reason given'
  return { message: message.slice(0, 200) }
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
