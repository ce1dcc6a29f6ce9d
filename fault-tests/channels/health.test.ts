import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { channelDeliveries, destinations } from '@tocsin/server/db/schema/channels.ts'
import { anchors } from '@tocsin/server/db/schema/log.ts'
import { acknowledgeByMessage } from '@tocsin/server/features/channels/acknowledge.ts'
import { createChannelPause } from '@tocsin/server/features/channels/channel-pause.ts'
import { MAX_AGES_MS } from '@tocsin/server/features/channels/destination.ts'
import { startDigests } from '@tocsin/server/features/channels/digest.ts'
import { enqueueDeliveries } from '@tocsin/server/features/channels/enqueue-deliveries.ts'
import { ACKNOWLEDGED_REASON } from '@tocsin/server/features/channels/escalation.ts'
import { holdOldDeliveries } from '@tocsin/server/features/channels/held-store.ts'
import { addNotice } from '@tocsin/server/features/channels/notices.ts'
import { createBatches, probe, sendDelivery } from '@tocsin/server/features/channels/send-delivery.ts'
import { redeliver } from '@tocsin/server/features/channels/service.ts'
import { listDue, readHealth } from '@tocsin/server/features/channels/store.ts'
import { sendBatch } from '@tocsin/server/features/outreach/run-messages.ts'
import { insertMessage } from '@tocsin/server/features/outreach/store.ts'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Answer, answerWith, type Fixture, startFixture } from './fixture.ts'
import { createJob, createOwnerMails } from './job.ts'

const database = useTestDatabase()
let fixture: Fixture

beforeEach(async () => {
  fixture = await startFixture(database)
})
afterEach(() => fixture?.stop())

/**
 * Sends two messages to one destination and withholds the responses, so that the test can choose
 * each response.
 */
async function startTwoDeliveries(id: string) {
  const heldAnswers: ((answer: Answer) => void)[] = []
  fixture.endpoints.answer = (message) => (response) => void heldAnswers.push((answer) => answer(response, message))
  for (const summary of ['one', 'two']) await fixture.issue(summary)
  await enqueueDeliveries(fixture.ctx)
  await fixture.sender().startDue(fixture.clock.now())
  await expect.poll(() => heldAnswers.length).toBe(2)
  const answered = async (at: number, answer: Answer) => {
    heldAnswers[at]?.(answer)
    await expect
      .poll(async () => (await fixture.listDeliveries(id)).filter(({ attempts }) => attempts > 0).length)
      .toBe(at + 1)
  }
  const destination = async () => {
    const [row] = await fixture.ctx.db.select().from(destinations).where(eq(destinations.id, id))
    return row
  }
  return { answered, destination }
}

test('channels: a pause requested by one response continues when another request succeeds', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  const { answered, destination } = await startTwoDeliveries(id)
  await answered(0, answerWith(429, { 'retry-after': '90' }))
  const notBeforeTime = new Date(fixture.clock.now().getTime() + 90_000)
  expect(await destination()).toMatchObject({ notBefore: notBeforeTime })
  await answered(1, answerWith(200))
  expect(await destination()).toMatchObject({ state: 'on', failingSince: null, notBefore: notBeforeTime })
  await fixture.sender().ended()
  fixture.endpoints.answer = () => undefined
  await fixture.issue('three')
  await fixture.settle()
  expect(fixture.received).toHaveLength(2)
  fixture.clock.advance(90_000)
  await fixture.settle()
  expect(fixture.received.length).toBeGreaterThan(2)
})

test('channels: a destination that has failed for a day is active again when another request succeeds', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  const { answered, destination } = await startTwoDeliveries(id)
  const failingSince = new Date(fixture.clock.now().getTime() - 25 * 60 * MINUTE_MS)
  await fixture.ctx.db.update(destinations).set({ failingSince }).where(eq(destinations.id, id))
  await answered(0, answerWith(500))
  expect(await destination()).toMatchObject({ state: 'failing' })
  await answered(1, answerWith(200))
  expect(await destination()).toMatchObject({ state: 'on', failingSince: null, notBefore: null })
  await fixture.sender().ended()
})

