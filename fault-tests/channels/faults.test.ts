import { endpoints, type Priority } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { deliveries } from '@tocsin/server/db/schema/alerts.ts'
import { channelCursor, destinations } from '@tocsin/server/db/schema/channels.ts'
import { anchors, logEntries } from '@tocsin/server/db/schema/log.ts'
import { subscriptions } from '@tocsin/server/db/schema/subscriptions.ts'
import { createIssuer } from '@tocsin/server/features/alerts/issue-alerts.ts'
import { TOO_OLD_REASON } from '@tocsin/server/features/channels/decide-destination.ts'
import { startDigests } from '@tocsin/server/features/channels/digest.ts'
import { enqueueDeliveries } from '@tocsin/server/features/channels/enqueue-deliveries.ts'
import { enqueueDeliveriesWithAnchors } from '@tocsin/server/features/channels/enqueue-deliveries-with-anchors.ts'
import { createDueWork, runChannels } from '@tocsin/server/features/channels/run-channels.ts'
import { createDestination } from '@tocsin/server/features/channels/service.ts'
import { insertDeliveries } from '@tocsin/server/features/channels/store.ts'
import { receiveSignals } from '@tocsin/server/features/feed/receive-signals.ts'
import { createOutcomeMessage, createPredictedSignal } from '@tocsin/server/test/support/outcome-test-bed.ts'
import { addSubscription } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Answer, answerWith, type Fixture, startFixture } from './fixture.ts'

const database = useTestDatabase()
let fixture: Fixture

beforeEach(async () => {
  fixture = await startFixture(database)
})
afterEach(() => {
  vi.restoreAllMocks()
  return fixture?.stop()
})

test('channels: alerts issued while no destination exists open no transaction and are not sent to a later destination', async () => {
  const { ctx } = fixture
  const config = { ...ctx.config, telegram: null }
  let transactions = 0
  const transaction: typeof ctx.db.transaction = (runTransaction, options) => {
    transactions += 1
    return ctx.db.transaction(runTransaction, options)
  }
  const stop = new AbortController()
  const channelsRun = runChannels(
    { ...ctx, config, db: Object.assign(Object.create(ctx.db), { transaction }) },
    stop.signal,
  )
  const readCursor = async () => (await ctx.db.select().from(channelCursor))[0]?.seq ?? 0
  for (let alert = 1; alert <= 3; alert += 1) {
    await fixture.issue('Early')
    await ctx.notifications.notify(ctx.db, 'channels')
    await expect.poll(readCursor).toBe(alert)
  }
  expect(transactions).toBe(0)
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  await ctx.notifications.notify(ctx.db, 'channels')
  await fixture.issue('Late')
  await expect.poll(async () => (await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual(['delivered'])
  expect(fixture.received.map(({ body }) => JSON.parse(body).data.alert.summary)).toEqual(['Late'])
  stop.abort()
  await channelsRun
})

const kinds = [
  ['webhook', '/hook'],
  ['discord', '/api/webhooks/1/x'],
  ['slack', '/services/T/B/x'],
  ['ntfy', '/topic'],
  ['telegram', '/77'],
  ['email', 'desk@example.com'],
  ['web-push', '/push'],
] as const

test('channels: an account without a plan gets no byte of an alert, even if the plan ends before sending', async () => {
  const [freeAccount, endingAccount, payingAccount] = [
    await fixture.addAccount(null),
    await fixture.addAccount(),
    await fixture.addAccount(),
  ]
  for (const accountId of [freeAccount, endingAccount, payingAccount]) {
    for (const [kind, path] of kinds) await fixture.addDestination(accountId, kind, path)
  }
  await fixture.issue('zqmarkerqz')
  await enqueueDeliveries(fixture.ctx)
  await fixture.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, endingAccount))
  await fixture.settle()
  const pushedTexts = fixture.received
    .filter(({ path }) => path === '/push')
    .map(({ bytes }) => fixture.readPush(bytes))
  const sentTexts = [
    ...fixture.received.map(({ body }) => body),
    ...pushedTexts,
    ...fixture.mails.map(({ text }) => text),
  ]
  expect(sentTexts.filter((text) => text.includes('zqmarkerqz'))).toHaveLength(kinds.length)
  expect([pushedTexts, fixture.mails].map(({ length }) => length)).toEqual([1, 1])
  const reasons = (await fixture.listDeliveries()).map(({ state, reason }) => (state === 'skipped' ? reason : state))
  expect(reasons.filter((reason) => reason === 'No active plan')).toHaveLength(2 * kinds.length)
  expect(reasons.filter((reason) => reason === 'delivered')).toHaveLength(kinds.length)
})

