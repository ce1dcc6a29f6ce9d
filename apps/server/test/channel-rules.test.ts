import { allAlerts, type DeliveryRules, deletePhrase } from '@tocsin/protocol'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@tocsin/protocol/durations'
import { eventually } from '@tocsin/testkit/eventually'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { alertAcknowledgements, channelDeliveries, channelTests, destinations } from '../src/db/schema/channels.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import { computeNextDigestAt } from '../src/features/channels/quiet-hours.ts'
import { type ChannelFixture, startChannelFixture } from './channel-fixture.ts'

/** Start time of the tests, a Tuesday. The tests advance the clock. */
const START = new Date('2026-11-24T12:00:00.000Z')
let fixture: ChannelFixture

beforeAll(async () => {
  fixture = await startChannelFixture(START)
})
afterAll(() => fixture?.close())

const createRules = (change: Partial<DeliveryRules>): DeliveryRules => ({ ...allAlerts, ...change })
const msToNextHour = () => HOUR_MS - (fixture.clock.now().getTime() % HOUR_MS)

test('invalid rules, quiet hours and escalations are refused', async () => {
  const own = await fixture.add('/refused')
  const quietHours = { days: [1], from: 0, to: 60, timeZone: 'UTC', criticalPasses: true }
  const wrongBodies = [
    { rules: { ...allAlerts, lowestConfidence: 101 } },
    { rules: { ...allAlerts, mostPerHour: 0 } },
    { rules: { ...allAlerts, assets: ['A', 'A'] } },
    { rules: { ...allAlerts, assets: Array.from({ length: 51 }, (_, index) => `A${index}`) } },
    { quietHours: { ...quietHours, timeZone: 'Europe/Nowhere' } },
    { quietHours: { ...quietHours, timeZone: 'browser' } },
    { quietHours: { ...quietHours, to: 0 } },
    { quietHours: { ...quietHours, days: [] } },
    { quietHours: { ...quietHours, days: [8] } },
    { digest: { every: 'day' as const, hour: 24, timeZone: 'UTC' } },
  ]
  for (const body of wrongBodies) {
    await expect(fixture.change(own, body), JSON.stringify(body)).rejects.toMatchObject({ status: 400 })
  }
  const stranger = await fixture.signIn()
  const notFound = { code: 'not_found', status: 404 }
  await expect(fixture.change({ ...own, ...stranger }, { rules: allAlerts })).rejects.toMatchObject(notFound)
  const escalation = stranger.client.call('setEscalation', { body: { ids: [own.id] } })
  await expect(escalation).rejects.toMatchObject(notFound)
})

test('a rule skips an alert and records the reason, even if the rule is newer than the alert', async () => {
  const own = await fixture.add('/rules')
  await fixture.change(own, { rules: createRules({ lowestPriority: 'critical' }) })
  const low = await fixture.issue('below the rule')
  const high = await fixture.issue('by the rule', { priority: 'critical' })
  await fixture.expectRow(own, low.logIndex, { state: 'skipped', reason: 'Rule: below critical priority' })
  await fixture.expectRow(own, high.logIndex, { state: 'delivered' })
  fixture.statuses.set('/rules', 503)
  const retried = await fixture.issue('while it fails', { priority: 'critical' })
  await fixture.expectRow(own, retried.logIndex, { state: 'waiting', attempts: [{ status: 503 }] })
  await fixture.change(own, { rules: createRules({ types: ['Price move'] }) })
  fixture.statuses.delete('/rules')
  fixture.clock.advance(10_000)
  await fixture.expectRow(own, retried.logIndex, { state: 'skipped', reason: 'Rule: type not selected' })
  expect(fixture.alertsAt('/rules')).toEqual(['by the rule'])
})

