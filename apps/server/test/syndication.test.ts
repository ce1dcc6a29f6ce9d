import { HOUR_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock, type TestClient } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { privateFeeds } from '../src/db/schema/channels.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer

beforeAll(async () => {
  clock = fakeClock(new Date())
  server = await startTestServer(parts, {}, { clock })
  await issue('zqpublicqz <b>&')
  clock.advance(25 * HOUR_MS)
  await issue('zqfreshqz')
})
afterAll(() => server?.close())

const issue = (summary: string) => issueTestAlert(server.ctx, summary, { anomalyType: '' })

const signIn = (planMs: number | null) => server.addUser({ planMs })

const formats = ['atom', 'rss', 'json'] as const
/**
 * Reads a feed. Its address names the public origin, but the test server listens at another one.
 */
const readFeed = (url: string, headers: Record<string, string> = {}) =>
  fetch(server.url + new URL(url, server.url).pathname, { headers })
const createPrivateFeed = async ({ client }: { client: TestClient }) => (await client.call('createPrivateFeed')).url

test.each(formats)(
  'the public %s feed contains public alerts and omits alerts that are not public yet',
  async (format) => {
    const answer = await readFeed(`/feeds/alerts.${format}`)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'public, max-age=60'])
    const text = await answer.text()
    expect(text).toContain('zqpublicqz')
    expect(text).not.toContain('zqfreshqz')
  },
)

test.each(formats)('the %s feed has no empty category or tag when the alert has no anomaly type', async (format) => {
  const text = await (await readFeed(`/feeds/alerts.${format}`)).text()
  const tags = [...text.matchAll(/<category term="(.*)"\/>|<category>(.*)<\/category>|^ {8}"(.*)",?$/gm)]
  expect(tags.map(([, ...groups]) => groups.join(''))).toEqual(['high', 'ZZQ/RARE'])
})

test('Atom feeds have different ids, and a private one keeps its id when its address is replaced', async () => {
  const readId = async (url: string) => /<id>(.*?)<\/id>/.exec(await (await readFeed(url)).text())?.[1]
  const own = await signIn(HOUR_MS)
  const firstId = await readId(await createPrivateFeed(own))
  const otherIds = [await readId('/feeds/alerts.atom'), await readId(await createPrivateFeed(await signIn(HOUR_MS)))]
  expect(new Set([firstId, ...otherIds]).size).toBe(3)
  expect(await readId(await createPrivateFeed(own))).toBe(firstId)
})

test('an unchanged feed returns 304, including for weak and multiple entity tags', async () => {
  const etag = (await readFeed('/feeds/alerts.atom')).headers.get('etag') ?? ''
  for (const tags of [etag, etag.replace(/^W\//, ''), `"other", ${etag}`]) {
    const answer = await readFeed('/feeds/alerts.atom', { 'if-none-match': tags })
    expect([answer.status, await answer.text()]).toEqual([304, ''])
  }
  expect((await readFeed('/feeds/alerts.atom', { 'if-none-match': '"other"' })).status).toBe(200)
})

test.each([
  '/feeds/alerts.xml',
  '/feeds/alerts',
  '/feeds/ALERTS.atom',
  '/feeds/feed_x/alerts.atom',
  `/feeds/feed_${'A'.repeat(43)}/alerts.atom`,
  `/feeds/feed_${'A'.repeat(43)}/alerts.html`,
  `/feeds/${'x'.repeat(90)}/alerts.atom`,
])('%s is not a feed and gets status 404', async (path) => {
  expect((await readFeed(path)).status).toBe(404)
})

test('a private feed contains alerts that are not public yet only while its account has a plan', async () => {
  const [subscriber, free] = [await signIn(HOUR_MS), await signIn(null)]
  const [url, freeUrl] = [await createPrivateFeed(subscriber), await createPrivateFeed(free)]
  for (const format of formats) {
    const readInFormat = (address: string) => readFeed(address.replace('.atom', `.${format}`))
    const answer = await readInFormat(url)
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
    const text = await answer.text()
    expect(text).toContain('zqfreshqz')
    expect(text, 'the address is a secret').not.toContain('feed_')
    const ofFree = await (await readInFormat(freeUrl)).text()
    expect(ofFree).toContain('zqpublicqz')
    expect(ofFree).not.toContain('zqfreshqz')
  }
  await server.ctx.db.delete(subscriptions).where(eq(subscriptions.accountId, subscriber.accountId))
  expect(await (await readFeed(url)).text()).not.toContain('zqfreshqz')
})

test('the secret of a private feed is stored as a hash, and becomes invalid when it is replaced or revoked', async () => {
  const own = await signIn(HOUR_MS)
  expect(await own.client.call('findPrivateFeed')).toEqual({ feed: null })
  const firstUrl = await createPrivateFeed(own)
  expect((await readFeed(firstUrl)).status).toBe(200)
  const { feed } = await own.client.call('findPrivateFeed')
  expect(feed?.lastReadAt).not.toBeNull()
  const secret = firstUrl.split('/').at(-2) ?? ''
  expect(secret).toMatch(/^feed_[\w-]{43}$/)
  const shownData = [await own.client.call('exportAccount'), await server.ctx.db.select().from(privateFeeds)]
  expect(JSON.stringify(shownData)).not.toContain(secret)
  const secondUrl = await createPrivateFeed(own)
  expect([(await readFeed(firstUrl)).status, (await readFeed(secondUrl)).status]).toEqual([404, 200])
  await own.client.call('revokePrivateFeed')
  expect((await readFeed(secondUrl)).status).toBe(404)
  await expect(own.client.call('revokePrivateFeed')).rejects.toMatchObject({ code: 'not_found' })
  const activity = await own.client.call('listActivity', { query: { group: 'settings' } })
  expect(JSON.stringify(activity)).toContain('Private feed revoked')
})

test('the private feed of a suspended account gets status 404, and is deleted with the account', async () => {
  const own = await signIn(HOUR_MS)
  const url = await createPrivateFeed(own)
  const isOwn = eq(accounts.id, own.accountId)
  await server.ctx.db.update(accounts).set({ suspendedAt: clock.now() }).where(isOwn)
  expect((await readFeed(url)).status).toBe(404)
  await server.ctx.db.delete(accounts).where(isOwn)
  expect(await server.ctx.db.$count(privateFeeds, eq(privateFeeds.accountId, own.accountId))).toBe(0)
})

test('a private feed that is read too often is rate limited, and other private feeds are not', async () => {
  const [url, otherUrl] = [
    await createPrivateFeed(await signIn(HOUR_MS)),
    await createPrivateFeed(await signIn(HOUR_MS)),
  ]
  const statuses = new Set<number>()
  let lastResponse = await readFeed(url)
  for (let count = 0; count < 25; count += 1) {
    lastResponse = await readFeed(url)
    statuses.add(lastResponse.status)
  }
  expect(statuses).toEqual(new Set([200, 429]))
  expect(Number(lastResponse.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await readFeed(otherUrl)).status).toBe(200)
})
