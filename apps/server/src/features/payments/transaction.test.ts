import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fakeClock, testConfig } from '@tocsin/testkit'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChainClient } from '../../chain/chain-client.ts'
import { callPaymentChain } from './transaction.ts'

const config = testConfig({ databaseUrl: 'postgresql://unused' })
let isDown = false
const node = createServer(async (request, response) => {
  if (isDown) return void request.socket.destroy()
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { id } = JSON.parse(Buffer.concat(chunks).toString())
  const result = `0x${config.payment.chainId.toString(16)}`
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
})
beforeAll(() => once(node.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => void node.close())

test('payment chain: an outage is logged at its start, and at its end with the number of failed reads', async () => {
  const { port } = node.address() as AddressInfo
  const paymentChain = createChainClient([`http://127.0.0.1:${port}`])
  const lines: Record<string, unknown>[] = []
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const clock = fakeClock()
  const readChain = () =>
    callPaymentChain({ config, paymentChain, logger, clock }, async () => 'read').catch(() => 'failed')
  const startMs = clock.now().getTime()
  const listLogged = () => lines.map(({ level, msg }) => [level, msg])

  expect(await readChain()).toBe('read')
  isDown = true
  for (let time = 0; time < 3; time++) {
    expect(await readChain()).toBe('failed')
    clock.advance(30_000)
  }
  isDown = false
  // A single success does not end the outage: a node may fail for only some of the reads.
  expect(await readChain()).toBe('read')
  expect(listLogged()).toEqual([[40, 'the payment chain cannot be read']])
  clock.advance(30_000)
  expect(await readChain()).toBe('read')
  expect(await readChain()).toBe('read')
  expect(listLogged().slice(1)).toEqual([[30, 'the payment chain can be read again']])
  const formatTime = (afterMs: number) => new Date(startMs + afterMs).toISOString()
  expect(lines[1]).toMatchObject({ failures: 3, since: formatTime(0), lastFailureAt: formatTime(60_000) })
  isDown = true
  expect(await readChain()).toBe('failed')
  expect(listLogged()).toHaveLength(3)
})