test('rules skip alerts outside the current watchlist, and repeated alerts during a cool-down', async () => {
  const own = await fixture.add('/cool')
  await fixture.change(own, { rules: createRules({ watchlist: true, coolDownMinutes: 10 }) })
  const unwatched = await fixture.issue('not watched')
  await fixture.expectRow(own, unwatched.logIndex, { state: 'skipped', reason: 'Rule: asset not selected' })
  await own.client.call('savePreferences', { body: { watchlist: ['ZZQ/RARE'] } })
  const first = await fixture.issue('the first')
  const second = await fixture.issue('the second')
  const other = await fixture.issue('another type', { anomalyType: 'Price move' })
  await fixture.expectRow(own, first.logIndex, { state: 'delivered' })
  await fixture.expectRow(own, second.logIndex, { state: 'skipped', reason: 'Rule: cool-down of 10 min' })
  await fixture.expectRow(own, other.logIndex, { state: 'delivered' })
  fixture.clock.advance(10 * MINUTE_MS)
  const third = await fixture.issue('the third')
  await fixture.expectRow(own, third.logIndex, { state: 'delivered' })
})

test('alerts beyond the hourly limit arrive as one summary when the hour ends', async () => {
  const own = await fixture.add('/limit')
  await fixture.change(own, { rules: createRules({ mostPerHour: 2 }) })
  const issued = []
  for (const name of ['one', 'two', 'three', 'four']) issued.push(await fixture.issue(name))
  const [, two, three, four] = issued.map(({ logIndex }) => logIndex)
  await fixture.expectRow(own, two ?? 0, { state: 'delivered' })
  const reason = 'Rule: at most 2 per hour, included in the digest of the hour'
  await fixture.expectRow(own, three ?? 0, { state: 'held', reason })
  fixture.clock.advance(msToNextHour())
  await fixture.expectRow(own, three ?? 0, { state: 'delivered' })
  await fixture.expectRow(own, four ?? 0, { state: 'delivered' })
  expect(fixture.alertsAt('/limit').sort()).toEqual(['one', 'two'])
  expect(fixture.digestsAt('/limit')).toEqual([['three', 'four']])
})

test('alerts that the rules exclude do not count as missed while the destination is paused', async () => {
  const own = await fixture.add('/missed')
  await fixture.change(own, { rules: createRules({ lowestPriority: 'critical' }) })
  const former = await fixture.issue('excluded before')
  await fixture.expectRow(own, former.logIndex, { state: 'skipped' })
  await fixture.change(own, { paused: true })
  const [low, missed] = [await fixture.issue('excluded'), await fixture.issue('missed', { priority: 'critical' })]
  await fixture.expectRow(own, low.logIndex, { state: 'skipped', reason: 'Rule: below critical priority' })
  await fixture.expectRow(own, missed.logIndex, { state: 'skipped', reason: 'The destination was paused' })
  await fixture.change(own, { paused: false })
  const body = { index: former.logIndex, andLater: true }
  await own.client.call('redeliver', { params: { id: own.id }, body })
  await fixture.expectRow(own, missed.logIndex, { state: 'delivered' })
  expect(fixture.alertsAt('/missed')).toEqual(['missed'])
  await fixture.expectRow(own, low.logIndex, { state: 'skipped' })
  await own.client.call('redeliver', { params: { id: own.id }, body: { index: low.logIndex } })
  await fixture.expectRow(own, low.logIndex, { state: 'delivered' })
})

test('quiet hours hold alerts back for one digest, and let critical ones pass', async () => {
  const own = await fixture.add('/quiet')
  const minute = fixture.clock.now().getUTCHours() * 60 + fixture.clock.now().getUTCMinutes()
  const quietHours = { days: [1, 2, 3, 4, 5, 6, 7], from: minute, to: (minute + 60) % 1_440, timeZone: 'UTC' }
  await fixture.change(own, { quietHours: { ...quietHours, criticalPasses: true } })
  const heldAlerts = [await fixture.issue('quiet one'), await fixture.issue('quiet two')]
  const criticalAlert = await fixture.issue('critical passes', { priority: 'critical' })
  await fixture.expectRow(own, criticalAlert.logIndex, { state: 'delivered' })
  for (const { logIndex } of heldAlerts) await fixture.expectRow(own, logIndex, { state: 'held' })
  expect(await own.client.call('listDestinations')).toMatchObject([{ held: 2 }])
  fixture.clock.advance(HOUR_MS)
  for (const { logIndex } of heldAlerts) await fixture.expectRow(own, logIndex, { state: 'delivered' })
  expect(fixture.digestsAt('/quiet')).toEqual([['quiet one', 'quiet two']])
  expect(fixture.alertsAt('/quiet')).toEqual(['critical passes'])
})