test('channels: 1,000 alerts in 10 hours add 200 rows for 20 destinations without a plan, not 20,000', async () => {
  const { ctx, clock } = fixture
  const freeAccount = await fixture.addAccount(null)
  await fixture.addDestinations(20, freeAccount, 'webhook', '/free', '127.0.0.1')
  const payingDestination = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/paying')
  const issue = createIssuer(ctx)
  const content = { asset: 'ETH', anomalyType: 'Spread', regime: 'Calm', confidence: 90, priority: 'high' as const }
  const issueConcurrently = (count: number) => {
    const issueOne = (_: unknown, at: number) =>
      issue({ content: { ...content, summary: `Alert ${at}` }, origin: 'admin', broadcast: true })
    return Promise.all(Array.from({ length: count }, issueOne))
  }
  clock.advance(HOUR_MS - (clock.now().getTime() % HOUR_MS))
  for (let hour = 0; hour < 10; hour += 1) {
    // Enqueue deliveries several times within an hour.
    for (const count of [1, 49, 50]) {
      await issueConcurrently(count)
      await enqueueDeliveries(ctx)
    }
    clock.advance(HOUR_MS)
  }
  const rows = await fixture.listDeliveries()
  const freeRows = rows.filter(({ destinationId }) => destinationId !== payingDestination)
  expect(new Set(freeRows.map(({ state, reason }) => `${state}: ${reason}`))).toEqual(
    new Set(['skipped: No active plan']),
  )
  expect(freeRows).toHaveLength(20 * 10)
  expect(new Set(freeRows.map(({ destinationId }) => destinationId)).size, 'each destination has rows').toBe(20)
  expect(rows.length - freeRows.length, 'of the account with a plan').toBe(1_000)
  // When the account has a plan again, the next alert gets rows and is sent, although this hour
  // already has rows.
  await issueConcurrently(1)
  await enqueueDeliveries(ctx)
  await addSubscription(ctx, freeAccount, HOUR_MS)
  await issueConcurrently(1)
  await enqueueDeliveries(ctx)
  const states = (await fixture.listDeliveries())
    .slice(rows.length)
    .filter(({ destinationId }) => destinationId !== payingDestination)
  expect(states.map(({ state }) => state)).toEqual([...Array(20).fill('skipped'), ...Array(20).fill('waiting')])
})

test('channels: deliveries are deleted after DELIVERIES_DAYS, except those that still wait', async () => {
  for (const [deliveriesDays, remainingStates] of [
    [8, ['delivered', 'held']],
    [7, ['held']],
  ] as const) {
    await fixture.stop()
    fixture = await startFixture(database, { deliveriesDays })
    const accountId = await fixture.addAccount()
    await fixture.addDestination(accountId, 'webhook', '/hook')
    await fixture.addDestination(accountId, 'webhook', '/away', '127.0.0.1', {
      notBefore: new Date(fixture.clock.now().getTime() + 100 * DAY_MS),
    })
    await fixture.issue('An alert')
    await fixture.settle()
    fixture.clock.advance(7.5 * DAY_MS)
    await createDueWork(fixture.ctx, fixture.sender())(fixture.clock.now())
    expect((await fixture.listDeliveries()).map(({ state }) => state).sort(), `${deliveriesDays} days`).toEqual(
      remainingStates,
    )
  }
})

test.each(['webhook', 'slack', 'web-push'] as const)(
  'channels: a %s whose request begins too late after the check of the plan gets 0 bytes, and is checked again',
  async (kind) => {
    const [endingAccount, payingAccount] = [await fixture.addAccount(), await fixture.addAccount()]
    for (const accountId of [endingAccount, payingAccount]) await fixture.addDestination(accountId, kind, '/hook')
    await fixture.issue('An alert')
    await enqueueDeliveries(fixture.ctx)
    // Block the process for longer than the check of the plan is valid (100 ms).
    fixture.failpoint.beforeSend = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)
    await fixture.sender().startDue(fixture.clock.now())
    await fixture.sender().ended()
    expect(fixture.received).toEqual([])
    fixture.failpoint.beforeSend = () => {}
    await fixture.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, endingAccount))
    await fixture.settle()
    expect(fixture.received).toHaveLength(1)
    const rows = (await fixture.listDeliveries()).map(({ state, attempts }) => `${state}, ${attempts} attempts`)
    expect(rows.sort()).toEqual(['delivered, 1 attempts', 'skipped, 0 attempts'])
  },
)

const key = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
const badUrls = [
  'http://[::1]/x',
  'https://[::1]/x',
  'https://[::ffff:127.0.0.1]/x',
  'https://user:pass@example.com/x',
  'data:text/plain,x',
  'https://127.1/x',
  'https://100.64.0.1/x',
  'https://example.com:25/x',
]
test.each(['webhook', 'discord', 'slack', 'ntfy', 'web-push'] as const)(
  'channels: a %s at an address that is not public is refused when it is added',
  async (kind) => {
    const { ctx } = fixture
    const guardedContext = { ...ctx, config: { ...ctx.config, channels: { allowPrivate: false } } }
    const getBody = (url: string) => {
      const endpointFields =
        kind === 'web-push' ? { subscription: { endpoint: url, p256dh: key, auth: 'A'.repeat(22) } } : { url }
      return { kind, name: 'Attack', ...endpointFields }
    }
    const owner = await fixture.startOwnerSession(await fixture.addAccount())
    for (const url of badUrls) {
      const creation = createDestination(guardedContext, owner, endpoints.createDestination.body.parse(getBody(url)))
      await expect(creation, url).rejects.toMatchObject({ code: 'endpoint_refused' })
    }
    const longUrl = `https://example.com/${'x'.repeat(10_000)}`
    expect(endpoints.createDestination.body.safeParse(getBody(longUrl)).success).toBe(false)
    expect(await ctx.db.$count(destinations)).toBe(0)
  },
)