test('channels: an anchor message that is too old to be sent does not go into a digest', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  for (const summary of ['one', 'two']) await fixture.issue(summary)
  await enqueueDeliveries(fixture.ctx)
  const { db } = fixture.ctx
  const [first] = await fixture.listDeliveries(id)
  await db
    .update(channelDeliveries)
    .set({ event: 'anchored' })
    .where(eq(channelDeliveries.id, first?.id ?? 0))
  fixture.clock.advance(20 * MINUTE_MS)
  await holdOldDeliveries(db, { now: fixture.clock.now(), reason: 'Too old', exceptIds: [], limitsMs: MAX_AGES_MS })
  expect(await fixture.listDeliveries(id)).toMatchObject([
    { event: 'anchored', state: 'waiting' },
    { event: 'alert', state: 'held' },
  ])
})

const readRow = async (id: string) => {
  const [row] = await fixture.ctx.db.select().from(destinations).where(eq(destinations.id, id))
  if (!row) throw new Error('The destination does not exist')
  return row
}

/** Creates the channels job. `settle` does all due work, and `passHours` does it every hour. */
async function startJob() {
  await createOwnerMails(fixture.ctx)
  const job = createJob(fixture.ctx, new AbortController().signal, () => {})
  return {
    ...job,
    async passHours(hours: number) {
      for (let hour = 0; hour < hours; hour += 1) {
        fixture.clock.advance(HOUR_MS)
        await job.settle()
      }
    },
  }
}

test('channels: deliveries to a destination that keeps failing count as missed and can be sent later', async () => {
  const accountId = await fixture.addAccount()
  const id = await fixture.addDestination(accountId, 'webhook', '/hook')
  const { settle, passHours } = await startJob()
  fixture.endpoints.answer = () => answerWith(503)
  const { logIndex } = await fixture.issue('one')
  await settle()
  await passHours(40)
  expect(await readRow(id)).toMatchObject({ state: 'failing' })
  expect(await fixture.listDeliveries(id)).toMatchObject([{ state: 'waiting' }])
  await passHours(10)
  expect(await fixture.listDeliveries(id)).toMatchObject([{ state: 'skipped', reason: 'The destination was failing' }])
  fixture.endpoints.answer = () => undefined
  await passHours(1)
  expect(await readRow(id)).toMatchObject({ state: 'on' })
  const health = (await readHealth(fixture.ctx.db, [id], new Date(0))).get(id)
  expect(health?.missed).toEqual({ missed: 1, missedFrom: logIndex })
  const owner = await fixture.startOwnerSession(accountId)
  await redeliver(fixture.ctx, owner, id, { index: logIndex, andLater: true })
  await settle()
  expect(await fixture.listDeliveries(id)).toMatchObject([{ state: 'delivered' }])
})

test('channels: an owner gets a notice per failing destination, and a retried notice keeps its id', async () => {
  const accountId = await fixture.addAccount()
  for (const path of ['/first', '/second']) await fixture.addDestination(accountId, 'webhook', path)
  const failingSince = new Date(fixture.clock.now().getTime() - DAY_MS)
  await fixture.ctx.db.update(destinations).set({ failingSince })
  await fixture.addDestination(accountId, 'webhook', '/healthy')
  const { settle } = await startJob()
  const isNotice = ({ body }: { body: string }) => body.includes('channel.notice')
  fixture.endpoints.answer = (message) =>
    message.path === '/healthy' && !isNotice(message) ? undefined : answerWith(500)
  await fixture.issue('one')
  await settle()
  await settle()
  fixture.endpoints.answer = ({ path }) => (path === '/healthy' ? undefined : answerWith(500))
  for (let minute = 0; minute < 2; minute += 1) {
    fixture.clock.advance(MINUTE_MS)
    await settle()
  }
  const notices = fixture.received.filter(isNotice)
  const [failedNotice, ...deliveredNotices] = notices.map(({ id, body }) => ({ id, text: JSON.parse(body).data.text }))
  expect(deliveredNotices.map(({ text }) => /\/\w+ has failed for 24 hours/.exec(text)?.[0]).sort()).toEqual([
    '/first has failed for 24 hours',
    '/second has failed for 24 hours',
  ])
  expect([failedNotice?.id, new Set(deliveredNotices.map(({ id }) => id)).size]).toEqual([deliveredNotices[0]?.id, 2])
})

