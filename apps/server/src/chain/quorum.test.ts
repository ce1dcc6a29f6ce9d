import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChainClient } from './chain-client.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections()
})

const hash = `0x${'ab'.repeat(32)}` as const
const block = `0x${'cd'.repeat(32)}`
const log = (amount: string) => ({
  address: `0x${'11'.repeat(20)}`,
  topics: [],
  data: amount,
  blockNumber: '0x10',
  blockHash: block,
  transactionHash: hash,
  transactionIndex: '0x0',
  logIndex: '0x0',
})
const receipt = (amount: string, ofItsOwn: object = {}) => ({
  status: '0x1',
  transactionHash: hash,
  transactionIndex: '0x0',
  blockHash: block,
  blockNumber: '0x10',
  logs: [{ ...log(amount), ...ofItsOwn }],
  ...ofItsOwn,
})

/** What a node answers by method; 'hangs' never answers, 'fails' answers 500. */
type Node = Record<string, unknown> | 'hangs' | 'fails'

/** Requests that a hanging node holds open. The client's timeout ends them. */
let openRequests = 0
beforeEach(() => {
  openRequests = 0
})

async function nodeUrl(node: Node): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (node === 'hangs') {
      openRequests += 1
      response.on('close', () => {
        openRequests -= 1
      })
      return
    }
    if (node === 'fails') return response.writeHead(500).end()
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: node[method] ?? null }))
  })
  servers.push(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

const clientOf = async (...nodes: Node[]) => createChainClient(await Promise.all(nodes.map(nodeUrl)))
const honest = { eth_getTransactionReceipt: receipt('0x0a') }
const lying = { eth_getTransactionReceipt: receipt('0xff') }

describe('a receipt is refused', () => {
  const cases: [string, Node[]][] = [
    ['of two nodes that say different things', [honest, lying]],
    ['of two nodes of which one is silent', [honest, 'fails']],
    ['when one node has not seen it', [honest, {}]],
    ['of three nodes that all say different things', [honest, lying, {}]],
    ['of three nodes of which two are silent', ['fails', honest, 'fails']],
  ]
  test.each(cases)('%s', async (_name, nodes) => {
    const client = await clientOf(...nodes)
    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow(/differently|HTTP request failed/)
  })
})

describe('a receipt is believed', () => {
  const cases: [string, Node[]][] = [
    ['of one node', [honest]],
    [
      'of two that agree, whatever each adds',
      [honest, { eth_getTransactionReceipt: receipt('0x0A', { l1Fee: '0x1' }) }],
    ],
    ['of three of which one lies', [lying, honest, honest]],
    ['of three of which one is silent', ['fails', honest, honest]],
    ['of three of which one hangs, without waiting for it', ['hangs', honest, honest]],
  ]
  test.each(cases)('%s', async (_name, nodes) => {
    const client = await clientOf(...nodes)
    const { status, logs } = await client.getTransactionReceipt({ hash })
    expect([status, BigInt(logs[0]?.data ?? 0)]).toEqual(['success', 10n])
    // Still open: the answer did not wait for the timeout of the node that hangs.
    if (nodes.includes('hangs')) await expect.poll(() => openRequests).toBe(1)
  })
})

test.each([
  [['0x10'], 16n],
  [['0x10', '0x12'], 16n],
  [['0x10', '0xffff', '0x11'], 17n],
  [['0x0', '0x11', '0x10'], 16n],
  [['no height', '0x11', '0x10'], 16n],
])('of heights %j the one that a majority has', async (heights, agreed) => {
  const client = await clientOf(...heights.map((height) => ({ eth_blockNumber: height })))
  expect(await client.getBlockNumber()).toBe(agreed)
})