test('a daily digest keeps its time when quiet hours change, and is rescheduled when changed to hourly', async () => {
  const own = await fixture.add('/daily')
  const dailyDigest = { every: 'day' as const, hour: (fixture.clock.now().getUTCHours() + 5) % 24, timeZone: 'UTC' }
  await fixture.change(own, { digest: dailyDigest })
  const { logIndex } = await fixture.issue('for the digest')
  await fixture.expectRow(own, logIndex, { state: 'held' })
  const { db } = fixture.server.ctx
  const listRows = () => db.select().from(channelDeliveries).where(eq(channelDeliveries.destinationId, own.id))
  const now = fixture.clock.now()
  await fixture.change(own, { quietHours: { days: [1], from: 0, to: 1, timeZone: 'UTC', criticalPasses: true } })
  expect(await listRows()).toMatchObject([{ state: 'held', nextAt: computeNextDigestAt(dailyDigest, now) }])
  await fixture.change(own, { digest: { every: 'hour' } })
  expect(await listRows()).toMatchObject([{ state: 'held', nextAt: computeNextDigestAt({ every: 'hour' }, now) }])
})

test('the alerts of a rejected digest are marked dead, and each of them can be sent again on its own', async () => {
  const own = await fixture.add('/digest')
  const until = new Date(fixture.clock.now().getTime() + 8 * HOUR_MS).toISOString()
  await fixture.change(own, { mutedUntil: until })
  const [one, two] = [await fixture.issue('digest one'), await fixture.issue('digest two')]
  await fixture.expectRow(own, two.logIndex, { state: 'held' })
  fixture.statuses.set('/digest', 403)
  fixture.clock.advance(8 * HOUR_MS)
  await fixture.expectRow(own, one.logIndex, { state: 'dead' })
  await fixture.expectRow(own, two.logIndex, { state: 'dead' })
  expect(await own.client.call('listDestinations')).toMatchObject([{ held: 0, dead: 2 }])
  fixture.statuses.delete('/digest')
  await own.client.call('redeliver', { params: { id: own.id }, body: { index: one.logIndex, andLater: true } })
  await fixture.expectRow(own, one.logIndex, { state: 'delivered' })
  await fixture.expectRow(own, two.logIndex, { state: 'delivered' })
  expect(fixture.alertsAt('/digest').sort()).toEqual(['digest one', 'digest two'])
})

test('an alert held back for a digest is skipped when the plan ends before the digest is sent', async () => {
  const own = await fixture.add('/ended')
  await fixture.change(own, { mutedUntil: new Date(fixture.clock.now().getTime() + HOUR_MS).toISOString() })
  const { logIndex } = await fixture.issue('zqmarkerqz')
  await fixture.expectRow(own, logIndex, { state: 'held' })
  await fixture.server.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, own.accountId))
  fixture.clock.advance(HOUR_MS)
  await fixture.expectRow(own, logIndex, { state: 'skipped', reason: 'No active plan' })
  const sentBodies = fixture.messages.filter(({ path }) => path === '/ended').map(({ body }) => JSON.stringify(body))
  expect(sentBodies.filter((body) => body.includes('zqmarkerqz'))).toEqual([])
})