test('channels: a notice is sent to a working destination when its intended destination is removed', async () => {
  const accountId = await fixture.addAccount()
  for (const path of ['/one', '/two', '/three']) await fixture.addDestination(accountId, 'webhook', path)
  const { settle } = await startJob()
  await fixture.issue('all gone')
  const last = await fixture.addDestination(accountId, 'webhook', '/last')
  const failingSince = fixture.clock.now()
  await fixture.ctx.db.update(destinations).set({ failingSince }).where(eq(destinations.id, last))
  fixture.endpoints.answer = ({ path }) => (path === '/last' ? undefined : answerWith(410))
  for (let pass = 0; pass < 4; pass += 1) await settle()
  const texts = fixture.received.flatMap(({ path, body }) => (path === '/last' ? [JSON.parse(body).data.text] : []))
  const removalTexts = texts.flatMap((text) => /\/\w+ was removed/.exec(text ?? '')?.[0] ?? [])
  expect(removalTexts.sort()).toEqual(['/one was removed', '/three was removed', '/two was removed'])
})

const readTextsAt = (path: string) =>
  fixture.received.flatMap((message) => (message.path === path ? [JSON.parse(message.body).data.text] : []))

test('channels: a message to a segment arrives as one message with all its lines, before later notices', async () => {
  const accountId = await fixture.addAccount()
  await fixture.addDestination(accountId, 'webhook', '/hook')
  const { settle } = await startJob()
  const createdAt = fixture.clock.now()
  const content = { subject: 'Maintenance', text: 'On Sunday.\nAt noon.\n\nSorry.', createdAt }
  await fixture.ctx.db.transaction((tx) =>
    insertMessage(tx, { ...content, via: 'channel', kind: 'service', segment: { kind: 'with-plan' } }),
  )
  await sendBatch(fixture.ctx, 20)
  const otherDestination = await readRow(await fixture.addDestination(accountId, 'webhook', '/other'))
  await fixture.ctx.db.transaction((tx) => addNotice(tx, otherDestination, '/other has failed', createdAt))
  for (let pass = 0; pass < 6; pass += 1) await settle()
  expect(readTextsAt('/hook')).toEqual([
    'Maintenance\n\nOn Sunday.\nAt noon.\n\nSorry.',
    expect.stringMatching(/UTC: \/other has failed$/),
  ])
})

test('channels: a Retry-After of 30 days in response to a notice pauses the destination for one day', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', {
    notice: 'One',
  })
  const { settle } = await startJob()
  fixture.endpoints.answer = () => answerWith(503, { 'retry-after': String(30 * 86_400) })
  await settle()
  expect(await readRow(id)).toMatchObject({
    notice: 'One',
    notBefore: new Date(fixture.clock.now().getTime() + DAY_MS),
  })
})

test('channels: if an endpoint refuses a notice, alerts are not delayed and the notice is tried ten times', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', {
    notice: 'One',
  })
  const { settle, passHours } = await startJob()
  const getType = ({ body }: { body: string }) => JSON.parse(body).type
  fixture.endpoints.answer = (message) => (getType(message) === 'channel.notice' ? answerWith(422) : undefined)
  await settle()
  await fixture.issue('Sent at once')
  await settle()
  expect(fixture.received.map(getType)).toEqual(['channel.notice', 'alert.created'])
  expect(await readRow(id)).toMatchObject({ notice: 'One', notBefore: null, failingSince: null })
  await passHours(60)
  expect(fixture.received.filter((message) => getType(message) === 'channel.notice')).toHaveLength(10)
  expect(await readRow(id)).toMatchObject({ notice: null })
})

