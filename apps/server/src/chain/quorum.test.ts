import { serve } from '@tocsin/testkit/serve'
import { beforeEach, describe, expect, test } from 'vitest'
import { rpcRequestSeconds } from '../metrics.ts'
import { createChainClient } from './chain-client.ts'

const hash = `0x${'ab'.repeat(32)}` as const
const block = `0x${'cd'.repeat(32)}`
const createLog = (amount: string) => ({
  address: `0x${'11'.repeat(20)}`,
  topics: [],
  data: amount,
  blockNumber: '0x10',
  blockHash: block,
  transactionHash: hash,
  transactionIndex: '0x0',
  logIndex: '0x0',
})
const createReceipt = (amount: string, extraFields: object = {}) => ({
  status: '0x1',
  transactionHash: hash,
  transactionIndex: '0x0',
  blockHash: block,
  blockNumber: '0x10',
  logs: [{ ...createLog(amount), ...extraFields }],
  ...extraFields,
})

/**
 * Responses of a node by method, after `delayMs` if it is set. 'hangs': the node never responds.
 * 'fails': the node responds with status 500.
 */
type Node = Record<string, unknown> | 'hangs' | 'fails'

/** Number of requests that a hanging node holds open until the client's timeout. */
let openRequests = 0
/** Number of all requests. A read sends one to each node. */
let requests = 0
beforeEach(() => {
  openRequests = 0
  requests = 0
})

function nodeUrl(node: Node): Promise<string> {
  return serve((_request, response, body) => {
    requests += 1
    if (node === 'hangs') {
      openRequests += 1
      response.on('close', () => {
        openRequests -= 1
      })
      return
    }
    if (node === 'fails') return response.writeHead(500).end()
    const { id, method } = JSON.parse(body)
    response.setHeader('content-type', 'application/json')
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: node[method] ?? null })
    setTimeout(() => response.end(text), Number(node.delayMs ?? 0))
  })
}

const createClient = async (...nodes: Node[]) => createChainClient(await Promise.all(nodes.map(nodeUrl)))
const honestNode = { eth_getTransactionReceipt: createReceipt('0x0a') }
const lyingNode = { eth_getTransactionReceipt: createReceipt('0xff') }

describe('quorum: rejects a receipt', () => {
  const cases: [string, Node[], RegExp][] = [
    ['when two nodes disagree', [honestNode, lyingNode], /differently/],
    ['when one of two nodes fails', [honestNode, 'fails'], /HTTP request failed/],
    ['when one of two nodes does not have it', [honestNode, {}], /differently/],
    ['when three nodes all disagree', [honestNode, lyingNode, {}], /differently/],
    ['when two nodes disagree and the third fails', [honestNode, lyingNode, 'fails'], /differently/],
    ['when two of three nodes fail', ['fails', honestNode, 'fails'], /HTTP request failed/],
  ]
  test.each(cases)('%s', async (_name, nodes, message) => {
    const client = await createClient(...nodes)
    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow(message)
    expect(requests).toBe(nodes.length)
  })
})

describe('quorum: accepts a receipt', () => {
  const cases: [string, Node[]][] = [
    ['when the only node returns it', [honestNode]],
    [
      'when two nodes agree apart from extra fields',
      [honestNode, { eth_getTransactionReceipt: createReceipt('0x0A', { l1Fee: '0x1' }) }],
    ],
    ['when one of three nodes lies', [lyingNode, honestNode, honestNode]],
    ['when one of three nodes fails', ['fails', honestNode, honestNode]],
    ['without waiting when one of three nodes hangs', ['hangs', honestNode, honestNode]],
  ]
  test.each(cases)('%s', async (_name, nodes) => {
    const client = await createClient(...nodes)
    const { status, logs } = await client.getTransactionReceipt({ hash })
    expect([status, BigInt(logs[0]?.data ?? 0)]).toEqual(['success', 10n])
    // The request is still open, so the read did not wait for the timeout of the hanging node.
    if (nodes.includes('hangs')) await expect.poll(() => openRequests).toBe(1)
  })
})

