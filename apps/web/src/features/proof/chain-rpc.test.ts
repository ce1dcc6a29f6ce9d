import { describe, expect, it } from 'vitest'
import { createChainRpc } from './chain-rpc.ts'

const url = 'https://node.example/'
const respondWithJson = (body: unknown, status = 200) => new Response(JSON.stringify(body), { status })

/** A fake node with a response per method. */
function createNode(responses: Record<string, (init: RequestInit) => Response | Promise<Response>>) {
  const requested: string[] = []
  const fetcher: typeof fetch = async (_url, init = {}) => {
    const method = init.method === 'GET' ? 'get' : JSON.parse(String(init.body)).method
    requested.push(method)
    const respond = responses[method]
    if (!respond) throw new TypeError('Failed to fetch')
    return respond(init)
  }
  return { fetcher, requested }
}
const onChain = (result: unknown) => () => respondWithJson({ jsonrpc: '2.0', id: 1, result })
const rejectWithTimeout = () => Promise.reject(new DOMException('signal timed out', 'TimeoutError'))

describe('createChainRpc', () => {
  it.each<[string, Parameters<typeof createNode>[0], RegExp]>([
    ['is unreachable', {}, /No server responds at this address/],
    ['does not allow CORS', { get: () => new Response(null) }, /does not let web pages read its responses \(CORS\)/],
    ['times out', { eth_chainId: rejectWithTimeout }, /did not respond within 8 seconds/],
    ['serves another chain', { eth_chainId: onChain('0x1') }, /belongs to chain 1\. Enter a node of chain 43114/],
    ['returns no chain id', { eth_chainId: onChain(null) }, /belongs to chain no id/],
    ['returns HTML', { eth_chainId: () => new Response('<html>') }, /is not a blockchain node/],
    ['returns 403', { eth_chainId: () => new Response('no', { status: 403 }) }, /responded with HTTP status 403\./],
    ['rate limits', { eth_chainId: () => new Response('', { status: 429 }) }, /429, too many requests/],
    [
      'rejects the first request',
      { eth_chainId: () => respondWithJson({ error: { message: 'no key' } }, 401) },
      /The node rejected the request: no key/,
    ],
    [
      'rejects a later request',
      { eth_chainId: onChain('0xa86a'), eth_blockNumber: () => respondWithJson({ error: {} }) },
      /The node rejected the request: no reason given/,
    ],
  ])('explains the problem when the node %s', async (_name, responses, problem) => {
    const chain = createChainRpc(url, 43114, createNode(responses).fetcher)
    await expect(chain.rpc('eth_blockNumber', [])).rejects.toThrow(problem)
    expect(chain.getProblem()).toMatch(problem)
  })

  it('rejects methods that are not on the allowlist without sending a request', async () => {
    const node = createNode({ eth_chainId: onChain('0xa86a'), eth_sendRawTransaction: onChain('0x') })
    const chain = createChainRpc(url, 43114, node.fetcher)
    await expect(chain.rpc('eth_sendRawTransaction', ['0x'])).rejects.toThrow(/do not use/)
    expect(node.requested).toEqual([])
  })
})

it('createChainRpc: sends equal requests once, without cookies and referrer', async () => {
  const sentRequests: RequestInit[] = []
  const recordRequest = (result: unknown) => (init: RequestInit) => {
    sentRequests.push(init)
    return respondWithJson({ result })
  }
  const node = createNode({ eth_chainId: recordRequest('0xa86a'), eth_blockNumber: recordRequest('0x10') })
  const chain = createChainRpc(url, 43114, node.fetcher)
  expect(await chain.rpc('eth_blockNumber', [])).toBe('0x10')
  expect(await chain.rpc('eth_blockNumber', [])).toBe('0x10')
  expect(node.requested).toEqual(['eth_chainId', 'eth_blockNumber'])
  expect(chain.getRequestCount()).toBe(2)
  expect(chain.getProblem()).toBeNull()
  for (const init of sentRequests) {
    expect(init).toMatchObject({ credentials: 'omit', referrerPolicy: 'no-referrer', redirect: 'error' })
  }
})
