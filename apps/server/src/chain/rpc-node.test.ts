import { serve } from '@tocsin/testkit/serve'
import { createPublicClient, numberToHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { rpcRequestSeconds } from '../metrics.ts'
import { createChainClient } from './chain-client.ts'
import { createNodeTransport } from './rpc-node.ts'

interface Call {
  id: number
  method: string
  params: [string, boolean]
}
interface Answer {
  id?: unknown
  result?: unknown
  error?: unknown
}

const HEIGHTS = Array.from({ length: 20 }, (_, index) => index + 1)
const respondTo = ({ id, params: [height] }: Call) => ({
  jsonrpc: '2.0',
  id,
  result: { number: height, timestamp: '0x1' },
})
const tooManyError = { code: -32005, message: 'too many at once' }

/**
 * Starts a node that responds to batches with the result of `answerBatch`, and to single calls with
 * that of `answerOne`, by default correctly. A number is an HTTP status. With 'hangs up', the node
 * closes the connection.
 */
async function startNode(answerBatch: (calls: Call[]) => unknown, answerOne: (call: Call) => unknown = respondTo) {
  const batchSizes: number[] = []
  const url = await serve((_request, response, text) => {
    const body: Call | Call[] = JSON.parse(text)
    batchSizes.push(Array.isArray(body) ? body.length : 1)
    const answer = Array.isArray(body) ? answerBatch(body) : answerOne(body)
    if (answer === 'hangs up') return response.destroy()
    if (typeof answer === 'number') return response.writeHead(answer).end()
    response.setHeader('content-type', 'application/json')
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  const client = createChainClient([url])
  const readAllBlocks = async () => {
    const blocks = await Promise.all(HEIGHTS.map((height) => client.getBlock({ blockNumber: BigInt(height) })))
    return blocks.map(({ number }) => Number(number))
  }
  return { client, readAll: readAllBlocks, batchSizes }
}

const createWrongBlock = (height: number) => ({ number: numberToHex(height), timestamp: '0x1' })

describe('createNodeTransport: returns every result although a batch request gets', () => {
  const cases: [string, (calls: Call[]) => unknown][] = [
    ['fewer results than calls', (calls) => calls.slice(3).map(respondTo)],
    ['no results', () => []],
    [
      'an id twice with different results',
      (calls) => [...calls.map(respondTo), { ...respondToCallAt(calls, 4), result: createWrongBlock(99) }],
    ],
    [
      'an id three times',
      (calls) => [
        ...calls.map(respondTo),
        ...[98, 99].map((height) => ({ ...respondToCallAt(calls, 4), result: createWrongBlock(height) })),
      ],
    ],
    ['an unknown id', (calls) => [...calls.slice(1).map(respondTo), { id: 4_711, result: createWrongBlock(1) }]],
    ['ids as strings', (calls) => calls.map((call) => ({ ...respondTo(call), id: String(call.id) }))],
    ['no ids', (calls) => calls.map((call) => ({ result: respondTo(call).result }))],
    [
      'an error for one call',
      (calls) =>
        calls.map((call, index): Answer => (index === 7 ? { id: call.id, error: tooManyError } : respondTo(call))),
    ],
    [
      'an error and a result',
      (calls) =>
        calls.map((call, index) => ({
          ...respondTo(call),
          ...(index === 7 ? { error: tooManyError, result: createWrongBlock(99) } : {}),
        })),
    ],
    [
      'neither an error nor a result for one call',
      (calls) => calls.map((call, index) => (index === 7 ? { id: call.id } : respondTo(call))),
    ],
    ['malformed members', (calls) => [null, 5, 'text', [], ...calls.slice(4).map(respondTo)]],
    [
      'one error for all',
      () => ({ jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batches are not supported' } }),
    ],
    ['a single response object', ([first]) => first && respondTo(first)],
    ['invalid JSON', () => 'batch requests are disabled'],
    ['HTTP 400', () => 400],
    ['HTTP 413', () => 413],
    ['HTTP 500', () => 500],
    ['a closed connection', () => 'hangs up'],
  ]
  const respondToCallAt = (calls: Call[], index: number) => calls.slice(index, index + 1).map(respondTo)[0]

  test.each(cases)('%s', async (_name, answerBatch) => {
    const { readAll, batchSizes } = await startNode(answerBatch)
    expect(await readAll()).toEqual(HEIGHTS)
    expect(batchSizes[0]).toBe(HEIGHTS.length)
    expect(Math.min(...batchSizes)).toBe(1)
  })
})

test('createNodeTransport: shrinks batches to single calls when batches keep failing', async () => {
  const { readAll, batchSizes } = await startNode(() => 400)
  for (let round = 0; round < 4; round++) expect(await readAll()).toEqual(HEIGHTS)
  batchSizes.length = 0
  expect(await readAll()).toEqual(HEIGHTS)
  expect(batchSizes).toEqual(HEIGHTS.map(() => 1))
})

test('createNodeTransport: sends concurrent calls as one request and accepts results in any order', async () => {
  const { readAll, batchSizes } = await startNode((calls) => calls.map(respondTo).reverse())
  expect(await readAll()).toEqual(HEIGHTS)
  expect(batchSizes).toEqual([HEIGHTS.length])
})

test('createNodeTransport: does not treat null results as a failed batch', async () => {
  const { client, batchSizes } = await startNode((calls) => calls.map(({ id }) => ({ id, result: null })))
  const reads = [1n, 2n].map((blockNumber) => client.getBlock({ blockNumber }))
  for (const read of await Promise.allSettled(reads))
    expect(read).toMatchObject({ reason: { name: 'BlockNotFoundError' } })
  expect(batchSizes).toEqual([2])
})

test('createNodeTransport: sends only one of the batched calls again when the node is down', async () => {
  const { readAll, batchSizes } = await startNode(
    () => 503,
    () => 503,
  )
  await expect(readAll()).rejects.toThrow('503')
  expect(batchSizes).toEqual([HEIGHTS.length, 1])
})

test('createNodeTransport: does not batch eth_chainId, eth_gasPrice and eth_sendRawTransaction', async () => {
  const { client, batchSizes } = await startNode(
    () => 500,
    ({ id }) => ({ id, result: '0x1' }),
  )
  await Promise.all([
    client.getChainId(),
    client.getGasPrice(),
    client.sendRawTransaction({ serializedTransaction: '0x02' }),
  ])
  expect(batchSizes).toEqual([1, 1, 1])
})

test('createNodeTransport: rejects batched and unbatched reads, and counts timeouts, when a response is never completed', async () => {
  rpcRequestSeconds.reset()
  const url = await serve((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.write('{"jsonrpc":"2.0",')
  })
  const client = createPublicClient({ transport: createNodeTransport(url, 50), cacheTime: 0 })
  await expect(client.getChainId()).rejects.toThrow()
  await expect(client.getBlockNumber()).rejects.toThrow()
  const blocks = HEIGHTS.map((height) => client.getBlock({ blockNumber: BigInt(height) }))
  for (const { status } of await Promise.allSettled(blocks)) expect(status).toBe('rejected')
  const countOutcomes = async () => {
    const { values } = await rpcRequestSeconds.get()
    const counts = values.filter(({ metricName }) => metricName?.endsWith('_count'))
    return counts.map(({ labels, value }) => [labels.outcome, value])
  }
  // Four requests: the two single reads, the batch, and then its first call alone.
  await expect.poll(countOutcomes).toEqual([['timeout', 4]])
})