test('channels: a pause requested in the response to a notice does not shorten a longer pause', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', {
    notice: 'One',
  })
  const { settle } = await startJob()
  const notBefore = new Date(fixture.clock.now().getTime() + HOUR_MS)
  fixture.endpoints.answer = () => (response, message) => {
    void fixture.ctx.db
      .update(destinations)
      .set({ notBefore })
      .where(eq(destinations.id, id))
      .then(() => answerWith(429, { 'retry-after': '90' })(response, message))
  }
  await settle()
  expect(fixture.received).toHaveLength(1)
  expect(await readRow(id)).toMatchObject({ notice: 'One', notBefore })
})

/** Quiet hours every day, from now for an hour. */
function createQuietHours(now: Date) {
  const from = now.getUTCHours() * 60 + now.getUTCMinutes()
  const days = [1, 2, 3, 4, 5, 6, 7]
  return { days, from, to: (from + 60) % 1_440, timeZone: 'UTC', criticalPasses: true }
}

test.each([
  ['a mute', (now: Date) => ({ mutedUntil: new Date(now.getTime() + HOUR_MS) })],
  ['quiet hours', (now: Date) => ({ quietHours: createQuietHours(now) })],
])('channels: a notice waits for the end of %s', async (_name, settingsAt) => {
  const settings = { notice: 'One', ...settingsAt(fixture.clock.now()) }
  await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook', '127.0.0.1', settings)
  const { settle, passHours } = await startJob()
  await settle()
  expect(readTextsAt('/hook')).toEqual([])
  await passHours(1)
  expect(readTextsAt('/hook')).toEqual(['One'])
})

test('channels: notices and staff messages skip muted destinations and go to one that is not muted', async () => {
  const accountId = await fixture.addAccount()
  const createdAt = fixture.clock.now()
  const mutedUntil = new Date(createdAt.getTime() + DAY_MS)
  await fixture.addDestination(accountId, 'webhook', '/muted', '127.0.0.1', { mutedUntil })
  const failingDestination = await readRow(
    await fixture.addDestination(accountId, 'webhook', '/failing', '127.0.0.1', { mutedUntil }),
  )
  const { settle } = await startJob()
  fixture.clock.advance(1)
  await fixture.addDestination(accountId, 'webhook', '/hook')
  const content = { subject: 'Maintenance', text: 'On Sunday.', createdAt }
  await fixture.ctx.db.transaction((tx) =>
    insertMessage(tx, { ...content, via: 'channel', kind: 'service', segment: { kind: 'with-plan' } }),
  )
  await sendBatch(fixture.ctx, 20)
  await fixture.ctx.db.transaction((tx) => addNotice(tx, failingDestination, '/failing has failed', createdAt))
  for (let pass = 0; pass < 4; pass += 1) await settle()
  expect(readTextsAt('/hook')).toEqual([
    'Maintenance\n\nOn Sunday.',
    expect.stringMatching(/UTC: \/failing has failed$/),
  ])
})

test('channels: a probe is resent with the same id when the first one was not recorded', async () => {
  const id = await fixture.addDestination(await fixture.addAccount(), 'webhook', '/hook')
  await fixture.ctx.db.update(destinations).set({ state: 'failing', notBefore: fixture.clock.now() })
  const failingDestination = await readRow(id)
  for (let count = 0; count < 2; count += 1) {
    fixture.clock.advance(MINUTE_MS)
    await probe(fixture.ctx, failingDestination, new AbortController().signal)
  }
  const ids = fixture.received.map((message) => message.id)
  expect([ids.length, new Set(ids).size]).toEqual([2, 1])
})