const DAY_AND_MORE_MS = 25 * HOUR_MS
const answers: [string, Answer, object, [number, number]][] = [
  ['429 without a time', answerWith(429), { state: 'waiting' }, [5_000, 6_000]],
  [
    '429 with a year',
    answerWith(429, { 'retry-after': '31536000' }),
    { state: 'waiting' },
    [24 * HOUR_MS, DAY_AND_MORE_MS],
  ],
  ['429 with seconds', answerWith(429, { 'retry-after': '90' }), { state: 'waiting' }, [90_000, 90_000]],
  ['a redirect to itself', answerWith(302, { location: '/hook' }), { state: 'waiting' }, [5_000, 6_000]],
  ['a connection reset', (response) => void response.destroy(), { state: 'waiting' }, [5_000, 6_000]],
  ['400', answerWith(400), { state: 'dead', reason: 'Returned 400, which is not retried' }, [0, 0]],
  ['410', answerWith(410), { state: 'dead', reason: 'Returned 410: the endpoint no longer exists' }, [0, 0]],
  ['half an emoji at 500', answerWith(503, {}, `${'x'.repeat(499)}😀`), { state: 'waiting' }, [5_000, 6_000]],
]
test.each(answers)(
  'channels: a delivery gets the expected state and pause when the endpoint responds with %s',
  async (_name, answer, expected, [minPauseMs, maxPauseMs]) => {
    const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
    fixture.endpoints.answer = () => answer
    await fixture.issue('An alert')
    await fixture.settle()
    const [row] = await fixture.listDeliveries(id)
    expect(row).toMatchObject({ ...expected, attempts: 1 })
    const pauseMs = (row?.nextAt.getTime() ?? 0) - fixture.clock.now().getTime()
    expect(pauseMs).toBeGreaterThanOrEqual(minPauseMs)
    expect(pauseMs).toBeLessThanOrEqual(maxPauseMs)
    expect(fixture.received).toHaveLength(1)
  },
)

test('channels: deliveries to a chat end when it blocks the bot, and other chats get all alerts', async () => {
  const [blockingAccount, otherAccount] = [await fixture.addAccount(), await fixture.addAccount()]
  const id = await fixture.addDestination(blockingAccount, 'telegram', '/1')
  await fixture.addDestination(otherAccount, 'telegram', '/2')
  for (let count = 0; count < 5; count += 1) await fixture.issue(`Alert ${count}`)
  let requestCount = 0
  fixture.endpoints.answer = ({ body }) => {
    if (!body.includes('"chat_id":1,')) return undefined
    requestCount += 1
    if (requestCount === 1) return undefined
    const description = 'Forbidden: bot was blocked by the user'
    return answerWith(403, {}, JSON.stringify({ ok: false, error_code: 403, description }))
  }
  await fixture.settle()
  const states = (await fixture.listDeliveries(id)).map(({ state }) => state).sort()
  expect(states).toEqual(['dead', 'dead', 'dead', 'dead', 'delivered'])
  // One message is accepted before the bot is blocked. Two requests run concurrently, so at most
  // two are refused before the sender learns of the block.
  expect(requestCount).toBeLessThanOrEqual(3)
  expect((await fixture.listDeliveries()).filter(({ state }) => state === 'delivered')).toHaveLength(6)
})

/**
 * Sends everything that is due, and simulates a kill of the process after the first response,
 * before anything is recorded.
 */
const killAfterSend = async () => {
  const sender = fixture.sender()
  fixture.failpoint.run = () => {
    fixture.failpoint.run = () => {}
    fixture.kill()
    throw new Error('The process ended here')
  }
  await enqueueDeliveries(fixture.ctx)
  await createDueWork(fixture.ctx, sender)(fixture.clock.now())
  await sender.startDue(fixture.clock.now())
  await sender.ended()
  expect(fixture.received).toHaveLength(1)
}

test('channels: a message is resent with the same id when the process ends before recording the delivery', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  await fixture.issue('An alert')
  await killAfterSend()
  await fixture.settle()
  expect(fixture.received).toHaveLength(2)
  expect(new Set(fixture.received.map((message) => message.id)).size).toBe(1)
  expect(await fixture.listDeliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
})

/** Starts due digests, moves old alerts to the next digest, and sends everything that is due. */
const runAllDueWork = async () => {
  await createDueWork(fixture.ctx, fixture.sender())(fixture.clock.now())
  await fixture.settle()
}
const muteDestination = (id: string) =>
  fixture.ctx.db
    .update(destinations)
    .set({ mutedUntil: new Date(fixture.clock.now().getTime() + DAY_MS) })
    .where(eq(destinations.id, id))