test.each([
  ...['number', 'hash', 'timestamp', 'status', 'transactionHash', 'blockHash', 'blockNumber'],
  ...['from', 'to', 'logs', 'logIndex', 'address', 'topics', 'data'],
  ...['transactions', 'baseFeePerGas', 'nonce'],
])('quorum: rejects a response when two nodes disagree about its %s', async (field) => {
  const client = await createClient(
    { eth_getTransactionReceipt: { [field]: '0x1' } },
    { eth_getTransactionReceipt: { [field]: '0x2' } },
  )
  const pendingReceipt = client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
  await expect(pendingReceipt).rejects.toThrow(/differently/)
})

const address = `0x${'11'.repeat(20)}` as const
describe('quorum: returns the median of the responses 0x5, 0x9 and 0x7', () => {
  test.each([
    ['to eth_estimateGas', 'eth_estimateGas', [{ to: address }]],
    ['to eth_gasPrice', 'eth_gasPrice', []],
    ['to eth_maxPriorityFeePerGas', 'eth_maxPriorityFeePerGas', []],
    ['to eth_getTransactionCount when it asks for the pending count', 'eth_getTransactionCount', [address, 'pending']],
  ])('%s', async (_name, method, params) => {
    const client = await createClient({ [method]: '0x5' }, { [method]: '0x9' }, { [method]: '0x7' })
    // The cast is needed, because viem types the parameters by method and this test uses several
    // methods.
    expect(await client.request({ method, params } as never)).toBe('0x7')
  })
})

test('quorum: rejects a transaction count at a block when three nodes all disagree', async () => {
  const client = await createClient(...['0x5', '0x9', '0x7'].map((count) => ({ eth_getTransactionCount: count })))
  const reading = client.getTransactionCount({ address, blockNumber: 16n })
  await expect(reading).rejects.toThrow(/differently/)
})

test.each([
  ['two nodes has no height', [{ eth_blockNumber: '0x10' }, {}], 'Too few nodes of the chain respond'],
  ['two nodes fails', [{ eth_blockNumber: '0x10' }, 'fails'], 'HTTP request failed'],
] as [string, Node[], string][])('quorum: rejects the block height when one of %s', async (_name, nodes, message) => {
  const client = await createClient(...nodes)
  await expect(client.getBlockNumber()).rejects.toThrow(message)
  expect(requests).toBe(nodes.length)
})

test.each([
  [['0x10'], 16n],
  [['0x10', '0x12'], 16n],
  [['0x10', '0xffff', '0x11'], 17n],
  [['0x0', '0x11', '0x10'], 16n],
  [['no height', '0x11', '0x10'], 16n],
  [['-0x12', '0x11', '0x10'], 16n],
  [['0x12 ', '0x11', '0x10'], 16n],
])(
  'quorum: when the nodes return the heights %j, returns the highest that a majority has reached',
  async (heights, agreedHeight) => {
    const client = await createClient(...heights.map((height) => ({ eth_blockNumber: height })))
    expect(await client.getBlockNumber()).toBe(agreedHeight)
  },
)

test.each([
  ['block number', 'eth_blockNumber', [], ['0x10', '0x40', '0x40'], '0x40'],
  ['gas price', 'eth_gasPrice', [], ['0x10', '0x40', '0x41'], '0x40'],
  ['pending nonce', 'eth_getTransactionCount', [address, 'pending'], ['0x10', '0x11', '0x11'], '0x11'],
])(
  'quorum: returns the %s of the healthy nodes when one of them answers late and a fast node is stuck',
  async (_name, method, params, [stuck, healthy, late], expected) => {
    const client = await createClient({ [method]: stuck }, { [method]: healthy }, { [method]: late, delayMs: 600 })
    // The cast is needed, because viem types the parameters by method.
    expect(await client.request({ method, params } as never)).toBe(expected)
  },
)

test('quorum: returns the height of two nodes while the third one hangs', async () => {
  const client = await createClient('hangs', { eth_blockNumber: '0x10' }, { eth_blockNumber: '0x11' })
  rpcRequestSeconds.reset()
  expect(await client.getBlockNumber()).toBe(16n)
  // The read did not wait for the timeout of the hanging node.
  const { values } = await rpcRequestSeconds.get()
  expect(new Set(values.map(({ labels }) => labels.outcome))).toEqual(new Set(['ok']))
})
