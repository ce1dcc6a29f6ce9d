import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscriber, createTestContext, testAccount, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { destinations } from '../../db/schema/channels.ts'
import { startDestinationTest } from './destination-test-store.ts'
import { createSecrets, sealSecrets } from './secrets.ts'
import { createSender } from './sender.ts'

const database = useTestDatabase()

/** Starts an endpoint that responds after `openGate` was called. */
async function startEndpoint() {
  const receivedTypes: string[] = []
  let openGate = () => {}
  const gate = new Promise<void>((resolve) => {
    openGate = resolve
  })
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    receivedTypes.push(JSON.parse(body).type)
    await gate
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, receivedTypes, openGate }
}

test('sender: keeps a notice for later when tests use more than the 64 places for prepared messages', async () => {
  const { ctx, close } = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  onTestFinished(close)
  const { url, receivedTypes, openGate } = await startEndpoint()
  const accountId = await addSubscriber(ctx, testAccount(1).address, HOUR_MS)
  const addDestination = async (notice: string | null) => {
    const id = crypto.randomUUID()
    const sealed = sealSecrets(ctx.config, id, createSecrets(url))
    const values = { id, accountId, kind: 'webhook' as const, name: 'Bot', host: '127.0.0.1', sealed, notice }
    await ctx.db.insert(destinations).values({ ...values, state: 'on', createdAt: ctx.clock.now() })
    return id
  }
  await addDestination('Another destination has failed for 24 hours')
  // 60 of the tests start their requests. The other 65 are prepared and wait for a response.
  for (let count = 0; count < 125; count += 1) {
    await startDestinationTest(ctx.db, await addDestination(null), 'test')
  }
  // The limiter moves slow requests to another pool after 100 ms.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sender = createSender(ctx, () => {}, new AbortController().signal)
  const sendMessages = async () => {
    await sender.startOtherMessages(ctx.clock.now())
    openGate()
    await sender.ended()
  }
  await sendMessages()
  expect(receivedTypes).toEqual(Array(125).fill('channel.test'))
  await sendMessages()
  expect(receivedTypes.slice(125)).toEqual(['channel.notice'])
})
