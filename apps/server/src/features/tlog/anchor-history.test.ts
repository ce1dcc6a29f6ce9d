import { alertAnchorAbi } from '@tocsin/contracts/abi'
import { testConfig } from '@tocsin/testkit'
import { serve } from '@tocsin/testkit/serve'
import pino from 'pino'
import { encodeAbiParameters, encodeEventTopics, numberToHex, pad } from 'viem'
import { expect, test } from 'vitest'
import { createChainClient } from '../../chain/chain-client.ts'
import { listAllAnchors } from './anchor-history.ts'

const DEPLOYED_BLOCK = 1_200_345
const LAST_BLOCK = 1_260_000
/** Each of these blocks contains one anchor. */
const ANCHORED_BLOCKS = [DEPLOYED_BLOCK, DEPLOYED_BLOCK + 1, 1_230_000, 1_234_567, LAST_BLOCK - 1, LAST_BLOCK]

interface Call {
  id: number
  method: string
  params: [{ fromBlock: string; toBlock: string }] | [address: string, block: string]
}

/**
 * Starts a node that records its calls.
 * @param decideFault returns an HTTP status, a JSON-RPC error code, or null for success
 */
async function startNode(decideFault: (call: Call, blocks: number, callNumber: number) => number | null) {
  const calls: { method: string; from: number; to: number }[] = []
  const url = await serve((_request, response, body) => {
    const call: Call = JSON.parse(body)
    const [firstParam, block] = call.params ?? []
    const [from, to] =
      typeof firstParam === 'object'
        ? [Number(firstParam.fromBlock), Number(firstParam.toBlock)]
        : [Number(block), Number(block)]
    calls.push({ method: call.method, from, to })
    const failure = decideFault(call, to - from + 1, calls.length)
    response.setHeader('content-type', 'application/json')
    if (failure !== null && failure > 0) return response.writeHead(failure).end('{}')
    const error = failure === null ? {} : { error: { code: failure, message: 'refused' } }
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: createResult(call.method, from, to), ...error }))
  })
  const ctx = {
    config: testConfig(),
    anchorChain: createChainClient([url]),
    logger: pino({ level: 'silent' }),
  }
  const progress: number[] = []
  const listAnchors = () => listAllAnchors(ctx, { retryMs: 1, onProgress: (done) => progress.push(done) })
  return { list: listAnchors, calls, progress }
}

function createResult(method: string, from: number, to: number): unknown {
  if (method === 'eth_blockNumber') return numberToHex(LAST_BLOCK)
  if (method === 'eth_getCode') return from >= DEPLOYED_BLOCK ? '0x60' : '0x'
  return ANCHORED_BLOCKS.flatMap((block, index) =>
    block >= from && block <= to ? [createEvent(block, index + 1)] : [],
  )
}

function createEvent(block: number, size: number) {
  const types = [{ type: 'bytes32' }, { type: 'uint64' }] as const
  return {
    address: testConfig().anchor.contract,
    topics: encodeEventTopics({ abi: alertAnchorAbi, eventName: 'Anchored', args: { size: BigInt(size) } }),
    data: encodeAbiParameters(types, [pad('0x01'), 1_700_000_000n]),
    blockNumber: numberToHex(block),
    blockHash: pad('0x02'),
    transactionHash: pad('0x03'),
    transactionIndex: '0x0',
    logIndex: '0x0',
    removed: false,
  }
}

const sizes = [1, 2, 3, 4, 5, 6]
const MAX_RANGE_BLOCKS = 1_000
const isTooWide = (call: Call, blocks: number) => call.method === 'eth_getLogs' && blocks > MAX_RANGE_BLOCKS

test('listAllAnchors: fails when the node stays unreachable', async () => {
  const { list, calls } = await startNode(({ method }) => (method === 'eth_getLogs' ? 503 : null))
  await expect(list()).rejects.toThrow()
  expect(calls.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(10)
})

test('listAllAnchors: searches from the contract’s deployment block, in ranges that the node accepts', async () => {
  const { list, calls, progress } = await startNode((call, blocks) => (isTooWide(call, blocks) ? -32_005 : null))
  expect((await list()).map(({ size }) => size)).toEqual(sizes)
  const searched = calls.filter(({ method }) => method === 'eth_getLogs')
  expect(Math.min(...searched.map(({ from }) => from))).toBe(DEPLOYED_BLOCK)
  expect(searched.length).toBeLessThan(90)
  expect(progress.at(-1)).toBe(1)
  expect(progress).toEqual([...progress].sort((a, b) => a - b))
})

test('listAllAnchors: asks for wider ranges while the node accepts them', async () => {
  const { list, calls } = await startNode(() => null)
  expect((await list()).map(({ size }) => size)).toEqual(sizes)
  expect(calls.filter(({ method }) => method === 'eth_getLogs')).toHaveLength(5)
})

test('listAllAnchors: continues when the node fails some requests', async () => {
  const faults = [503, -32_603, 429]
  const { list } = await startNode((call, blocks, nth) => {
    if (isTooWide(call, blocks)) return 400
    return call.method === 'eth_getLogs' && nth % 4 === 0 ? (faults[(nth / 4) % 3] ?? null) : null
  })
  expect((await list()).map(({ size }) => size)).toEqual(sizes)
})

test('listAllAnchors: searches all blocks when the node has no historical state', async () => {
  const { list, calls } = await startNode(({ method }) => (method === 'eth_getCode' ? -32_000 : null))
  expect((await list()).map(({ size }) => size)).toEqual(sizes)
  expect(calls.find(({ method }) => method === 'eth_getLogs')?.from).toBe(0)
})