test('channels: when the owner requests one alert of a waiting digest, the others still arrive', async () => {
  const accountId = await fixture.addAccount()
  const id = await fixture.addDestination(accountId, 'webhook', '/hook', '127.0.0.1', { digest: { every: 'hour' } })
  const { settle, passHours } = await startJob()
  const indexes: number[] = []
  for (const summary of ['one', 'two', 'three']) indexes.push((await fixture.issue(summary)).logIndex)
  await settle()
  fixture.endpoints.answer = () => answerWith(500)
  await passHours(1)
  const sender = (await fixture.listDeliveries(id)).find(({ state }) => state === 'waiting')
  expect(sender).toMatchObject({ attempts: 1, reason: 'Returned 500' })
  fixture.endpoints.answer = () => undefined
  await redeliver(fixture.ctx, await fixture.startOwnerSession(accountId), id, { index: sender?.logIndex ?? 0 })
  await settle()
  expect((await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual(['delivered', 'delivered', 'delivered'])
  const arrivedIndexes = fixture.received.slice(1).flatMap(({ body }) => {
    const { data } = JSON.parse(body)
    return (data.alerts ?? [data]).map(({ logIndex }: { logIndex: number }) => logIndex)
  })
  expect(arrivedIndexes.sort((a, b) => a - b)).toEqual(indexes)
})

test.each([
  ['arrives', answerWith(200), 1],
  ['is refused', answerWith(500), 2],
])(
  'channels: an alert requested while its digest is being sent is also sent separately when the digest %s',
  async (_name, answer, times) => {
    const accountId = await fixture.addAccount()
    const id = await fixture.addDestination(accountId, 'webhook', '/hook', '127.0.0.1', { digest: { every: 'hour' } })
    const { ctx, clock } = fixture
    const indexes: number[] = []
    for (const summary of ['one', 'two', 'three']) indexes.push((await fixture.issue(summary)).logIndex)
    await enqueueDeliveries(ctx)
    clock.advance(HOUR_MS)
    await startDigests(ctx, clock.now())
    let answerNow = () => {}
    fixture.endpoints.answer = (message) => (response) => {
      answerNow = () => answer(response, message)
    }
    await fixture.sender().startDue(clock.now())
    await expect.poll(() => fixture.received.length).toBe(1)
    const waitingIndex = (await fixture.listDeliveries(id)).find(({ state }) => state === 'waiting')?.logIndex ?? 0
    await redeliver(ctx, await fixture.startOwnerSession(accountId), id, { index: waitingIndex })
    await startDigests(ctx, clock.now())
    expect((await fixture.listDeliveries(id)).filter(({ state }) => state === 'waiting')).toMatchObject([
      { logIndex: waitingIndex },
    ])
    fixture.endpoints.answer = () => undefined
    answerNow()
    await fixture.sender().ended()
    for (let minute = 0; minute < 3; minute += 1) {
      await startDigests(ctx, clock.now())
      await fixture.settle()
      clock.advance(MINUTE_MS)
    }
    expect((await fixture.listDeliveries(id)).map(({ state }) => state)).toEqual([
      'delivered',
      'delivered',
      'delivered',
    ])
    const sentIndexes = fixture.received.flatMap(({ body }) => {
      const { data } = JSON.parse(body)
      return (data.alerts ?? [data]).map(({ logIndex }: { logIndex: number }) => logIndex)
    })
    const counts = indexes.map((index) => sentIndexes.filter((each) => each === index).length)
    expect(counts).toEqual(indexes.map((index) => (index === waitingIndex ? 2 : times)))
  },
)

/** Adds two destinations of an account. The second one is the second step of its escalation. */
async function addSteps(accountId: string, settings: Parameters<Fixture['addDestination']>[4] = {}) {
  await fixture.addDestination(accountId, 'webhook', '/first', '127.0.0.1', { escalationStep: 0 })
  return fixture.addDestination(accountId, 'webhook', '/second', '127.0.0.1', { ...settings, escalationStep: 1 })
}

test('channels: if an alert of a digest is acknowledged before a retry, the other alerts still arrive', async () => {
  const accountId = await fixture.addAccount()
  const now = fixture.clock.now()
  const secondStep = await addSteps(accountId, { quietHours: createQuietHours(now) })
  const { settle } = await startJob()
  await fixture.issue('calm')
  const { logIndex } = await fixture.issue('urgent', 'critical')
  await settle()
  const waitEnd = new Date(now.getTime() + HOUR_MS)
  await fixture.ctx.db.update(destinations).set({ mutedUntil: waitEnd }).where(eq(destinations.id, secondStep))
  fixture.clock.advance(5 * MINUTE_MS)
  await settle()
  expect(await fixture.listDeliveries(secondStep)).toMatchObject([
    { state: 'held' },
    { state: 'held', isEscalation: true },
  ])
  fixture.endpoints.answer = ({ path }) => (path === '/second' ? answerWith(500) : undefined)
  fixture.clock.advance(HOUR_MS)
  await settle()
  expect(await fixture.listDeliveries(secondStep)).toMatchObject([{ state: 'held' }, { state: 'waiting', attempts: 1 }])
  await acknowledgeByMessage(fixture.ctx, accountId, logIndex)
  fixture.endpoints.answer = () => undefined
  fixture.clock.advance(10_000)
  await settle()
  expect((await fixture.listDeliveries(secondStep)).map(({ state }) => state)).toEqual(['delivered', 'delivered'])
})

test('channels: an escalation skipped because of an acknowledgement is sent when the owner requests it', async () => {
  const accountId = await fixture.addAccount()
  const secondStep = await addSteps(accountId)
  const { settle } = await startJob()
  const { logIndex } = await fixture.issue('urgent', 'critical')
  await settle()
  await acknowledgeByMessage(fixture.ctx, accountId, logIndex)
  expect(await fixture.listDeliveries(secondStep)).toMatchObject([{ state: 'skipped', reason: ACKNOWLEDGED_REASON }])
  await redeliver(fixture.ctx, await fixture.startOwnerSession(accountId), secondStep, { index: logIndex })
  await acknowledgeByMessage(fixture.ctx, accountId, logIndex)
  await settle()
  expect(await fixture.listDeliveries(secondStep)).toMatchObject([{ state: 'delivered' }])
})

test('channels: the anchor of an alert is not announced in a later step of its escalation', async () => {
  const accountId = await fixture.addAccount()
  const secondStep = await addSteps(accountId, { events: ['anchored'] })
  const { settle } = await startJob()
  await settle()
  const { logIndex } = await fixture.issue('urgent', 'critical')
  await settle()
  const block = { blockNumber: 1, blockHash: '0x', blockAt: fixture.clock.now() }
  await fixture.ctx.db.insert(anchors).values({ size: logIndex + 1, root: Buffer.alloc(32), txHash: '0x', ...block })
  await settle()
  expect(fixture.received.map(({ path }) => path)).toEqual(['/first'])
  fixture.clock.advance(5 * MINUTE_MS)
  await settle()
  expect(fixture.received.map(({ path, body }) => [path, JSON.parse(body).type])).toEqual([
    ['/first', 'alert.created'],
    ['/second', 'alert.created'],
  ])
  expect(await fixture.listDeliveries(secondStep)).toMatchObject([
    { event: 'alert', state: 'delivered' },
    { event: 'anchored', state: 'skipped', reason: 'The alert waits for its step of the escalation' },
  ])
})

test('channels: a digest is not sent when the owner has just requested its only alert separately', async () => {
  const accountId = await fixture.addAccount()
  const id = await fixture.addDestination(accountId, 'webhook', '/hook', '127.0.0.1', { digest: { every: 'hour' } })
  const { logIndex } = await fixture.issue('one')
  await enqueueDeliveries(fixture.ctx)
  fixture.clock.advance(HOUR_MS)
  const now = fixture.clock.now()
  await startDigests(fixture.ctx, now)
  const [dueDelivery] = await listDue(
    fixture.ctx.db,
    now,
    { deliveries: [], destinations: [], hosts: [], kinds: [] },
    1,
    1,
  )
  if (!dueDelivery) throw new Error('No digest is due')
  await redeliver(fixture.ctx, await fixture.startOwnerSession(accountId), id, { index: logIndex })
  const { signal } = new AbortController()
  const channelPause = createChannelPause(fixture.ctx, signal)
  const slot = { begin: async () => true, markAnswered: () => {}, release: () => {} }
  const notice = { onPause: () => {}, onAnswer: () => {}, slot }
  const batches = createBatches(fixture.ctx, { recordingContext: fixture.ctx, channelPause })
  expect(await sendDelivery(fixture.ctx, batches, dueDelivery, notice, { signal, channelPause })).toBe(false)
  expect(fixture.received).toEqual([])
  await fixture.settle()
  expect(fixture.received.map(({ body }) => JSON.parse(body).type)).toEqual(['alert.created'])
})
