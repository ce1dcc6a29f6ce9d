import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Destination, OptionalEvent, RequestBody } from '@tocsin/protocol'
import { HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { addSubscription, type FakeClock, fakeClock, startTestSession, type TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { destinations } from '../src/db/schema/channels.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import { createDestination } from '../src/features/channels/service.ts'
import { confirmDestination } from '../src/features/channels/test-destination.ts'
import { receiveSignals } from '../src/features/feed/receive-signals.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'
import { createOutcomeMessage, createPredictedSignal } from './support/outcome-test-bed.ts'

interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let hook: Server
let hookUrl: string
const receivedRequests: ReceivedRequest[] = []
/** Statuses of the next responses, by path. When none is left, the status is 200. */
const nextResponses = new Map<string, { status: number; retryAfter?: string; gate?: Promise<void> }[]>()
let isCrashing = false
let accountCount = 0

beforeAll(async () => {
  hook = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', async () => {
      const path = request.url ?? ''
      receivedRequests.push({ path, headers: request.headers, body })
      const { status, retryAfter, gate } = nextResponses.get(path)?.shift() ?? { status: 200 }
      // The response is delayed until the gate opens.
      await gate
      response.writeHead(status, retryAfter ? { 'retry-after': retryAfter } : {})
      const { type, data } = JSON.parse(body)
      const { challenge } = data
      const bodies: Record<string, string> = { '/deaf': 'ok', '/echo': body, '/text': `${challenge}\n` }
      bodies['/echo-of-data'] = JSON.stringify(data)
      bodies['/more'] = JSON.stringify({ challenge, received: true })
      if (type === 'channel.test') bodies['/emoji'] = `${'x'.repeat(499)}\u{1f680}`
      response.end(bodies[path] ?? JSON.stringify({ challenge }))
    })
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`
  clock = fakeClock(new Date())
  const failpoint = (at: string) => {
    if (isCrashing && at === 'channel: after send') throw new Error('The process ended here')
  }
  server = await startTestServer(parts, { http: { trustedProxies: 1 } }, { clock, failpoint })
})
afterAll(async () => {
  await server?.close()
  hook?.close()
})

async function signIn(): Promise<[client: TestClient, accountId: string]> {
  accountCount += 1
  const login = { email: `trader-${accountCount}@example.com`, password: 'a very long password of a trader' }
  await createAccount(server.ctx, { ...login, name: 'Trader', role: 'user', verified: true })
  const client = server.createClient(`198.18.0.${accountCount}`)
  await client.call('login', { body: login })
  return [client, (await client.call('currentUser')).user?.id ?? '']
}

async function addWebhook(client: TestClient, path: string): Promise<string> {
  const { destination } = await client.call('createDestination', { body: { name: path, url: hookUrl + path } })
  return destination.id
}

async function addConfirmedWebhook(path: string, forMs: number | null = 1_000 * HOUR_MS) {
  const [client, accountId] = await signIn()
  if (forMs !== null) await addSubscription(server.ctx, accountId, forMs)
  const id = await addWebhook(client, path)
  expect(await client.call('confirmDestination', { params: { id } })).toMatchObject({ isDelivered: true, status: 200 })
  return { client, accountId, id }
}

function createGate(): { opened: Promise<void>; open(): void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

const issue = (summary: string) => issueTestAlert(server.ctx, summary, { priority: 'critical' })

const findLedgerRow = async ({ client, id }: { client: TestClient; id: string }, logIndex: number) =>
  (await client.call('listChannelDeliveries', { params: { id } })).find((row) => row.logIndex === logIndex)
const readState = async (client: TestClient, id: string) =>
  (await client.call('listDestinations')).find((row) => row.id === id)?.state
const listAlertsSentTo = (path: string) =>
  receivedRequests.filter((message) => message.path === path && JSON.parse(message.body).type === 'alert.created')

test.each([
  ['/echo', false],
  ['/echo-of-data', false],
  ['/more', false],
  ['/text', true],
  ['/json', true],
])('the response of the test path %s to the challenge confirms the webhook: %s', async (path, isConfirmed) => {
  const [client] = await signIn()
  const id = await addWebhook(client, path)
  expect(await client.call('confirmDestination', { params: { id } })).toMatchObject({ isDelivered: isConfirmed })
  expect(await readState(client, id)).toBe(isConfirmed ? 'on' : 'unconfirmed')
})

test('a webhook gets no alerts and no tests before it has echoed the challenge', async () => {
  const [client, accountId] = await signIn()
  await addSubscription(server.ctx, accountId, HOUR_MS)
  const id = await addWebhook(client, '/deaf')
  await expect(client.call('testDestination', { params: { id } })).rejects.toMatchObject({ code: 'destination_not_on' })
  const answer = await client.call('confirmDestination', { params: { id } })
  const message = 'The webhook must return only the challenge, as plain text or as {"challenge": "…"}.'
  expect(answer).toMatchObject({ isDelivered: false, status: 200, response: 'ok', message })
  const other = await addConfirmedWebhook('/other')
  const { logIndex } = await issue('an alert')
  await eventually(async () => expect(await findLedgerRow(other, logIndex)).toMatchObject({ state: 'delivered' }))
  expect(listAlertsSentTo('/deaf')).toEqual([])
  expect(await findLedgerRow({ client, id }, logIndex)).toBeUndefined()
})

test('the result of a test omits an emoji of the response that the limit of 500 characters would split', async () => {
  const { client, id } = await addConfirmedWebhook('/emoji', null)
  const result = await client.call('testDestination', { params: { id } })
  expect(result).toMatchObject({ isDelivered: true, response: 'x'.repeat(499) })
})

test('an alert arrives once, signed, and its delivery is recorded', async () => {
  const own = await addConfirmedWebhook('/once')
  const alert = await issue('one alert')
  await eventually(async () => expect(await findLedgerRow(own, alert.logIndex)).toMatchObject({ state: 'delivered' }))
  const [message, ...otherMessages] = listAlertsSentTo('/once')
  expect(otherMessages).toEqual([])
  expect(message?.headers['webhook-id']).toBe(`msg_${own.id}_${alert.logIndex}`)
  expect(message?.headers['webhook-signature']).toMatch(/^v1,\S+ v1a,\S+$/)
  expect(JSON.parse(message?.body ?? '')).toMatchObject({ data: { alert: { id: alert.id, summary: 'one alert' } } })
  const row = await findLedgerRow(own, alert.logIndex)
  expect(row?.attempts).toMatchObject([{ status: 200 }])
  const expectedAlert = { logIndex: alert.logIndex, asset: 'ZZQ/RARE', anomalyType: 'Rare type', priority: 'critical' }
  expect(row?.alert).toEqual(expectedAlert)
  const [ownDestination] = await own.client.call('listDestinations')
  expect(ownDestination).toMatchObject({ state: 'on', delivered: 1, dead: 0 } satisfies Partial<Destination>)
})

test('an alert that waits for a digest causes no message when it is anchored', async () => {
  const path = '/anchored-in-digest'
  const { client, id } = await addConfirmedWebhook(path)
  const digest = { every: 'day' as const, hour: (clock.now().getUTCHours() + 12) % 24, timeZone: 'UTC' }
  await client.call('changeDestination', { params: { id }, body: { events: ['anchored'], digest } })
  const { logIndex } = await issue('for the digest')
  const listRows = async () =>
    (await client.call('listChannelDeliveries', { params: { id } })).filter((row) => row.logIndex === logIndex)
  await eventually(async () =>
    expect(await listRows()).toMatchObject([
      { event: 'anchored', state: 'skipped', reason: 'The alert is in a digest' },
      { event: 'alert', state: 'held' },
    ]),
  )
  const types = receivedRequests.flatMap((each) => (each.path === path ? [JSON.parse(each.body).type] : []))
  expect(types).toEqual(['channel.challenge'])
})

test('a destination gets anchors and outcomes only if its owner wants them', async () => {
  const [own, other] = [await addConfirmedWebhook('/events'), await addConfirmedWebhook('/no-events')]
  const changeEvents = (events: OptionalEvent[]) =>
    own.client.call('changeDestination', { params: { id: own.id }, body: { events } })
  await expect(changeEvents(['outcome', 'outcome'])).rejects.toMatchObject({ status: 400 })
  await changeEvents(['anchored', 'outcome'])
  const freeDestination = await addConfirmedWebhook('/free-events', null)
  await freeDestination.client.call('changeDestination', {
    params: { id: freeDestination.id },
    body: { events: ['outcome'] },
  })
  const { destination } = await own.client.call('createDestination', {
    body: { kind: 'ntfy', name: 'Topic', url: `${hookUrl}/topic` },
  })
  const ofTopic = { params: { id: destination.id }, body: { events: ['anchored' as const] } }
  await expect(own.client.call('changeDestination', ofTopic)).rejects.toMatchObject({ code: 'kind_not_offered' })

  const signal = createPredictedSignal('events', clock.now())
  const receiveMessage = (text: string) =>
    receiveSignals(server.ctx, createIssuer(server.ctx), [text], new AbortController().signal)
  await receiveMessage(signal)
  const listBodies = (path: string) =>
    receivedRequests.flatMap((each) => (each.path === path ? [JSON.parse(each.body)] : []))
  const listTypes = (path: string) => listBodies(path).map(({ type }) => type)
  await eventually(() => expect(listTypes('/events')).toContain('alert.anchored'))
  const anchoredRequest = receivedRequests.find(
    ({ path, body }) => path === '/events' && body.includes('"alert.anchored"'),
  )
  const { logIndex, alert } = JSON.parse(anchoredRequest?.body ?? '').data
  expect(anchoredRequest?.headers['webhook-id']).toBe(`msg_${own.id}_${logIndex}_anchored`)
  expect(alert).toMatchObject({ logIndex, avalancheTx: expect.stringMatching(/^0x/) })
  clock.advance(7 * MINUTE_MS)
  await receiveMessage(createOutcomeMessage(signal))
  await eventually(() => expect(listTypes('/events')).toContain('alert.outcome'))
  expect(listBodies('/events').at(-1)?.data.alert.outcome).toMatchObject({ verdict: 'came-true' })
  await eventually(async () => expect(await findLedgerRow(other, logIndex)).toMatchObject({ state: 'delivered' }))
  const outcome = (await own.client.call('listChannelDeliveries', { params: { id: own.id } }))[0]
  expect(outcome).toMatchObject({ event: 'outcome', alert: { logIndex, asset: alert.asset } })
  expect(outcome?.logIndex).toBeGreaterThan(logIndex)
  expect(listTypes('/no-events')).toEqual(['channel.challenge', 'alert.created'])
  const ofFree = await freeDestination.client.call('listChannelDeliveries', { params: { id: freeDestination.id } })
  expect(ofFree, 'the ledger does not reveal that an entry is an outcome').toMatchObject([
    { logIndex, event: 'alert', state: 'skipped' },
  ])

  await own.client.call('redeliver', { params: { id: own.id }, body: { index: logIndex, event: 'anchored' } })
  await eventually(() => expect(listTypes('/events').filter((type) => type === 'alert.anchored')).toHaveLength(2))
  expect(listTypes('/events').filter((type) => type === 'alert.created')).toHaveLength(1)
})

test('an account without a plan gets no byte of a fresh alert, even if the plan ends before sending', async () => {
  const [freeDestination, endingDestination] = [
    await addConfirmedWebhook('/free', null),
    await addConfirmedWebhook('/ending'),
  ]
  nextResponses.set('/ending', [{ status: 503, retryAfter: '600' }])
  const firstAlert = await issue('before')
  await eventually(async () =>
    expect((await findLedgerRow(endingDestination, firstAlert.logIndex))?.attempts).toHaveLength(1),
  )
  const { logIndex } = await issue('zqmarkerqz')
  await eventually(async () =>
    expect(await findLedgerRow(endingDestination, logIndex)).toMatchObject({ state: 'waiting' }),
  )
  await server.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, endingDestination.accountId))
  clock.advance(11 * MINUTE_MS)
  // Without a plan, the delivery ledger lists only the first alert of each hour.
  for (const [destination, index] of [
    [freeDestination, firstAlert.logIndex],
    [endingDestination, logIndex],
  ] as const) {
    await eventually(async () =>
      expect(await findLedgerRow(destination, index)).toMatchObject({
        state: 'skipped',
        reason: 'No active plan',
        alert: null,
      }),
    )
  }
  const sentBodies = receivedRequests
    .filter(({ path }) => path === '/free' || path === '/ending')
    .map(({ body }) => body)
  expect(sentBodies.filter((body) => body.includes('zqmarkerqz'))).toEqual([])
})

test('an alert is sent again with the same id when the process ends before the delivery is recorded', async () => {
  const own = await addConfirmedWebhook('/crash')
  isCrashing = true
  const { logIndex } = await issue('a crash')
  // The second request shows that the process has ended after the first one.
  await eventually(() => expect(listAlertsSentTo('/crash').length).toBeGreaterThan(1))
  expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'waiting', attempts: [] })
  isCrashing = false
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'delivered' }))
  const ids = listAlertsSentTo('/crash').map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids)).toEqual(new Set([`msg_${own.id}_${logIndex}`]))
})

test('a rejected delivery is marked dead with the reason and can be sent again', async () => {
  const own = await addConfirmedWebhook('/refusing')
  nextResponses.set('/refusing', [{ status: 403 }])
  const { logIndex } = await issue('refused')
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'dead' }))
  expect((await findLedgerRow(own, logIndex))?.reason).toBe('Returned 403, which is not retried')
  await own.client.call('redeliver', { params: { id: own.id }, body: { index: logIndex } })
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'delivered' }))
})

test('a destination is marked as gone when it returns 410', async () => {
  const own = await addConfirmedWebhook('/gone')
  nextResponses.set('/gone', [{ status: 410 }])
  const { logIndex } = await issue('gone')
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'dead' }))
  expect(await readState(own.client, own.id)).toBe('gone')
})

test('a destination that fails for 24 hours is probed hourly and resumes automatically', async () => {
  const own = await addConfirmedWebhook('/failing')
  nextResponses.set('/failing', Array(4).fill({ status: 500 }))
  const { logIndex } = await issue('failing')
  await eventually(async () => expect((await findLedgerRow(own, logIndex))?.attempts).toHaveLength(1))
  clock.advance(25 * HOUR_MS)
  await eventually(async () => expect(await readState(own.client, own.id)).toBe('failing'))
  const missedAlert = await issue('missed')
  await eventually(async () =>
    expect(await findLedgerRow(own, missedAlert.logIndex)).toMatchObject({ state: 'skipped' }),
  )
  nextResponses.delete('/failing')
  clock.advance(HOUR_MS)
  await eventually(async () => expect(await readState(own.client, own.id)).toBe('on'))
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'delivered' }))
  const body = { index: logIndex, andLater: true }
  await own.client.call('redeliver', { params: { id: own.id }, body })
  await eventually(async () =>
    expect(await findLedgerRow(own, missedAlert.logIndex)).toMatchObject({ state: 'delivered' }),
  )
})

test('another account can neither read nor change a destination', async () => {
  const { id } = await addConfirmedWebhook('/private')
  const [stranger] = await signIn()
  const refused = { code: 'not_found', status: 404 }
  await expect(stranger.call('listChannelDeliveries', { params: { id } })).rejects.toMatchObject(refused)
  await expect(stranger.call('testDestination', { params: { id } })).rejects.toMatchObject(refused)
  await expect(stranger.call('deleteDestination', { params: { id } })).rejects.toMatchObject(refused)
  await expect(stranger.call('rotateDestinationSecret', { params: { id } })).rejects.toMatchObject(refused)
})

test('the secret of a webhook that can no longer be decrypted cannot be rotated, and the refusal says what to do', async () => {
  const { client, id } = await addConfirmedWebhook('/unreadable')
  await server.ctx.db.update(destinations).set({ sealed: 'v1.unreadable' }).where(eq(destinations.id, id))
  await expect(client.call('rotateDestinationSecret', { params: { id } })).rejects.toMatchObject({
    code: 'destination_not_on',
    message: 'The stored secrets can’t be read. Add the destination again.',
  })
})

test('an account has at most 20 destinations and 10 tests an hour, and its export contains no secrets', async () => {
  const own = await addConfirmedWebhook('/many')
  for (let count = 1; count < 20; count += 1) await addWebhook(own.client, `/many-${count}`)
  await expect(addWebhook(own.client, '/too-many')).rejects.toMatchObject({ code: 'too_many_destinations' })
  for (let count = 1; count < 10; count += 1) await own.client.call('testDestination', { params: { id: own.id } })
  const refused = own.client.call('testDestination', { params: { id: own.id } })
  await expect(refused).rejects.toMatchObject({ code: 'too_many_tests', status: 429 })
  const exported = await own.client.call('exportAccount')
  expect(exported.held.destinations).toHaveLength(20)
  expect(JSON.stringify(exported)).not.toMatch(/whsec_|127\.0\.0\.1:/)
  await server.ctx.db.delete(destinations).where(eq(destinations.accountId, own.accountId))
})

test('all accounts together send at most 120 confirmations an hour to one host', async () => {
  const { ctx } = server
  const requestConfirmations = async (accounts: number, perAccount: number) => {
    for (let account = 0; account < accounts; account += 1) {
      accountCount += 1
      const login = { email: `trader-${accountCount}@example.com`, password: 'a very long password of a trader' }
      const accountId = await createAccount(ctx, { ...login, name: 'Trader', role: 'user', verified: true })
      const owner = { ...(await startTestSession(ctx, accountId)), requestId: 'flood' }
      // Requests to other ports of the same host count towards the same limit.
      const url = `http://127.0.0.99:${1_000 + account}/`
      const { destination } = await createDestination(ctx, owner, { name: 'Flood', url })
      for (let count = 0; count < perAccount; count += 1)
        await confirmDestination(ctx, owner, destination.id, undefined)
    }
  }
  await requestConfirmations(12, 10)
  await expect(requestConfirmations(1, 1)).rejects.toMatchObject({ code: 'too_many_tests' })
  await addConfirmedWebhook('/not-flooded')
})