test('alerts that are 16 minutes old at their first attempt are sent as one digest, but a critical alert on its own', async () => {
  const own = await fixture.add('/old')
  await fixture.server.ctx.db
    .update(destinations)
    .set({ notBefore: new Date(fixture.clock.now().getTime() + 16 * MINUTE_MS) })
    .where(eq(destinations.id, own.id))
  const [one, two] = [await fixture.issue('old one'), await fixture.issue('old two')]
  const critical = await fixture.issue('still new', { priority: 'critical' })
  await fixture.expectRow(own, critical.logIndex, { state: 'waiting' })
  fixture.clock.advance(16 * MINUTE_MS)
  await fixture.expectRow(own, critical.logIndex, { state: 'delivered' })
  await fixture.expectRow(own, one.logIndex, { state: 'delivered' })
  await fixture.expectRow(own, two.logIndex, { state: 'delivered' })
  expect(fixture.digestsAt('/old')).toEqual([['old one', 'old two']])
  expect(fixture.alertsAt('/old')).toEqual(['still new'])
})

test('an alert that the account has acknowledged is skipped and is not in the later digest', async () => {
  const own = await fixture.add('/acknowledged')
  const mutedUntil = new Date(fixture.clock.now().getTime() + HOUR_MS).toISOString()
  await fixture.change(own, { mutedUntil })
  const [done, open] = [await fixture.issue('acknowledged', { priority: 'critical' }), await fixture.issue('not yet')]
  for (const { logIndex } of [done, open]) await fixture.expectRow(own, logIndex, { state: 'held' })
  await own.client.call('acknowledgeAlert', { body: { logIndex: done.logIndex } })
  await fixture.expectRow(own, done.logIndex, { state: 'skipped', reason: 'Acknowledged before it was due here' })
  fixture.clock.advance(HOUR_MS + 1)
  await fixture.expectRow(own, open.logIndex, { state: 'delivered' })
  expect(fixture.digestsAt('/acknowledged')).toEqual([['not yet']])
})

test('shortening a mute also releases the alerts that it held back', async () => {
  const one = await fixture.add('/shorter-one')
  const two = await fixture.addTo(one, '/shorter-all')
  const inHours = (count: number) => new Date(fixture.clock.now().getTime() + count * HOUR_MS).toISOString()
  for (const own of [one, two]) await fixture.change(own, { mutedUntil: inHours(8) })
  const { logIndex } = await fixture.issue('held for long')
  for (const own of [one, two]) await fixture.expectRow(own, logIndex, { state: 'held' })
  await fixture.change(one, { mutedUntil: inHours(1) })
  fixture.clock.advance(HOUR_MS + 1)
  await fixture.expectRow(one, logIndex, { state: 'delivered' })
  await fixture.expectRow(two, logIndex, { state: 'held' })
  await two.client.call('changeAllDestinations', { body: { mutedUntil: inHours(1) } })
  fixture.clock.advance(HOUR_MS + 1)
  await fixture.expectRow(two, logIndex, { state: 'delivered' })
})

test('a destination gets at most two concurrent requests, including tests, and at most one test at a time', async () => {
  const own = await fixture.add('/two-at-once')
  const other = await fixture.add('/beside-two')
  let openGate = () => {}
  fixture.gates.set('/two-at-once', new Promise<void>((resolve) => (openGate = resolve)))
  const listTypes = () =>
    fixture.messages.flatMap(({ path, body }) => (path === '/two-at-once' ? [body.type] : [])).slice(1)
  for (const summary of ['first', 'second']) await fixture.issue(summary)
  await eventually(() => expect(listTypes()).toEqual(['alert.created', 'alert.created']))
  const firstTest = own.client.call('testDestination', { params: { id: own.id } })
  const running = fixture.server.ctx.db.select().from(channelTests).where(eq(channelTests.destinationId, own.id))
  await eventually(async () => expect(await running).toHaveLength(1))
  const second = own.client.call('testDestination', { params: { id: own.id } })
  await expect(second).rejects.toMatchObject({ code: 'too_many_tests' })
  // Wait until the sender has delivered a later alert to `other`. By then it has also read the
  // queued test of `own`, and must not have started it.
  const { logIndex } = await fixture.issue('third')
  await fixture.expectRow(other, logIndex, { state: 'delivered' })
  expect(listTypes()).toHaveLength(2)
  fixture.gates.delete('/two-at-once')
  openGate()
  expect(await firstTest).toMatchObject({ isDelivered: true, status: 200 })
  await fixture.expectRow(own, logIndex, { state: 'delivered' })
})

