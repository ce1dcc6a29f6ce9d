import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscriber, createTestContext, testAccount, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { expect, onTestFinished, test, vi } from 'vitest'
import { issueTestAlert } from '../../../test/support/issue-test-alert.ts'
import type { Context } from '../../context.ts'
import { destinations } from '../../db/schema/channels.ts'
import { createChannelPause } from './channel-pause.ts'
import { startDestinationTest } from './destination-test-store.ts'
import { enqueueDeliveries } from './enqueue-deliveries.ts'
import { createSecrets, sealSecrets } from './secrets.ts'
import { createBatches, sendDelivery } from './send-delivery.ts'
import { createSender } from './sender.ts'
import { listDue, listLedger, requeueDeliveries } from './store.ts'

const database = useTestDatabase()

async function startContext() {
  const { ctx, close } = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  onTestFinished(close)
  return { ctx, accountId: await addSubscriber(ctx, testAccount(1).address, HOUR_MS) }
}

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

async function addWebhook(ctx: Context, accountId: string, url: string, notice: string | null = null) {
  const id = crypto.randomUUID()
  const sealed = sealSecrets(ctx.config, id, createSecrets(url))
  const values = { id, accountId, kind: 'webhook' as const, name: 'Bot', host: '127.0.0.1', sealed, notice }
  await ctx.db.insert(destinations).values({ ...values, state: 'on', createdAt: ctx.clock.now() })
  return id
}

/** Issues alerts and returns their deliveries, which are due. */
async function enqueueAlerts(ctx: Context, summaries: string[]) {
  // The first call only stores where to begin.
  await enqueueDeliveries(ctx)
  for (const summary of summaries) await issueTestAlert(ctx, summary)
  await enqueueDeliveries(ctx)
  const excludedRows = { deliveries: [], destinations: [], hosts: [], kinds: [] }
  return listDue(ctx.db, ctx.clock.now(), excludedRows, summaries.length, summaries.length)
}

/** @returns a function that sends a delivery, and awaits `begin` instead of a free slot */
function createSend(ctx: Context, begin: () => Promise<boolean>) {
  const { signal } = new AbortController()
  const channelPause = createChannelPause(ctx, signal)
  const batches = createBatches(ctx, { recordingContext: ctx, channelPause })
  const slot = { begin, markAnswered() {}, release() {} }
  const callbacks = { onPause() {}, onAnswer() {}, slot }
  return (delivery: Parameters<typeof sendDelivery>[2]) =>
    sendDelivery(ctx, batches, delivery, callbacks, { signal, channelPause })
}

test('sender: keeps a notice for later when tests use more than the 64 places for prepared messages', async () => {
  const { ctx, accountId } = await startContext()
  const { url, receivedTypes, openGate } = await startEndpoint()
  await addWebhook(ctx, accountId, url, 'Another destination has failed for 24 hours')
  // 60 of the tests start their requests. The other 65, more than the 64 places, are prepared and
  // wait until a request has ended.
  for (let count = 0; count < 125; count += 1) {
    await startDestinationTest(ctx.db, await addWebhook(ctx, accountId, url), 'test')
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

test('sender: keeps a redelivery that is requested while the delivery to a muted destination waits for a slot', async () => {
  const { ctx, accountId } = await startContext()
  const id = await addWebhook(ctx, accountId, 'http://127.0.0.1:1')
  const [delivery] = await enqueueAlerts(ctx, ['Requested again'])
  if (!delivery) throw new Error('No delivery is due')
  const now = ctx.clock.now()
  await ctx.db.update(destinations).set({ mutedUntil: new Date(now.getTime() + HOUR_MS) })
  const send = createSend(ctx, async () => {
    await ctx.db.transaction((tx) => requeueDeliveries(tx, id, { index: delivery.logIndex }, now))
    return true
  })
  await send(delivery)
  expect(await listLedger(ctx.db, id, {})).toMatchObject([{ state: 'waiting', reason: 'Requested again' }])
})