const waitCases: { name: string; begin(id: string): Promise<unknown> }[] = [
  { name: 'a mute begins', begin: muteDestination },
  { name: 'the alert becomes too old', begin: async () => fixture.clock.advance(16 * MINUTE_MS) },
]
test.each(waitCases)(
  'channels: if $name after a kill, an alert that may have arrived is resent alone with the same id',
  async ({ begin }) => {
    const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
    await fixture.issue('Arrived before the kill')
    await killAfterSend()
    await fixture.issue('Issued later')
    await enqueueDeliveries(fixture.ctx)
    await begin(id)
    await runAllDueWork()
    fixture.clock.advance(DAY_MS)
    await runAllDueWork()
    const [first, ...laterMessages] = fixture.received
    const repeatedMessages = laterMessages.filter(({ body }) => body.includes('Arrived before the kill'))
    expect(repeatedMessages.map((message) => message.id)).toEqual([first?.id])
    expect(repeatedMessages[0]?.body).not.toContain('Issued later')
    expect(new Set(fixture.received.map((message) => message.id)).size).toBe(2)
    expect((await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  },
)

test('channels: one pass of the sender sends every due message of a destination as slots become free', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  for (let count = 0; count < 5; count += 1) await fixture.issue(`Alert ${count}`)
  await enqueueDeliveries(fixture.ctx)
  const sender = fixture.sender()
  await sender.startDue(fixture.clock.now())
  await sender.ended()
  expect((await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual(Array(5).fill('delivered'))
  expect(fixture.received.map(({ body }) => /Alert \d/.exec(body)?.[0]).sort()).toEqual(
    [0, 1, 2, 3, 4].map((count) => `Alert ${count}`),
  )
})

test('channels: an alert that may have arrived keeps its id when its retry fails and a mute follows', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  await fixture.issue('Arrived before the kill')
  await killAfterSend()
  await fixture.issue('Issued later')
  fixture.endpoints.answer = () => answerWith(500)
  await fixture.settle()
  fixture.endpoints.answer = () => undefined
  await muteDestination(id)
  fixture.clock.advance(10 * MINUTE_MS)
  await runAllDueWork()
  fixture.clock.advance(DAY_MS)
  await runAllDueWork()
  const requests = fixture.received.filter(({ body }) => body.includes('Arrived before the kill'))
  expect(requests).toHaveLength(3)
  expect(new Set(requests.map((message) => message.id)).size).toBe(1)
  expect(requests.some(({ body }) => body.includes('Issued later'))).toBe(false)
  expect((await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
})

test('channels: a digest that may have arrived is resent after a mute with the same id and alerts', async () => {
  const digest = { every: 'hour' } as const
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', { digest })
  await fixture.issue('One')
  await fixture.issue('Two')
  await fixture.settle()
  fixture.clock.advance(HOUR_MS)
  await killAfterSend()
  await muteDestination(id)
  await fixture.issue('Three')
  await runAllDueWork()
  expect(fixture.received).toHaveLength(1)
  fixture.clock.advance(DAY_MS)
  await runAllDueWork()
  const sizes = new Map<string, number[]>()
  for (const message of fixture.received) {
    sizes.set(message.id, [...(sizes.get(message.id) ?? []), JSON.parse(message.body).data.alerts.length])
  }
  expect([...sizes.values()].sort()).toEqual([[1], [2, 2]])
  expect((await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered'])
})

test('channels: an alert refused before a kill and a mute is sent in one digest with later alerts', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'discord', '/api/webhooks/1/x')
  fixture.endpoints.answer = () => answerWith(503)
  await fixture.issue('Refused')
  await fixture.settle()
  fixture.kill()
  fixture.endpoints.answer = () => undefined
  await muteDestination(id)
  fixture.clock.advance(MINUTE_MS)
  await fixture.issue('Issued later')
  await runAllDueWork()
  fixture.clock.advance(DAY_MS)
  await runAllDueWork()
  const digests = fixture.received.slice(1).map(({ body }) => body)
  expect(digests).toEqual([expect.stringMatching(/Refused.*Issued later|Issued later.*Refused/s)])
})

test('channels: when storing deliveries is interrupted, the rest are stored with the same decisions', async () => {
  const [firstAccount, crowdedAccount] = [await fixture.addAccount(), await fixture.addAccount()]
  const first = await fixture.addDestination(firstAccount, 'webhook', '/first')
  await fixture.addDestinations(600, crowdedAccount, 'webhook', '/hook', '127.0.0.1')
  const secondDestination = await fixture.addDestination(firstAccount, 'webhook', '/second')
  const { db } = fixture.ctx
  await db.update(destinations).set({ rules: { coolDownMinutes: 60 } })
  for (const [escalationStep, id] of [first, secondDestination].entries()) {
    await db.update(destinations).set({ escalationStep }).where(eq(destinations.id, id))
  }
  await fixture.issue('An alert', 'critical')
  await expect(enqueueDeliveries(fixture.ctx, () => Promise.reject(new Error('ended here')))).rejects.toThrow(
    'ended here',
  )
  // The second chunk of rows was being inserted when the callback for the first chunk failed, so
  // both are stored.
  await expect.poll(async () => (await fixture.listDeliveries()).length).toBe(512)
  await enqueueDeliveries(fixture.ctx)
  const rows = await fixture.listDeliveries()
  expect(rows.map(({ state }) => state)).toEqual(Array.from({ length: 602 }, () => 'waiting'))
  expect(rows.flatMap(({ destinationId, isEscalation }) => (isEscalation ? [destinationId] : []))).toEqual([
    secondDestination,
  ])
})

test('channels: the first deliveries of an alert are sent before all of them are stored', async () => {
  await fixture.addDestinations(600, await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1')
  await fixture.issue('An alert')
  const receivedCounts: number[] = []
  await enqueueDeliveries(fixture.ctx, async () => {
    await fixture.sender().startDue(fixture.clock.now())
    await fixture.sender().ended()
    receivedCounts.push(fixture.received.length)
  })
  expect(receivedCounts[0]).toBeGreaterThan(0)
  await fixture.settle()
  expect(fixture.received).toHaveLength(600)
  expect(new Set(fixture.received.map(({ id }) => id)).size).toBe(600)
})

test('channels: two instances that both act as the leader record the delivery of an alert once', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  await fixture.issue('An alert')
  const otherProcess = fixture.startProcess()
  const heldResponses: (() => void)[] = []
  // Respond only when both instances have sent their request.
  fixture.endpoints.answer = () => (response) => {
    heldResponses.push(() => void response.end())
    if (heldResponses.length === 2) for (const answer of heldResponses) answer()
  }
  await Promise.all([enqueueDeliveries(fixture.ctx), enqueueDeliveries(fixture.ctx)])
  await Promise.all([fixture.sender().startDue(fixture.clock.now()), otherProcess.sender.startDue(fixture.clock.now())])
  await Promise.all([fixture.sender().ended(), otherProcess.sender.ended()])
  expect(new Set(fixture.received.map((message) => message.id)).size).toBe(1)
  expect(await fixture.listDeliveries(id)).toMatchObject([{ state: 'delivered', attempts: 1 }])
  expect(await fixture.listAttempts()).toHaveLength(1)
})

test('channels: when the clock is set back an hour, new alerts are sent immediately and none twice', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  fixture.clock.advance(2 * HOUR_MS)
  fixture.endpoints.answer = ({ body }) => (body.includes('First') ? answerWith(500) : undefined)
  await fixture.issue('First')
  await fixture.settle()
  fixture.endpoints.answer = () => undefined
  await fixture.issue('Second')
  fixture.clock.advance(-HOUR_MS)
  await fixture.settle()
  expect((await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual(['waiting', 'delivered'])
  fixture.clock.advance(HOUR_MS + MINUTE_MS)
  await fixture.settle()
  expect((await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
  expect(fixture.received).toHaveLength(3)
})

test.each([
  ['correction', { kind: 'correction', summary: 'Right figure' }],
  ['retraction', { kind: 'retraction', summary: 'Wrong feed' }],
] as const)(
  'channels: sends the %s instead of a waiting alert, and records its delivery',
  async (kind, newestAlert) => {
    const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
    fixture.endpoints.answer = () => answerWith(500)
    const first = await fixture.issue('Wrong figure')
    await fixture.settle()
    fixture.endpoints.answer = () => undefined
    const replacement = await fixture.replace(kind, first.id, newestAlert.summary)
    fixture.clock.advance(MINUTE_MS)
    await fixture.settle()
    const sentAlerts = fixture.received.slice(1).map(({ body }) => JSON.parse(body).data.alert)
    expect(sentAlerts).toMatchObject([{ ...newestAlert, targetIndex: first.logIndex }])
    expect(await fixture.listDeliveries(id)).toMatchObject([
      { state: 'skipped', reason: `Replaced by #${replacement.logIndex}, which is sent instead` },
      { state: 'delivered' },
    ])
  },
)

test('channels: rules and limits neither block nor count corrections and retractions of sent alerts', async () => {
  const { clock } = fixture
  clock.advance(HOUR_MS + 1_000 - (clock.now().getTime() % HOUR_MS))
  const rules = { lowestPriority: 'high' as const, mostPerHour: 2, coolDownMinutes: 10 }
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', { rules })
  const readStates = async () => {
    await fixture.settle()
    return (await fixture.listDeliveries(id)).map(({ state }) => state)
  }
  const first = await fixture.issue('First')
  expect(await readStates()).toEqual(['delivered'])
  clock.advance(8 * MINUTE_MS)
  await fixture.replace('correction', first.id, 'Corrected', 'medium')
  expect(await readStates()).toEqual(['delivered', 'delivered'])
  clock.advance(4 * MINUTE_MS)
  const secondAlert = await fixture.issue('Second')
  expect((await readStates()).slice(2), 'cool-down and limit count the first alert only').toEqual(['delivered'])
  await fixture.replace('retraction', secondAlert.id, 'Withdrawn')
  expect((await readStates()).slice(3), 'although the hour is full').toEqual(['delivered'])
  const excludedAlert = await fixture.issue('Excluded', 'medium')
  await fixture.replace('correction', excludedAlert.id, 'Also excluded', 'medium')
  expect((await readStates()).slice(4), 'the alert was not sent').toEqual(['skipped', 'skipped'])
})

test('channels: a correction enqueued together with its alert is sent even if the rules exclude it', async () => {
  const rules = { lowestPriority: 'high' as const }
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', { rules })
  const first = await fixture.issue('First')
  const correction = await fixture.replace('correction', first.id, 'Corrected', 'medium')
  await fixture.settle()
  expect(await fixture.listDeliveries(id)).toMatchObject([
    { state: 'skipped', reason: `Replaced by #${correction.logIndex}, which is sent instead` },
    { state: 'delivered' },
  ])
})

test('channels: the job ends with an error when the database fails, even while it polls Telegram', async () => {
  fixture.endpoints.answer = ({ path }) => (path.endsWith('/getUpdates') ? () => {} : undefined)
  const channelsRun = runChannels(fixture.ctx, new AbortController().signal)
  await expect.poll(() => fixture.received.map(({ path }) => path).join()).toContain('/getUpdates')
  await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  const rejection = expect(channelsRun).rejects.toThrow()
  await fixture.ctx.notifications.notify(fixture.ctx.db, 'channels')
  fixture.proxy.resetConnections()
  await rejection
  fixture.proxy.heal()
})

test('channels: loses no response and sends no message twice when the database is unreachable for 60 s', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  await fixture.issue('Answered while the database is away')
  fixture.endpoints.answer = () => (response) => {
    fixture.proxy.resetConnections()
    response.end()
  }
  let isAnswered = false
  fixture.failpoint.run = () => {
    isAnswered = true
  }
  await enqueueDeliveries(fixture.ctx)
  await fixture.sender().startDue(fixture.clock.now())
  await expect.poll(() => isAnswered).toBe(true)
  fixture.clock.advance(MINUTE_MS)
  fixture.loseLease()
  await expect(enqueueDeliveries(fixture.ctx)).rejects.toThrow()
  await expect(fixture.sender().startDue(fixture.clock.now())).rejects.toThrow()
  fixture.endpoints.answer = () => undefined
  fixture.proxy.heal()
  await fixture.sender().ended()
  fixture.kill()
  await fixture.issue('Issued after its return')
  await fixture.settle()
  expect(await fixture.listDeliveries(id)).toMatchObject([
    { state: 'delivered', attempts: 1 },
    { state: 'delivered', attempts: 1 },
  ])
  expect(fixture.received.map(({ body }) => JSON.parse(body).data.alert.summary)).toEqual([
    'Answered while the database is away',
    'Issued after its return',
  ])
})

test('channels: a destination deleted while its request is in flight leaves no deliveries or attempts', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  await fixture.issue('An alert')
  fixture.endpoints.answer = () => (response) => {
    void fixture.ctx.db
      .delete(destinations)
      .where(eq(destinations.id, id))
      .then(() => response.end())
  }
  await fixture.settle()
  expect(fixture.received).toHaveLength(1)
  expect([await fixture.listDeliveries(), await fixture.listAttempts()]).toEqual([[], []])
})

test('channels: 5,000 destinations on one host that hangs do not delay a destination on another host', async () => {
  const accountId = await fixture.addAccount()
  await fixture.addDestinations(5_000, accountId, 'webhook', '/hang', '127.0.0.2')
  const otherDestination = await fixture.addDestination(accountId, 'slack', '/services/quick')
  fixture.endpoints.answer = ({ path }) => (path === '/hang' ? () => {} : undefined)
  // Let no request time out: after a timeout (15 s), a further request would begin. On a busy
  // machine this test takes longer than 15 s.
  withholdTimers(15_000)
  await fixture.issue('An alert')
  await enqueueDeliveries(fixture.ctx)
  await expect
    .poll(async () => {
      await fixture.sender().startDue(fixture.clock.now())
      return (await fixture.listDeliveries(otherDestination))[0]?.state
    })
    .toBe('delivered')
  expect(fixture.received.filter(({ path }) => path === '/hang')).toHaveLength(64)
})

/**
 * Replaces `setTimeout`: timers of these lengths never fire, so that a busy machine does not reach
 * timeouts.
 */
function withholdTimers(...delaysMs: number[]): void {
  const realSetTimeout = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms?: number) =>
    realSetTimeout(delaysMs.includes(ms ?? 0) ? () => {} : work, ms)) as typeof setTimeout)
}

/**
 * Delays every update of a table by 200 ms. A delivery that timed out while it waited for a slot is
 * already marked as started, so its retry needs no update. The delay therefore lets the retry
 * overtake a more urgent delivery if the sender does not order deliveries by urgency.
 */
async function slowDownUpdates(table: string): Promise<void> {
  const { db } = fixture.ctx
  await db.execute(`create function slow_down() returns trigger language plpgsql
    as $$ begin perform pg_sleep(0.2); return null; end $$`)
  await db.execute(`create trigger slow_down before update on ${table} execute function slow_down()`)
}

/**
 * For each batch of concurrent requests, the expected number of messages for each alert: the low
 * alerts, oldest first, and then the critical alert.
 */
const urgencyCases = [
  {
    before: 'with a slot for one more message',
    lowAlertCount: 1,
    batches: [
      [64, 0],
      [0, 64],
      [28, 36],
      [8, 0],
    ],
  },
  {
    before: 'with no slot left',
    lowAlertCount: 2,
    batches: [
      [64, 0, 0],
      [0, 0, 64],
      [28, 0, 36],
      [8, 56, 0],
      [0, 44, 0],
    ],
  },
]
for (const { before, lowAlertCount, batches } of urgencyCases) {
  test(`channels: alerts are sent by urgency, then by age, when a critical alert arrives ${before}`, async () => {
    // Stop the clock of the sender: on a busy machine a request may begin too long after its check,
    // and the delivery would then be due again.
    vi.spyOn(process.hrtime, 'bigint').mockReturnValue(process.hrtime.bigint())
    await slowDownUpdates('channel_deliveries')
    await fixture.addDestinations(100, await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1')
    const heldResponses: (() => void)[] = []
    fixture.endpoints.answer = () => (response) => void heldResponses.push(() => response.end())
    const issuedIndexes: number[] = []
    const issueToAll = async (priority: Priority) => {
      issuedIndexes.push((await fixture.issue('An alert', priority)).logIndex)
      await enqueueDeliveries(fixture.ctx)
    }
    const waitForArrivals = async (count: number) => {
      await expect
        .poll(async () => {
          await fixture.sender().startDue(fixture.clock.now(), false)
          return fixture.received.length
        })
        .toBe(count)
    }
    for (let lowCount = 0; lowCount < lowAlertCount; lowCount += 1) await issueToAll('low')
    await waitForArrivals(64)
    await issueToAll('critical')
    await fixture.sender().startDue(fixture.clock.now())
    // Deliveries that are prepared but get no slot time out and become due again. Wait until only
    // the 64 deliveries in flight are left.
    await expect.poll(() => fixture.sender().startedIds().length).toBe(64)
    const countsByBatch: number[][] = []
    for (let batchStart = 0; batchStart < issuedIndexes.length * 100; batchStart += 64) {
      await waitForArrivals(Math.min(batchStart + 64, issuedIndexes.length * 100))
      const indexes = fixture.received.slice(batchStart).map(({ body }) => JSON.parse(body).data.alert.logIndex)
      countsByBatch.push(issuedIndexes.map((index) => indexes.filter((otherIndex) => otherIndex === index).length))
      for (const answer of heldResponses.splice(0)) answer()
    }
    expect(countsByBatch).toEqual(batches)
  })
}

test('channels: alerts that become too old after they have waited in vain for a slot are sent in one digest', async () => {
  const { ctx, clock } = fixture
  await fixture.addDestinations(100, await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1')
  const heldResponses: (() => void)[] = []
  fixture.endpoints.answer = () => (response) => void heldResponses.push(() => response.end())
  withholdTimers(15_000)
  await fixture.issue('First')
  await enqueueDeliveries(ctx)
  await fixture.sender().startDue(clock.now())
  // The requests to 64 destinations have no response. The deliveries to the others wait for a slot
  // until they time out.
  await expect.poll(() => heldResponses.length).toBe(64)
  await expect.poll(() => fixture.sender().startedIds().length).toBe(64)
  await fixture.issue('Second')
  await enqueueDeliveries(ctx)
  clock.advance(16 * MINUTE_MS)
  while (await createDueWork(ctx, fixture.sender())(clock.now())) {}
  fixture.endpoints.answer = () => undefined
  for (const answer of heldResponses) answer()
  await fixture.settle()
  const sizes = fixture.received.slice(64).map(({ body }) => JSON.parse(body).data.alerts.length)
  expect(sizes.sort()).toEqual([...Array(64).fill(1), ...Array(36).fill(2)])
})

test('channels: a delivery is kept for 30 days', async () => {
  await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  const oldAlert = await fixture.issue('Old')
  await fixture.settle()
  fixture.clock.advance(29 * DAY_MS)
  const stop = new AbortController()
  const config = { ...fixture.ctx.config, telegram: null }
  const channelsRun = runChannels({ ...fixture.ctx, config }, stop.signal)
  const youngAlert = await fixture.issue('Young')
  const readLedgerStates = async () => (await fixture.listDeliveries()).map(({ logIndex, state }) => [logIndex, state])
  await expect.poll(readLedgerStates).toEqual([
    [oldAlert.logIndex, 'delivered'],
    [youngAlert.logIndex, 'delivered'],
  ])
  fixture.clock.advance(DAY_MS + MINUTE_MS)
  await fixture.ctx.notifications.notify(fixture.ctx.db, 'channels')
  await expect.poll(readLedgerStates).toEqual([[youngAlert.logIndex, 'delivered']])
  stop.abort()
  await channelsRun
})

test('channels: a chat message whose retry is due too late is held for the digest', async () => {
  const accountId = await fixture.addAccount()
  const chat = await fixture.addDestination(accountId, 'discord', '/api/webhooks/1/late')
  const webhook = await fixture.addDestination(accountId, 'webhook', '/hook-late')
  fixture.endpoints.answer = () => answerWith(503)
  await fixture.issue('An hour ago')
  await fixture.settle()
  fixture.endpoints.answer = () => undefined
  fixture.clock.advance(HOUR_MS)
  await fixture.settle()
  expect(await fixture.listDeliveries(chat)).toMatchObject([{ state: 'held', reason: TOO_OLD_REASON, attempts: 1 }])
  expect(await fixture.listDeliveries(webhook)).toMatchObject([{ state: 'delivered', attempts: 2 }])
})

test('channels: a destination that is deleted while deliveries are stored does not end the job', async () => {
  const accountId = await fixture.addAccount()
  const [deletedDestination, keptDestination] = [
    await fixture.addDestination(accountId, 'webhook', '/hook-deleted'),
    await fixture.addDestination(accountId, 'webhook', '/hook-kept'),
  ]
  const { logIndex } = await fixture.issue('For those that are left')
  const [row] = await fixture.ctx.db.select().from(deliveries)
  await fixture.ctx.db.delete(destinations).where(eq(destinations.id, deletedDestination))
  const commonFields = { logIndex, event: 'alert' as const, seq: row?.seq ?? 0, rank: 2, state: 'waiting' as const }
  const deliveryFields = {
    ...commonFields,
    reason: 'Waits to be sent',
    createdAt: fixture.clock.now(),
    nextAt: fixture.clock.now(),
  }
  await insertDeliveries(
    fixture.ctx.db,
    [deletedDestination, keptDestination].map((destinationId) => ({ ...deliveryFields, destinationId })),
  )
  expect(await fixture.listDeliveries()).toMatchObject([{ destinationId: keptDestination }])
})

test('channels: many digests that are due at the same time are started in batches', async () => {
  const accountId = await fixture.addAccount()
  for (let count = 0; count < 100; count += 1) await fixture.addDestination(accountId, 'webhook', `/digest-${count}`)
  await fixture.ctx.db.update(destinations).set({ digest: { every: 'hour' } })
  await fixture.issue('For a digest')
  await enqueueDeliveries(fixture.ctx)
  fixture.clock.advance(HOUR_MS)
  const slowContext: typeof fixture.ctx = {
    ...fixture.ctx,
    db: Object.assign(Object.create(fixture.ctx.db), {
      transaction: async (...transactionArgs: Parameters<typeof fixture.ctx.db.transaction>) => {
        await new Promise((resolve) => setTimeout(resolve, 20))
        return fixture.ctx.db.transaction(...transactionArgs)
      },
    }),
  }
  const countWaiting = async () => (await fixture.listDeliveries()).filter(({ state }) => state === 'waiting').length
  expect(await startDigests(slowContext, fixture.clock.now())).toBe(true)
  expect(await countWaiting()).toBeGreaterThan(0)
  expect(await countWaiting()).toBeLessThan(100)
  while (await startDigests(fixture.ctx, fixture.clock.now())) {}
  expect(await countWaiting()).toBe(100)
})

test('channels: messages about an anchor of many alerts are enqueued in batches', async () => {
  const { ctx, clock } = fixture
  const settings = { events: ['anchored' as const] }
  await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', settings)
  expect(await enqueueDeliveriesWithAnchors(ctx)).toBe(false)
  const issue = createIssuer(ctx)
  const content = { asset: 'ETH', anomalyType: 'Spread', regime: 'Calm', summary: 'One of many', confidence: 90 }
  const alertRequest = { content: { ...content, priority: 'high' as const }, origin: 'admin' as const, broadcast: true }
  await Promise.all(Array.from({ length: 450 }, () => issue(alertRequest)))
  const size = await ctx.db.$count(logEntries)
  const block = { blockNumber: 1, blockHash: '0x', blockAt: clock.now() }
  await ctx.db.insert(anchors).values({ size, root: Buffer.alloc(32), txHash: '0x', ...block })
  // Advance the clock so fast that the first call reaches its time limit after one transaction.
  let nowMs = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1_000))
  const countAnnounced = async () => (await fixture.listDeliveries()).filter(({ event }) => event === 'anchored').length
  expect(await enqueueDeliveriesWithAnchors(ctx)).toBe(true)
  expect(await countAnnounced()).toBeGreaterThan(0)
  expect(await countAnnounced()).toBeLessThanOrEqual(200)
  while (await enqueueDeliveriesWithAnchors(ctx)) {}
  expect(await countAnnounced()).toBe(450)
})

test('channels: messages about outcomes and anchors do not count in the hourly limit', async () => {
  const { ctx, clock } = fixture
  clock.advance(HOUR_MS + 1_000 - (clock.now().getTime() % HOUR_MS))
  const settings = { rules: { mostPerHour: 2 }, events: ['outcome' as const, 'anchored' as const] }
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', settings)
  const receiveSignal = (text: string) => receiveSignals(ctx, createIssuer(ctx), [text], new AbortController().signal)
  const signal = createPredictedSignal('predicted', clock.now())
  await receiveSignal(signal)
  clock.advance(7 * MINUTE_MS)
  await receiveSignal(createOutcomeMessage(signal))
  await fixture.issue('The second alert')
  await enqueueDeliveries(ctx)
  const listRows = async () => (await fixture.listDeliveries(id)).map(({ event, state }) => `${event}: ${state}`)
  expect(await listRows()).toEqual(['alert: waiting', 'outcome: waiting', 'alert: waiting'])
  const [first] = await fixture.listDeliveries(id)
  if (!first) throw new Error('The ledger is empty')
  await insertDeliveries(ctx.db, [{ ...first, event: 'anchored' }])
  await ctx.db.update(destinations).set({ rules: { mostPerHour: 3 } })
  await fixture.issue('The third alert')
  await enqueueDeliveries(ctx)
  expect((await listRows()).slice(3)).toEqual(['anchored: waiting', 'alert: waiting'])
})
