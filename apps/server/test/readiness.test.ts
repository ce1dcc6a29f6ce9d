import { startTestChain, startTestDatabase } from '@tocsin/testkit'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { send } from './raw-client.ts'

let parts: {
  database: Awaited<ReturnType<typeof startTestDatabase>>
  chain: Awaited<ReturnType<typeof startTestChain>>
}
let server: TestServer

beforeAll(async () => {
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  parts = { database, chain }
})
afterEach(async () => {
  await server?.close()
})
afterAll(async () => {
  await Promise.all([parts?.database.stop(), parts?.chain.stop()])
})

async function expectReadiness(expected: object): Promise<void> {
  await vi.waitFor(async () => {
    const { status, body } = await send(server.url, { path: '/readyz' })
    expect([status, JSON.parse(body)]).toEqual([200, expected])
  }, 10_000)
}

test('chains and a feed that cannot be reached are named; the product serves all the same', async () => {
  server = await startTestServer(parts, { payment: {}, anchor: {}, feed: { endpoint: 'ws://127.0.0.1:9' } })
  await expectReadiness({
    status: 'degraded',
    reasons: {
      anchoring: 'the anchor chain: HTTP request failed.',
      payments: 'the payment chain was not read yet',
      feed: 'the signal feed is not connected, trying again',
    },
  })
})

test('with all of them it is ready', async () => {
  server = await startTestServer(parts)
  await expectReadiness({ status: 'ready', reasons: {} })
})
