import type { ServerResponse } from 'node:http'
import { serve } from '@tocsin/testkit/serve'
import { pad, toEventSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { createChainClient } from './chain-client.ts'
import { listTransferLogs } from './transfer-logs.ts'

const token = `0x${'11'.repeat(20)}` as const
const treasury = `0x${'22'.repeat(20)}` as const
const payer = `0x${'33'.repeat(20)}` as const
/** Largest block range that the node accepts. */
const MAX_RANGE_BLOCKS = 100

interface LogsCall {
  id: number
  params: [{ fromBlock: string; toBlock: string }]
}

type Respond = (response: ServerResponse, call: LogsCall) => void

/**
 * Starts a node with one transfer in every tenth block. `refuse` answers requests for more than
 * `maxRangeBlocks` blocks.
 */
async function startNode(maxRangeBlocks: number, refuse: Respond) {
  const ranges: number[] = []
  const url = await serve((_request, response, body) => {
    const call: LogsCall = JSON.parse(body)
    const [{ fromBlock, toBlock }] = call.params
    const blocks = Array.from(
      { length: Number(toBlock) - Number(fromBlock) + 1 },
      (_, index) => Number(fromBlock) + index,
    )
    ranges.push(blocks.length)
    response.setHeader('content-type', 'application/json')
    if (blocks.length > maxRangeBlocks) return refuse(response, call)
    const result = blocks.filter((block) => block % 10 === 0).map(createLog)
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result }))
  })
  return { url, ranges }
}

function createLog(block: number) {
  return {
    address: token,
    topics: [toEventSelector('Transfer(address,address,uint256)'), pad(payer), pad(treasury)],
    data: pad('0x01'),
    blockNumber: `0x${block.toString(16)}`,
    blockHash: pad(`0x${block.toString(16).padStart(4, '0')}`),
    transactionHash: pad(`0x${block.toString(16).padStart(4, '0')}`),
    transactionIndex: '0x0',
    logIndex: '0x0',
    removed: false,
  }
}

const respondWithError = (code: number): Respond => {
  return (response, { id }) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'block range is too wide' } }))
}
const respondWithStatus = (status: number): Respond => {
  return (response) => response.writeHead(status).end('{}')
}

describe('listTransferLogs: fails', () => {
  test.each([
    ['without a retry when the node returns status 500', respondWithStatus(500), MAX_RANGE_BLOCKS, 1],
    [
      'without a retry when the node closes the connection',
      (response: ServerResponse) => void response.destroy(),
      MAX_RANGE_BLOCKS,
      1,
    ],
    ['when the node rejects every request for logs', respondWithError(-32005), 0, 12],
  ])('%s', async (_name, refuse, maxRangeBlocks, requests) => {
    const node = await startNode(maxRangeBlocks, refuse)
    const pendingLogs = listTransferLogs(createChainClient([node.url]), { token, treasury }, { from: 0, to: 1_023 })
    await expect(pendingLogs).rejects.toThrow()
    expect(node.ranges).toHaveLength(requests)
  })
})

describe('listTransferLogs: splits a range and reads each block once when the node returns', () => {
  test.each([
    ['limit exceeded', respondWithError(-32005)],
    ['invalid parameters', respondWithError(-32602)],
    ['a custom error code', respondWithError(-32701)],
    ['HTTP 400', respondWithStatus(400)],
    ['HTTP 413', respondWithStatus(413)],
  ])('%s', async (_name, refuse) => {
    const nodes = await Promise.all([startNode(MAX_RANGE_BLOCKS, refuse), startNode(MAX_RANGE_BLOCKS, refuse)])
    for (const urls of [[nodes[0].url], nodes.map(({ url }) => url)]) {
      const logs = await listTransferLogs(createChainClient(urls), { token, treasury }, { from: 1, to: 1_000 })
      expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(
        Array.from({ length: 100 }, (_, index) => (index + 1) * 10),
      )
    }
  })
})