test('a request with several changes makes none of them when one is refused', async () => {
  const [client] = await signIn()
  const { destination } = await client.call('createDestination', {
    body: { kind: 'ntfy', name: 'Topic', url: `${hookUrl}/refused-change` },
  })
  const change = (body: RequestBody<'changeDestination'>) =>
    client.call('changeDestination', { params: { id: destination.id }, body })
  const acceptedChanges = { name: 'Renamed', mutedUntil: clock.now().toISOString(), digest: { every: 'hour' as const } }
  await expect(change({ ...acceptedChanges, events: ['anchored'] })).rejects.toMatchObject({ code: 'kind_not_offered' })
  await expect(change({ ...acceptedChanges, paused: true })).rejects.toMatchObject({ code: 'destination_not_on' })
  expect(await client.call('listDestinations')).toEqual([destination])
  const listDetails = async () => (await client.call('listActivity')).map(({ detail }) => detail)
  expect((await listDetails())[0]).toBe('Topic added')
  await change(acceptedChanges)
  expect(await client.call('listDestinations')).toMatchObject([acceptedChanges])
  expect((await listDetails()).slice(0, 3)).toEqual([
    'Renamed: digest changed',
    expect.stringMatching(/^Renamed muted until /),
    'Topic renamed to Renamed',
  ])
})

