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
const WIDEST = 100

interface LogsCall {
  id: number
  params: [{ fromBlock: string; toBlock: string }]
}

type Answer = (response: ServerResponse, call: LogsCall) => void

/**
 * Starts a node with one transfer in every tenth block. To ranges of more than `widest` blocks, it
 * responds with `refuse`.
 */
async function startNode(widest: number, refuse: Answer) {
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
    if (blocks.length > widest) return refuse(response, call)
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

const withError = (code: number): Answer => {
  return (response, { id }) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: 'block range is too wide' } }))
}
const withStatus = (status: number): Answer => {
  return (response) => response.writeHead(status).end('{}')
}

describe('listTransferLogs: fails', () => {
  test.each([
    ['without a retry when the node returns status 500', withStatus(500), WIDEST, 1],
    [
      'without a retry when the node closes the connection',
      (response: ServerResponse) => void response.destroy(),
      WIDEST,
      1,
    ],
    ['when the node rejects every request for logs', withError(-32005), 0, 12],
  ])('%s', async (_name, refuse, widest, requests) => {
    const node = await startNode(widest, refuse)
    const read = listTransferLogs(createChainClient([node.url]), { token, treasury }, { from: 0, to: 1_023 })
    await expect(read).rejects.toThrow()
    expect(node.ranges).toHaveLength(requests)
  })
})

describe('listTransferLogs: splits a range and reads each block once when the node returns', () => {
  test.each([
    ['limit exceeded', withError(-32005)],
    ['invalid parameters', withError(-32602)],
    ['a custom error code', withError(-32701)],
    ['HTTP 400', withStatus(400)],
    ['HTTP 413', withStatus(413)],
  ])('%s', async (_name, refuse) => {
    const nodes = await Promise.all([startNode(WIDEST, refuse), startNode(WIDEST, refuse)])
    for (const urls of [[nodes[0].url], nodes.map(({ url }) => url)]) {
      const logs = await listTransferLogs(createChainClient(urls), { token, treasury }, { from: 1, to: 1_000 })
      expect(logs.map(({ blockNumber }) => blockNumber)).toEqual(
        Array.from({ length: 100 }, (_, index) => (index + 1) * 10),
      )
    }
  })
})