test('all destinations are muted, paused and resumed together', async () => {
  const account = await fixture.signIn()
  const [one, two] = [await fixture.addTo(account, '/all-1'), await fixture.addTo(account, '/all-2')]
  const changeAll = (body: { mutedUntil?: string | null; paused?: boolean }) =>
    account.client.call('changeAllDestinations', { body })
  await expect(changeAll({})).rejects.toMatchObject({ status: 400 })
  await changeAll({ mutedUntil: new Date(fixture.clock.now().getTime() + HOUR_MS).toISOString() })
  const muted = await fixture.issue('all muted')
  for (const own of [one, two]) await fixture.expectRow(own, muted.logIndex, { state: 'held' })
  await changeAll({ mutedUntil: null })
  for (const own of [one, two]) await fixture.expectRow(own, muted.logIndex, { state: 'delivered' })
  await changeAll({ paused: true })
  const paused = await fixture.issue('all paused')
  for (const own of [one, two]) {
    await fixture.expectRow(own, paused.logIndex, { state: 'skipped', reason: 'The destination was paused' })
  }
  expect(await changeAll({ paused: false })).toMatchObject({ message: '2 destinations are changed.' })
  expect(await account.client.call('listDestinations')).toMatchObject([{ state: 'on' }, { state: 'on' }])
})

test('all destinations are paused and muted by one request, including one that is already paused', async () => {
  const account = await fixture.signIn()
  const one = await fixture.addTo(account, '/both-1')
  await fixture.addTo(account, '/both-2')
  await fixture.change(one, { paused: true })
  const mutedUntil = new Date(fixture.clock.now().getTime() + HOUR_MS).toISOString()
  const body = { paused: true, mutedUntil }
  const result = await account.client.call('changeAllDestinations', { body })
  expect(result.message).toBe('2 destinations are changed.')
  const expectedDestination = { state: 'paused', mutedUntil }
  expect(await account.client.call('listDestinations')).toMatchObject([expectedDestination, expectedDestination])
  const [lastActivity] = await account.client.call('listActivity')
  expect(lastActivity?.detail).toBe(`All destinations paused and muted until ${mutedUntil.slice(0, 16)}Z`)
})

test('the history of the account says what was changed in plain words', async () => {
  const account = await fixture.signIn()
  const [one, two] = [await fixture.addTo(account, '/history-1'), await fixture.addTo(account, '/history-2')]
  const setEscalation = (...ids: string[]) => account.client.call('setEscalation', { body: { ids } })
  await setEscalation(one.id)
  await setEscalation(one.id, two.id)
  await fixture.change(one, { events: [] })
  await fixture.change(one, { events: ['anchored', 'outcome'] })
  const activities = await account.client.call('listActivity')
  expect(activities.slice(0, 4).map(({ detail }) => detail)).toEqual([
    '/history-1 also gets messages about anchors and outcomes',
    '/history-1 gets only alerts',
    'Escalation set for 2 destinations',
    'Escalation set for 1 destination',
  ])
})

test('a critical alert goes to the next destination after five minutes, until it is acknowledged', async () => {
  const account = await fixture.signIn()
  const steps = []
  for (const path of ['/step-1', '/step-2', '/step-3']) steps.push(await fixture.addTo(account, path))
  const [first, second, third] = steps
  if (!first || !second || !third) throw new Error('Expected three destinations')
  await account.client.call('setEscalation', { body: { ids: steps.map(({ id }) => id) } })
  const { logIndex } = await fixture.issue('urgent', { priority: 'critical' })
  await fixture.expectRow(first, logIndex, { state: 'delivered' })
  await fixture.expectRow(second, logIndex, { state: 'waiting', reason: 'Sent if it is not acknowledged' })
  fixture.clock.advance(5 * MINUTE_MS - 1)
  const later = await fixture.issue('not urgent')
  for (const own of steps) await fixture.expectRow(own, later.logIndex, { state: 'delivered' })
  expect(fixture.alertsAt('/step-2')).toEqual(['not urgent'])
  fixture.clock.advance(1)
  await fixture.expectRow(second, logIndex, { state: 'delivered' })
  const stranger = await fixture.signIn(null)
  const acknowledge = (client: typeof account.client) => client.call('acknowledgeAlert', { body: { logIndex } })
  await expect(acknowledge(stranger.client)).rejects.toMatchObject({ code: 'not_found', status: 404 })
  const { at } = await acknowledge(account.client)
  await fixture.expectRow(third, logIndex, { state: 'skipped', reason: 'Acknowledged before it was due here' })
  fixture.clock.advance(MINUTE_MS)
  expect(await acknowledge(account.client), 'the first one counts').toEqual({ logIndex, at })
  expect(await account.client.call('listAcknowledgements')).toEqual([{ logIndex, at }])
  expect(await stranger.client.call('listAcknowledgements')).toEqual([])
})