test('an endpoint that requests pauses of an hour and of 5 s at the same time gets nothing for an hour', async () => {
  const path = '/two-pauses'
  const [own, other] = [await addConfirmedWebhook(path), await addConfirmedWebhook('/without-pause')]
  const gates = [createGate(), createGate()]
  const retryAfters = ['3600', '5']
  nextResponses.set(
    path,
    gates.map(({ opened }, index) => ({ status: 503, retryAfter: retryAfters[index] ?? '', gate: opened })),
  )
  for (const summary of ['one', 'two']) await issue(summary)
  await eventually(() => expect(listAlertsSentTo(path)).toHaveLength(2))
  const countAttempts = async () =>
    (await own.client.call('listChannelDeliveries', { params: { id: own.id } })).flatMap(({ attempts }) => attempts)
      .length
  for (const [index, gate] of gates.entries()) {
    gate.open()
    await eventually(async () => expect(await countAttempts()).toBe(index + 1))
  }
  clock.advance(59 * MINUTE_MS)
  const { logIndex } = await issue('three')
  await eventually(async () => expect(await findLedgerRow(other, logIndex)).toMatchObject({ state: 'delivered' }))
  expect(listAlertsSentTo(path)).toHaveLength(2)
  clock.advance(MINUTE_MS)
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'delivered' }))
})

test('a destination can be renamed, and shows the alerts that it missed while it failed', async () => {
  const own = await addConfirmedWebhook('/renamed')
  const changeDestination = (body: { name?: string; paused?: boolean }) =>
    own.client.call('changeDestination', { params: { id: own.id }, body })
  await expect(changeDestination({})).rejects.toMatchObject({ status: 400 })
  await expect(changeDestination({ name: ' \u202e ' })).rejects.toMatchObject({ status: 400 })
  await changeDestination({ name: 'Night desk' })
  await server.ctx.db.update(destinations).set({ state: 'failing' }).where(eq(destinations.id, own.id))
  const { logIndex } = await issue('missed')
  await eventually(async () => expect(await findLedgerRow(own, logIndex)).toMatchObject({ state: 'skipped' }))
  const [ownDestination] = await own.client.call('listDestinations')
  expect(ownDestination).toMatchObject({ name: 'Night desk', missed: 1, missedFrom: logIndex })
  const countListed = async (show: 'open' | 'skipped') =>
    (await own.client.call('listChannelDeliveries', { params: { id: own.id }, query: { show } })).length
  expect([await countListed('open'), await countListed('skipped')]).toEqual([0, 1])
})
