import { pushMessage } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { decryptPush, type PushService, readVapid, startPushService } from '@tocsin/testkit/push-service'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bulkLimits, openClient } from '../src/db/connection.ts'
import { destinations } from '../src/db/schema/channels.ts'
import { sealSecret } from '../src/sealed-secret.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let service: PushService

beforeAll(async () => {
  service = await startPushService()
  clock = fakeClock(new Date())
  server = await startTestServer(parts, {}, { clock })
})
afterAll(async () => {
  await server?.close()
  service?.close()
})

type Device = Awaited<ReturnType<typeof addDevice>>

async function addDevice(on = server) {
  const { client, accountId } = await on.addUser({ planMs: 1_000 * HOUR_MS })
  const browser = service.subscribe()
  const body = { kind: 'web-push' as const, name: 'Pixel 9', subscription: browser.subscription }
  const { destination, secret } = await client.call('createDestination', { body })
  expect(secret).toBeNull()
  return { client, accountId, id: destination.id, ...browser }
}

const listPushesTo = ({ path, keys }: Pick<Device, 'path' | 'keys'>) =>
  service.received.flatMap((push) => {
    if (push.path !== path) return []
    return [{ ...push, message: pushMessage.parse(JSON.parse(decryptPush(keys, push.body))) }]
  })

async function confirmDevice(device: Device): Promise<void> {
  const { client, id } = device
  expect(await client.call('confirmDestination', { params: { id } })).toMatchObject({ isDelivered: true, status: 201 })
  const code = listPushesTo(device).at(-1)?.message.code ?? ''
  await client.call('confirmDestination', { params: { id }, body: { code } })
}

async function addConfirmedDevice(): Promise<Device> {
  const device = await addDevice()
  await confirmDevice(device)
  return device
}

const issue = (summary: string, priority: 'medium' | 'critical' = 'critical') =>
  issueTestAlert(server.ctx, summary, { priority })

const findLedgerRow = async ({ client, id }: { client: TestClient; id: string }, logIndex: number) =>
  (await client.call('listChannelDeliveries', { params: { id } })).find((row) => row.logIndex === logIndex)
const readState = async ({ client, id }: Device) =>
  (await client.call('listDestinations')).find((row) => row.id === id)?.state

test('a browser receives no alerts until it has returned the confirmation code that was pushed to it', async () => {
  const device = await addDevice()
  const other = await addConfirmedDevice()
  const { logIndex } = await issue('An alert')
  await eventually(async () => expect(await findLedgerRow(other, logIndex)).toMatchObject({ state: 'delivered' }))
  expect(listPushesTo(device)).toEqual([])
  await confirmDevice(device)
  expect(await readState(device)).toBe('on')
})

test('an alert arrives encrypted, with the headers of RFC 8030 and the key of the public configuration', async () => {
  const device = await addConfirmedDevice()
  const alert = await issue('A spike of “ETH”')
  await eventually(async () =>
    expect(await findLedgerRow(device, alert.logIndex)).toMatchObject({ state: 'delivered' }),
  )
  const push = listPushesTo(device).at(-1)
  expect(push?.message).toMatchObject({
    type: 'alert.created',
    title: 'Critical, ZZQ/RARE, Rare type 71.5%',
    path: `/a/${alert.logIndex}`,
    tag: alert.id,
  })
  expect(push?.message.body).toContain('A spike of “ETH”')
  expect(push?.headers).toMatchObject({
    ttl: '86400',
    urgency: 'high',
    topic: alert.id.replaceAll('-', ''),
    'content-encoding': 'aes128gcm',
    'content-type': 'application/octet-stream',
  })
  const { exp, ...claims } = readVapid(push?.headers.authorization)
  const { pushKey } = await device.client.call('publicConfig')
  expect(claims).toEqual({
    aud: new URL(device.subscription.endpoint).origin,
    sub: 'mailto:operator@example.com',
    key: pushKey,
  })
  const testResult = await device.client.call('testDestination', { params: { id: device.id } })
  expect(testResult).toMatchObject({ isDelivered: true, status: 201 })
  expect(listPushesTo(device).at(-1)?.headers.authorization).toBe(push?.headers.authorization)
})