test('redelivering all missed alerts does not send an escalation step before it is due', async () => {
  const account = await fixture.signIn()
  const [first, second] = [await fixture.addTo(account, '/early-1'), await fixture.addTo(account, '/early-2')]
  await account.client.call('setEscalation', { body: { ids: [first.id, second.id] } })
  const { logIndex } = await fixture.issue('not missed', { priority: 'critical' })
  await fixture.expectRow(first, logIndex, { state: 'delivered' })
  const step = { state: 'waiting', reason: 'Sent if it is not acknowledged' }
  await fixture.expectRow(second, logIndex, step)
  const body = { index: logIndex, andLater: true }
  const requested = await account.client.call('redeliver', { params: { id: second.id }, body })
  expect(requested).toMatchObject({ message: 'There was nothing to send again.' })
  await fixture.expectRow(second, logIndex, step)
  await account.client.call('acknowledgeAlert', { body: { logIndex } })
  await fixture.expectRow(second, logIndex, { state: 'skipped', reason: 'Acknowledged before it was due here' })
  expect(fixture.alertsAt('/early-2')).toEqual([])
})

test('the link in a message of a critical alert acknowledges only that alert, without a session', async () => {
  const own = await fixture.add('/button')
  const { logIndex } = await fixture.issue('press me', { priority: 'critical' })
  await fixture.expectRow(own, logIndex, { state: 'delivered' })
  const message = fixture.messages.find(({ path, body }) => path === '/button' && body.data.acknowledgeUrl)
  const url = message?.body.data.acknowledgeUrl ?? ''
  const [id, index = '', mac] = url.slice(url.lastIndexOf('/') + 1).split('.')
  const pressButton = (token: string) =>
    fixture.server.createClient().call('acknowledgeByLink', { params: { token }, body: {} })
  for (const wrongToken of [`${id}.${Number(index) + 1}.${mac}`, `${id}.${index}.${mac}x`, `${id}.${index}`, 'x.y.z']) {
    await expect(pressButton(wrongToken), wrongToken).rejects.toMatchObject({ code: 'not_found' })
  }
  expect(await own.client.call('listAcknowledgements')).toEqual([])
  await pressButton(`${id}.${index}.${mac}`)
  expect(await own.client.call('listAcknowledgements')).toMatchObject([{ logIndex }])
})

test('the preview lists issued alerts that the account may read, as the rules would have sent them', async () => {
  const { client } = await fixture.signIn()
  const { client: stranger } = await fixture.signIn(null)
  const asset = 'PREVIEW/USD'
  for (const name of ['a', 'b']) await fixture.issue(name, { asset })
  fixture.clock.advance(11 * MINUTE_MS)
  const last = await fixture.issue('c', { asset, priority: 'low' })
  const createBody = (change: Partial<DeliveryRules>, timeZone = 'UTC') => ({
    rules: createRules({ assets: [asset], ...change }),
    timeZone,
  })
  const preview = await client.call('previewRules', { body: createBody({}) })
  expect(preview).toMatchObject({ count: 3, inSummaries: 0, cameTrue: 0, didNot: 0, open: 0 })
  expect(preview.alerts[0]).toMatchObject({ asset, logIndex: last.logIndex, priority: 'low' })
  expect(preview.days).toHaveLength(7)
  expect(preview.days.at(-1)).toEqual({ day: fixture.clock.now().toISOString().slice(0, 10), count: 3 })
  expect(await client.call('previewRules', { body: createBody({ coolDownMinutes: 10 }) })).toMatchObject({ count: 2 })
  expect(await client.call('previewRules', { body: createBody({ lowestPriority: 'high' }) })).toMatchObject({
    count: 2,
  })
  const limited = await client.call('previewRules', { body: createBody({ mostPerHour: 1 }) })
  expect(limited.count - limited.inSummaries).toBeLessThan(3)
  expect(await stranger.call('previewRules', { body: createBody({}) }), 'not public yet').toMatchObject({
    count: 0,
    alerts: [],
  })
  await expect(client.call('previewRules', { body: createBody({}, 'Mars') })).rejects.toMatchObject({ status: 400 })
})

test('the preview lists corrections and retractions of sent alerts, and does not count them in limits', async () => {
  const { client } = await fixture.signIn()
  const asset = 'CORRECTED/USD'
  fixture.clock.advance(msToNextHour())
  const content = { asset, anomalyType: 'Rare type', regime: 'Rare regime', summary: 'b', confidence: 71.5 }
  const first = await fixture.issue('a', { asset })
  fixture.clock.advance(8 * MINUTE_MS)
  const correction = { kind: 'correction' as const, targetId: first.id, broadcast: true }
  await createIssuer(fixture.server.ctx)({ ...correction, content: { ...content, priority: 'medium' } })
  fixture.clock.advance(4 * MINUTE_MS)
  await fixture.issue('c', { asset })
  const countPreview = async (change: Partial<DeliveryRules>) => {
    const body = { rules: createRules({ assets: [asset], ...change }), timeZone: 'UTC' }
    const preview = await client.call('previewRules', { body })
    return [preview.count, preview.inSummaries]
  }
  expect(await countPreview({ lowestPriority: 'high' })).toEqual([3, 0])
  expect(await countPreview({ coolDownMinutes: 10 })).toEqual([3, 0])
  expect(await countPreview({ mostPerHour: 1 })).toEqual([3, 1])
})

test('a destination that fails for a day is reported through another one, and gets held alerts afterwards', async () => {
  const account = await fixture.signIn()
  const [broken, healthy] = [await fixture.addTo(account, '/broken'), await fixture.addTo(account, '/healthy')]
  fixture.statuses.set('/broken', 500)
  const { logIndex } = await fixture.issue('before it fails')
  await fixture.expectRow(broken, logIndex, { state: 'waiting', attempts: [{ status: 500 }] })
  await fixture.change(broken, { mutedUntil: new Date(fixture.clock.now().getTime() + 2 * DAY_MS).toISOString() })
  const held = await fixture.issue('held while it fails')
  await fixture.expectRow(broken, held.logIndex, { state: 'held' })
  await fixture.change(broken, { mutedUntil: null })
  fixture.clock.advance(25 * HOUR_MS)
  await eventually(async () =>
    expect(await account.client.call('listDestinations')).toMatchObject([{ state: 'failing' }, { state: 'on' }]),
  )
  await eventually(() =>
    expect(fixture.messages.filter(({ path }) => path === '/healthy').map(({ body }) => body)).toContainEqual(
      expect.objectContaining({
        type: 'channel.notice',
        data: { text: expect.stringContaining('/broken has failed for 24 hours') },
      }),
    ),
  )
  fixture.statuses.delete('/broken')
  fixture.clock.advance(HOUR_MS)
  await fixture.expectRow(broken, held.logIndex, { state: 'delivered' })
  expect(await fixture.ledgerOf(healthy, held.logIndex)).toMatchObject({ state: 'delivered' })
})