test('a push does not contain the alert when the account has turned content off', async () => {
  const device = await addConfirmedDevice()
  await device.client.call('savePreferences', { body: { pushContent: false } })
  const alert = await issue('zqsecretqz', 'medium')
  await eventually(async () =>
    expect(await findLedgerRow(device, alert.logIndex)).toMatchObject({ state: 'delivered' }),
  )
  const { message, headers } = listPushesTo(device).at(-1) ?? {}
  expect(message).toMatchObject({ title: 'New alert', path: `/a/${alert.logIndex}` })
  expect(JSON.stringify(message)).not.toMatch(/zqsecretqz|ZZQ|medium/i)
  expect(headers).toMatchObject({ ttl: '3600', urgency: 'normal' })
})

test.each([404, 410])(
  'a browser has the state “gone” after its push service returned %i, and can renew its subscription',
  async (status) => {
    const device = await addConfirmedDevice()
    service.plannedResponses.set(device.path, [{ status }])
    const { logIndex } = await issue('For a browser that has left')
    await eventually(async () => expect(await findLedgerRow(device, logIndex)).toMatchObject({ state: 'dead' }))
    expect(await readState(device)).toBe('gone')

    const newerBrowser = service.subscribe()
    const { endpoint: previousEndpoint } = device.subscription
    const renew = (client: TestClient, previous = previousEndpoint) =>
      client.call('renewPush', { body: { previousEndpoint: previous, subscription: newerBrowser.subscription } })
    const stranger = await addDevice()
    await expect(renew(stranger.client)).rejects.toMatchObject({ code: 'not_found' })
    await expect(renew(device.client, 'not an address')).rejects.toMatchObject({ code: 'not_found' })
    await renew(device.client)
    expect(await readState(device)).toBe('on')
    const next = await issue('For the renewed browser')
    await eventually(async () =>
      expect(await findLedgerRow(device, next.logIndex)).toMatchObject({ state: 'delivered' }),
    )
    expect(listPushesTo({ ...newerBrowser }).at(-1)?.message.body).toContain('For the renewed browser')
  },
)

test('a subscription that is renewed with an endpoint on another host receives nothing until it is confirmed', async () => {
  const device = await addConfirmedDevice()
  const newerBrowser = service.subscribe()
  const { endpoint: previousEndpoint } = device.subscription
  const { host } = new URL(newerBrowser.subscription.endpoint)
  const endpoint = newerBrowser.subscription.endpoint.replace('127.0.0.1', '127.0.0.2')
  expect(new URL(endpoint).host).not.toBe(host)
  const subscription = { ...newerBrowser.subscription, endpoint }
  await device.client.call('renewPush', { body: { previousEndpoint, subscription } })
  expect(await readState(device)).toBe('unconfirmed')
  const pendingTest = device.client.call('testDestination', { params: { id: device.id } })
  await expect(pendingTest).rejects.toMatchObject({ code: 'destination_not_on' })
  const { logIndex } = await issue('While the destination is unconfirmed')
  const other = await addConfirmedDevice()
  const next = await issue('For another browser')
  await eventually(async () => expect(await findLedgerRow(other, next.logIndex)).toMatchObject({ state: 'delivered' }))
  expect(await findLedgerRow(device, logIndex)).toBeUndefined()
})

test('a browser in the state “failing” receives alerts again when it renews its subscription', async () => {
  const device = await addConfirmedDevice()
  const failingFields = {
    state: 'failing' as const,
    failingSince: clock.now(),
    notBefore: new Date(clock.now().getTime() + 1),
  }
  await server.ctx.db.update(destinations).set(failingFields).where(eq(destinations.id, device.id))
  const newerBrowser = service.subscribe()
  const { endpoint: previousEndpoint } = device.subscription
  await device.client.call('renewPush', { body: { previousEndpoint, subscription: newerBrowser.subscription } })
  expect(await readState(device)).toBe('on')
  const { logIndex } = await issue('For a browser that works again')
  await eventually(async () => expect(await findLedgerRow(device, logIndex)).toMatchObject({ state: 'delivered' }))
})