test('every change of a destination is in the audit log, without its name and address', async () => {
  const own = await fixture.add('/audited')
  const { client, id } = own
  const changeDestination = (body: Parameters<typeof fixture.change>[1]) => fixture.change(own, body)
  const until = new Date(fixture.clock.now().getTime() + HOUR_MS).toISOString()
  await changeDestination({ name: 'Renamed' })
  await changeDestination({ rules: { ...allAlerts, lowestPriority: 'high' }, digest: { every: 'hour' } })
  await changeDestination({ mutedUntil: until })
  await changeDestination({ mutedUntil: null })
  await changeDestination({ events: ['outcome'] })
  await changeDestination({ paused: true })
  await client.call('rotateDestinationSecret', { params: { id } })
  await client.call('changeAllDestinations', { body: { paused: false } })
  await client.call('setEscalation', { body: { ids: [id] } })
  await client.call('deleteDestination', { params: { id } })
  const admin = await fixture.server.signInAdmin()
  const { items } = await admin.call('listAudit', { query: { actor: own.accountId } })
  expect(items.reverse().map(({ action, detail }) => `${action}: ${detail.change}`)).toEqual([
    'channel_added: webhook added',
    'channel_changed: confirmed',
    'channel_changed: renamed',
    'channel_changed: rules, digest changed',
    'channel_changed: muted',
    'channel_changed: unmuted',
    'channel_changed: events chosen',
    'channel_changed: paused',
    'channel_changed: secret rotated',
    'channel_changed: all resumed',
    'channel_changed: escalation of 1',
    'channel_deleted: deleted',
  ])
  expect(JSON.stringify(items)).not.toMatch(/audited|Renamed|127\.0\.0\.1/)
})

test('destinations, their deliveries and acknowledgements are deleted with the account', async () => {
  const own = await fixture.add('/deleted')
  const { logIndex } = await fixture.issue('Before the account is deleted', { priority: 'critical' })
  await fixture.expectRow(own, logIndex, { state: 'delivered' })
  await own.client.call('acknowledgeAlert', { body: { logIndex } })
  const { db } = fixture.server.ctx
  await own.client.call('deleteAccount', { body: { confirmation: deletePhrase } })
  expect(await db.$count(destinations, eq(destinations.id, own.id))).toBe(0)
  expect(await db.$count(channelDeliveries, eq(channelDeliveries.destinationId, own.id))).toBe(0)
  expect(await db.$count(alertAcknowledgements, eq(alertAcknowledgements.accountId, own.accountId))).toBe(0)
})

test('channels: deliveries of accounts with a plan are enqueued before those of 5,000 destinations without one', async () => {
  const { db } = fixture.server.ctx
  const createdAt = fixture.clock.now()
  const [freeAccount] = await db.insert(accounts).values({ name: 'Free', createdAt }).returning()
  const destinationFields = {
    accountId: freeAccount?.id ?? '',
    kind: 'webhook' as const,
    name: 'Free',
    host: 'h',
    sealed: '',
    createdAt,
  }
  const rows = Array.from({ length: 5_000 }, () => ({ ...destinationFields, state: 'on' as const }))
  await db.insert(destinations).values(rows)
  const own = await fixture.add('/after-free')
  const { logIndex } = await fixture.issue('first of all')
  await fixture.expectRow(own, logIndex, { state: 'delivered' })
  // Leaves out rows of messages about the anchor, which follow later.
  const isOfAlert = and(eq(channelDeliveries.logIndex, logIndex), eq(channelDeliveries.event, 'alert'))
  const listFilledRows = () => db.select().from(channelDeliveries).where(isOfAlert)
  await expect.poll(async () => (await listFilledRows()).length, { timeout: 20_000 }).toBeGreaterThan(5_000)
  const filledRows = await listFilledRows()
  const lastOwn = Math.max(...filledRows.filter(({ state }) => state !== 'skipped').map(({ id }) => id))
  const firstFree = Math.min(...filledRows.filter(({ reason }) => reason === 'No active plan').map(({ id }) => id))
  expect(lastOwn).toBeLessThan(firstFree)
  await db.delete(accounts).where(eq(accounts.id, destinationFields.accountId))
})