test('each digest is pushed with a TTL of one day and its own tag, so that it does not replace another digest', async () => {
  const device = await addConfirmedDevice()
  const mute = (mutedUntil: string | null) =>
    device.client.call('changeDestination', { params: { id: device.id }, body: { mutedUntil } })
  for (const count of [1, 2]) {
    await mute(new Date(clock.now().getTime() + HOUR_MS).toISOString())
    const { logIndex } = await issue('Held back')
    await eventually(async () => expect(await findLedgerRow(device, logIndex)).toMatchObject({ state: 'held' }))
    await mute(null)
    await eventually(async () => expect(await findLedgerRow(device, logIndex)).toMatchObject({ state: 'delivered' }))
    const digests = listPushesTo(device).filter(({ message }) => message.type === 'alert.digest')
    expect(new Set(digests.map(({ message }) => message.tag)).size).toBe(count)
    expect(digests.at(-1)?.headers).toMatchObject({ ttl: '86400', urgency: 'normal' })
  }
})

test('a failing push is attempted four times, and waits for the Retry-After time of the push service', async () => {
  const device = await addConfirmedDevice()
  service.plannedResponses.set(device.path, [
    { status: 429, headers: { 'retry-after': '120' } },
    { status: 503 },
    { status: 503 },
    { status: 503 },
  ])
  const { logIndex } = await issue('For a push service that fails')
  const countAttempts = async () => (await findLedgerRow(device, logIndex))?.attempts.length
  await eventually(async () => expect(await countAttempts()).toBe(1))
  const nextAt = Date.parse((await findLedgerRow(device, logIndex))?.nextAt ?? '')
  expect(nextAt - clock.now().getTime()).toBeGreaterThanOrEqual(120_000)
  for (const [count, waitMs] of [
    [2, 2 * MINUTE_MS],
    [3, 2 * MINUTE_MS],
    [4, 12 * MINUTE_MS],
  ] as const) {
    clock.advance(waitMs)
    await eventually(async () => expect(await countAttempts()).toBe(count))
  }
  expect(await findLedgerRow(device, logIndex)).toMatchObject({ state: 'dead' })
})

test('web push: confirming a browser sends no code and reports that only the operator can restore the key when the server cannot decrypt it', async () => {
  const databaseUrl = await parts.database.createDatabase()
  const database = await openClient(databaseUrl, bulkLimits)
  const value = { sealed: sealSecret('the APP_SECRET of another site', 'web_push_key', 'a'.repeat(64)) }
  await database.query(`insert into settings (name, value, updated_at) values ('web_push_key', $1, now())`, [value])
  await database.end()
  const anchor = { ...parts.chain.settings.anchor, contract: await parts.chain.nextAnchorContract() }
  const site = await startTestServer(parts, { databaseUrl, anchor }, { clock })
  try {
    const device = await addDevice(site)
    expect(await device.client.call('confirmDestination', { params: { id: device.id } })).toMatchObject({
      isDelivered: false,
      response: 'This site’s key for web push can’t be read. Only its operator can restore it',
    })
    expect(listPushesTo(device)).toEqual([])
  } finally {
    await site.close()
  }
})

test('the account export and the list of destinations contain neither endpoint nor keys of a push subscription', async () => {
  const { client, subscription } = await addConfirmedDevice()
  const shownText = JSON.stringify([await client.call('exportAccount'), await client.call('listDestinations')])
  const { endpoint, p256dh, auth } = subscription
  for (const secret of [new URL(endpoint).pathname, p256dh, auth]) expect(shownText).not.toContain(secret)
})
