import { randomUUID } from 'node:crypto'
import {
  type Alert,
  type AlertSearch,
  type AlertSelection,
  activity,
  activityGroupNames,
  activityGroups,
  alert as alertSchema,
  alertSearch,
  endpoints,
  errorBody,
  isSelected,
  listPermissions,
} from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { createTestContext, type FakeClock, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { recordActivity } from '../src/activity-log.ts'
import type { Context } from '../src/context.ts'
import { accounts, activities } from '../src/db/schema/accounts.ts'
import { alertOutcomes, alertPredictions, alertReadMarks, alertReads } from '../src/db/schema/alerts.ts'
import { payments } from '../src/db/schema/payments.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { readAccessOf } from '../src/features/access/read-access.ts'
import { listActivity } from '../src/features/accounts/routes.ts'
import { createAlertExports } from '../src/features/alerts/export-alerts.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import * as lists from '../src/features/alerts/list-routes.ts'
import * as alerts from '../src/features/alerts/routes.ts'
import { broadcastAlert } from '../src/features/alerts/service.ts'
import { listIssuedSince } from '../src/features/alerts/store.ts'
import { recordExpiredSubscriptions } from '../src/features/subscriptions/record-expired-subscriptions.ts'
import { createApp } from '../src/http/app.ts'
import { createEncodedRoute } from '../src/http/encoded-route.ts'
import { route, streamRoute } from '../src/http/route.ts'
import { sampleForecast as forecast } from './support/sample-forecast.ts'
import { testActor } from './support/test-actor.ts'

/**
 * Tests alert lists, search, export and read state on a real database. Each test chooses the
 * caller.
 */

const SECRET = 'zqsecretqz'

const database = useTestDatabase()
let box: TestContext
let ctx: Context
let clock: FakeClock
let app: FastifyInstance
let issue: ReturnType<typeof createIssuer>
let caller: string | null
/** Log index and id of the alerts that the tests create, by name. */
const alertsByName: Record<string, { id: string; logIndex: number }> = {}
const accountIds = { subscriber: randomUUID(), visitor: randomUUID(), lapsed: randomUUID(), admin: randomUUID() }
type TestAccount = keyof typeof accountIds

beforeAll(async () => {
  clock = fakeClock()
  box = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }), clock)
  ctx = box.ctx
  issue = createIssuer(ctx)
  app = await createTestApp()
  const createdAt = new Date(clock.now().getTime() - 1_000 * HOUR_MS)
  await ctx.db.insert(accounts).values(Object.entries(accountIds).map(([name, id]) => ({ id, name, createdAt })))
  await addPlan('subscriber', 10_000)
  await makeFixture()
})
afterAll(async () => {
  await app?.close()
  await box?.close()
})
beforeEach(async () => {
  await ctx.db.delete(alertReads)
  await ctx.db.delete(alertReadMarks)
})

/** Creates three public alerts, two recent ones and one draft. */
async function makeFixture(): Promise<void> {
  await createAlert('spike', { asset: 'BTC/USDT', anomalyType: 'Volume spike', summary: 'Naïve volume 4.1× its norm' })
  await createAlert('flip', {
    asset: 'ETH/USDT',
    anomalyType: 'Funding flip',
    priority: 'critical',
    summary: '=SUM(A1)',
  })
  clock.advance(HOUR_MS)
  await createAlert('break', { asset: 'BTC/EUR', anomalyType: 'Volume break', priority: 'low', regime: 'Calm' })
  clock.advance(30 * HOUR_MS)
  await createAlert('fresh', { asset: `${SECRET}/USDT`, anomalyType: SECRET, summary: SECRET, regime: SECRET })
  await createAlert('unsent', { asset: `${SECRET}x` }, false)
  await createAlert('newest', { asset: 'SOL/USDT', priority: 'critical', summary: `${SECRET} volume` })
  await makePredictions()
}

/**
 * Creates predictions of three alerts and outcomes of two of them. If an alert has several
 * outcomes, the first one counts.
 */
async function makePredictions(): Promise<void> {
  const at = clock.now()
  const predictions = ['spike', 'flip', 'newest'].map((name) => ({
    logIndex: getLogIndex(name),
    forecast,
    startsAt: at,
  }))
  await ctx.db.insert(alertPredictions).values(predictions)
  const outcome = { measured: '1.5', createdAt: at, messageHash: `0x${'ab'.repeat(32)}` }
  await ctx.db.insert(alertOutcomes).values([
    { ...outcome, logIndex: getLogIndex('break'), targetIndex: getLogIndex('spike'), verdict: 'did-not' },
    { ...outcome, logIndex: getLogIndex('fresh'), targetIndex: getLogIndex('spike'), verdict: 'came-true' },
    { ...outcome, logIndex: getLogIndex('newest'), targetIndex: getLogIndex('flip'), verdict: 'came-true' },
  ])
}
const getLogIndex = (name: string) => alertsByName[name]?.logIndex ?? -1

async function createAlert(name: string, change: Partial<typeof content>, broadcast = true): Promise<void> {
  const { alert } = await issue({ content: { ...content, ...change }, origin: 'admin', broadcast })
  alertsByName[name] = { id: alert.id, logIndex: alert.logIndex }
}
const content = {
  asset: 'X',
  priority: 'high' as 'low' | 'high' | 'critical',
  anomalyType: 'Type',
  regime: 'Trending',
  summary: 'Text',
  confidence: 90,
}

async function addPlan(who: TestAccount, hours: number): Promise<void> {
  const now = clock.now()
  const accountId = accountIds[who]
  const [payment] = await ctx.db
    .insert(payments)
    .values({
      chainId: 31337,
      txHash: `0x${randomUUID().replaceAll('-', '').repeat(2)}`,
      logIndex: 0,
      blockNumber: 1,
      blockHash: '0x',
      blockAt: now,
      token: '0x',
      payer: '0x',
      amountWei: 1n,
      accountId,
      planId: '6h',
      createdAt: now,
    })
    .returning({ id: payments.id })
  const endsAt = new Date(now.getTime() + hours * HOUR_MS)
  await ctx.db
    .insert(subscriptions)
    .values({ accountId, paymentId: payment?.id ?? '', planId: '6h', startsAt: now, endsAt, createdAt: now })
}

function createTestApp() {
  const exports = createAlertExports()
  return createApp(
    ctx,
    [
      createEncodedRoute(endpoints.searchAlerts, lists.searchAlerts),
      route(endpoints.alertFacets, lists.alertFacets),
      route(endpoints.unreadAlerts, lists.unreadAlerts),
      streamRoute(endpoints.exportAlertsCsv, exports.csv),
      streamRoute(endpoints.exportAlertsJson, exports.json),
      route(endpoints.markAllRead, lists.markAllRead),
      route(endpoints.unmarkAllRead, lists.unmarkAllRead),
      route(endpoints.markAlertsRead, alerts.markAlertsRead),
      createEncodedRoute(endpoints.userAlerts, alerts.userAlerts),
      route(endpoints.listActivity, listActivity),
    ],
    async () => {
      const permissions = caller === accountIds.admin ? listPermissions('admin') : []
      return caller === null ? null : testActor(caller, { permissions })
    },
  )
}

let addressCount = 0
async function sendRequest(who: TestAccount, url: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', payload?: object) {
  caller = accountIds[who]
  addressCount += 1
  return app.inject({
    method,
    url,
    // Each request has a new address, so that rate limits do not apply.
    remoteAddress: `203.0.${Math.floor(addressCount / 250)}.${addressCount % 250}`,
    headers: { origin: ctx.config.http.publicUrl },
    ...(payload ? { payload } : {}),
  })
}

type Query = Record<string, string | string[]>

/** Searches as this person. The values of a list are sent by repeating the parameter. */
async function search(who: TestAccount, query: Query = {}): Promise<AlertSearch> {
  const entries = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  )
  const answer = await sendRequest(who, `/api/alerts/search?${new URLSearchParams(entries)}`)
  expect(answer.statusCode, answer.body).toBe(200)
  return alertSearch.parse(answer.json())
}

/**
 * Returns the name of an alert. A locked row does not contain the alert's id, so it is identified
 * by its log index.
 */
const getName = (id: string) =>
  Object.entries(alertsByName).find(([, each]) => each.id === id || `locked-${each.logIndex}` === id)?.[0] ?? id
const listNames = ({ items }: AlertSearch) =>
  items.map(({ id, alert }) => ('locked' in alert ? `(${getName(id)})` : getName(id)))

describe('malformed parameters', () => {
  test.each([
    ['cursor=abc', 'cursor'],
    ['cursor=', 'cursor'],
    ['cursor=-1', 'cursor'],
    ['cursor=1.5', 'cursor'],
    ['cursor=9999999999999999', 'cursor'],
    ["cursor=1'%20or%201=1", 'cursor'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=x', 'limit'],
    ['priority=urgent', 'priority'],
    ['priority=low&priority=urgent', 'priority'],
    ['verdict=true', 'verdict'],
    ['regime=', 'regime'],
    ['types=a%00b', 'types'],
    ['read=maybe', 'read'],
    ['q=', 'q'],
    ['q=a%00b', 'q'],
    [`q=${'x'.repeat(201)}`, 'q'],
    ['q[]=a', ''],
    [`assets=${'x'.repeat(41)}`, 'assets'],
    ['assets=a%00b', 'assets'],
    ['assets=A&assets=', 'assets.1'],
    ['assets[]=A', ''],
    [Array.from({ length: 51 }, (_, index) => `assets=A${index}`).join('&'), 'assets'],
    ['from=yesterday', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-13-01T00:00:00.000Z', 'from'],
    ['to=1', 'to'],
    ['from=2026-02-02&to=2026-02-01', 'to'],
    ['userId=1', ''],
  ])('%s are rejected with the field name', async (query, path) => {
    for (const call of ['search', 'export.csv', 'export.json']) {
      const isPaging = /^(cursor|limit)/.test(query)
      const answer = await sendRequest('subscriber', `/api/alerts/${call}?${query}`)
      expect(answer.statusCode, answer.body).toBe(400)
      const { issues = [] } = errorBody.parse(answer.json())
      // For exports, `cursor` and `limit` are unknown parameters, because exports have no pages.
      expect(issues.map((issue) => issue.path)).toEqual([call !== 'search' && isPaging ? '' : path])
    }
  })
  test.each([{}, { upTo: -1 }, { upTo: 1.5 }, { upTo: '1' }, { upTo: 1, accountId: accountIds.admin }])(
    'are rejected by “mark all as read” with the body %j',
    async (body) => {
      expect((await sendRequest('subscriber', '/api/alerts/read-all', 'POST', body)).statusCode).toBe(400)
    },
  )
})

describe('alert list', () => {
  const allNames = ['newest', 'fresh', 'break', 'flip', 'spike']
  test.each<[TestAccount, string[]]>([
    ['subscriber', allNames],
    ['admin', allNames],
    ['visitor', ['(newest)', '(fresh)', 'break', 'flip', 'spike']],
  ])('contains the alerts that a %s may read', async (who, expected) => {
    expect(listNames(await search(who))).toEqual(expected)
  })

  test.each<[Query, string[]]>([
    [{ q: 'volume' }, ['newest', 'break', 'spike']],
    [{ q: 'VOL btc' }, ['break', 'spike']],
    [{ q: 'btc/usdt' }, ['spike']],
    [{ q: 'olume' }, []],
    [{ q: 'naïve' }, ['spike']],
    [{ q: '4.1×' }, ['spike']],
    [{ q: '%%%' }, []],
    [{ q: "'; drop table alerts; --" }, []],
    [{ q: 'a & !b | (c:*' }, []],
    [{ q: 'volume', priority: 'low' }, ['break']],
    [{ priority: 'critical' }, ['newest', 'flip']],
    [{ asset: 'BTC/EUR' }, ['break']],
    [{ asset: 'btc/eur' }, []],
    [{ assets: 'BTC/EUR' }, ['break']],
    [{ assets: ['BTC/EUR', 'ETH/USDT', 'XRP/USDT'] }, ['break', 'flip']],
    [{ assets: ['BTC/EUR', 'ETH/USDT'], asset: 'ETH/USDT' }, ['flip']],
    [{ assets: ['btc/eur'] }, []],
    [{ assets: '' }, []],
    [{ priority: ['low', 'critical'] }, ['newest', 'break', 'flip']],
    [{ type: 'Volume spike' }, ['spike']],
    [{ types: ['Volume spike', 'Funding flip'] }, ['flip', 'spike']],
    [{ types: ['Volume spike', 'Funding flip'], type: 'Funding flip' }, ['flip']],
    [{ regime: 'Calm' }, ['break']],
    [{ regime: 'calm' }, []],
    [{ verdict: 'open' }, ['newest']],
    [{ verdict: 'came-true' }, ['flip']],
    [{ verdict: 'did-not' }, ['spike']],
    [{ verdict: 'void' }, []],
    [{ from: '2026-01-15', to: '2026-01-15' }, ['break', 'flip', 'spike']],
    [{ from: '2026-01-15T12:30:00.000Z' }, ['newest', 'fresh', 'break']],
    [{ to: '2026-01-15T12:00:00.000Z' }, ['flip', 'spike']],
    [{ to: '0001-01-01' }, []],
    [{ from: '9999-12-31' }, []],
    [{ read: 'read' }, []],
    [{ read: 'unread', priority: 'critical' }, ['newest', 'flip']],
  ])('filters by %j as the client filters live alerts', async (query, expected) => {
    const found = await search('subscriber', query)
    expect(listNames(found)).toEqual(expected)
    expect(found.total).toEqual({ count: expected.length, isMore: false })
    // Applies the client-side filter to the same alerts.
    const everyAlert = (await search('subscriber')).items.flatMap(({ alert }) => ('locked' in alert ? [] : [alert]))
    const selection = endpoints.exportAlertsCsv.query.parse(query)
    expect(everyAlert.filter((alert) => isSelected(alert, selection)).map(({ id }) => getName(id))).toEqual(expected)
  })

  test('finds an alert by id', async () => {
    expect(listNames(await search('subscriber', { q: alertsByName.fresh?.id ?? '' }))).toEqual(['fresh'])
    expect(listNames(await search('visitor', { q: alertsByName.fresh?.id ?? '' }))).toEqual([])
    expect(listNames(await search('subscriber', { q: alertsByName.unsent?.id ?? '' }))).toEqual([])
  })

  test('returns each alert once and in order for any page size', async () => {
    for (const limit of [1, 2, 3, 4, 5, 100]) {
      const seenIds: string[] = []
      for (let cursor: string | null = '', pages = 0; cursor !== null; pages++) {
        const page: AlertSearch = await search('visitor', { limit: String(limit), ...(cursor && { cursor }) })
        seenIds.push(...listNames(page))
        cursor = page.next
        expect(pages).toBeLessThan(10)
      }
      expect(seenIds).toEqual(['(newest)', '(fresh)', 'break', 'flip', 'spike'])
    }
    expect(listNames(await search('subscriber', { cursor: '0' }))).toEqual([])
  })

  test('counts the matches of each priority', async () => {
    const { byPriority, total } = await search('subscriber', { q: 'volume', priority: 'low' })
    const counts = Object.fromEntries(Object.entries(byPriority).map(([name, { count }]) => [name, count]))
    expect(counts).toEqual({ critical: 1, high: 1, medium: 0, low: 1 })
    expect(total).toEqual({ count: 1, isMore: false })
  })
})

describe('hidden content of locked rows', () => {
  const urls = [
    '/api/alerts/search',
    `/api/alerts/search?q=${SECRET}`,
    `/api/alerts/search?q=${SECRET.slice(0, 3)}`,
    `/api/alerts/search?asset=${SECRET}%2FUSDT`,
    `/api/alerts/search?assets=${SECRET}%2FUSDT&assets=BTC%2FUSDT`,
    `/api/alerts/search?type=${SECRET}`,
    `/api/alerts/search?types=${SECRET}&types=Volume`,
    `/api/alerts/search?regime=${SECRET}`,
    '/api/alerts/search?verdict=open',
    '/api/alerts/search?read=unread',
    '/api/alerts/search?priority=critical',
    '/api/alerts/facets',
    '/api/alerts/unread',
    '/api/alerts/export.csv',
    '/api/alerts/export.json',
    `/api/alerts/export.csv?q=${SECRET}`,
    `/api/alerts/export.json?asset=${SECRET}%2FUSDT`,
    `/api/alerts/user/${accountIds.visitor}`,
  ]
  test.each(urls)('does not appear in %s', async (url) => {
    const answer = await sendRequest('visitor', url)
    expect(answer.statusCode).toBe(200)
    expect(JSON.stringify(answer.headers) + answer.body).not.toContain(SECRET)
    expect(answer.headers.etag).toBeUndefined()
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  test('can’t be searched for', async () => {
    const hiddenQueries: Query[] = [
      { q: SECRET },
      { type: SECRET },
      { asset: `${SECRET}/USDT` },
      { assets: [`${SECRET}/USDT`, 'X'] },
    ]
    for (const query of hiddenQueries) {
      const { items, total, byPriority } = await search('visitor', query)
      expect({ items, total }).toEqual({ items: [], total: { count: 0, isMore: false } })
      expect(Object.values(byPriority).map(({ count }) => count)).toEqual([0, 0, 0, 0])
      expect((await search('subscriber', query)).total.count).toBeGreaterThan(0)
    }
    expect(listNames(await search('visitor', { read: 'unread' }))).toEqual(['break', 'flip', 'spike'])
    expect(listNames(await search('visitor', { priority: 'critical' }))).toEqual(['(newest)', 'flip'])
  })

  test('is hidden as soon as a plan ends', async () => {
    await addPlan('lapsed', 1)
    expect(listNames(await search('lapsed', { q: SECRET }))).toEqual(['newest', 'fresh'])
    clock.advance(HOUR_MS)
    expect(listNames(await search('lapsed', { q: SECRET }))).toEqual([])
    expect(listNames(await search('lapsed', { priority: 'critical' }))).toEqual(['(newest)', 'flip'])
    const { body } = await sendRequest('lapsed', '/api/alerts/export.json')
    expect(body).not.toContain(SECRET)
  })
})

describe('alert export', () => {
  const exportAlerts = async (who: TestAccount, query = ''): Promise<Alert[]> => {
    const answer = await sendRequest(who, `/api/alerts/export.json${query}`)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="tocsin-alerts-\d{4}-\d\d-\d\d\.json"$/),
    })
    return alertSchema.array().parse(answer.json())
  }

  test('contains the same filtered alerts as the list, without those that the caller may not read', async () => {
    const listedAlerts = (await search('subscriber', { q: 'volume' })).items.map(({ alert }) => alert)
    expect(await exportAlerts('subscriber', '?q=volume')).toEqual(listedAlerts)
    expect((await exportAlerts('visitor')).map(({ id }) => getName(id))).toEqual(['break', 'flip', 'spike'])
    expect(await exportAlerts('visitor', '?q=nothing')).toEqual([])
  })

  test('contains the same alerts as CSV and as JSON, and the CSV contains no spreadsheet formulas', async () => {
    const { body, headers } = await sendRequest('subscriber', '/api/alerts/export.csv?to=2026-01-15')
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringContaining('.csv'),
    })
    const [head = '', ...lines] = body.replace('\ufeff', '').trim().split('\r\n')
    expect(lines).toHaveLength(3)
    const columns = head.split(',')
    const allAlerts = await exportAlerts('subscriber', '?to=2026-01-15')
    for (const [at, line] of lines.entries()) {
      const row = Object.fromEntries(line.split(',').map((field, column) => [columns[column], field]))
      const { id, createdAt, signature, leafHash, signer, logIndex, confidence } = allAlerts[at] ?? { id: 'none' }
      expect(row).toMatchObject({ id, createdAt, signature, leafHash, signer })
      expect(row).toMatchObject({ logIndex: String(logIndex), confidence: String(confidence) })
    }
    expect(lines[1]).toContain(",'=SUM(A1),")
  })

  function startExport(exports: ReturnType<typeof createAlertExports>, ip: string, accountId: string = randomUUID()) {
    const reply: Record<string, () => unknown> = { type: () => reply, header: () => reply }
    const actor = { accountId, permissions: listPermissions('admin') }
    const input = { query: {}, actor, request: { ip }, reply } as unknown as Parameters<typeof exports.json>[1]
    return exports.json(ctx, input)
  }

  test('runs once at a time per account, and an aborted export does not block the next one', async () => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    caller = accountIds.subscriber
    let refusals = 0
    for (let index = 0; index < 30; index++) {
      const stop = new AbortController()
      const requests = [
        fetch(`${url}/api/alerts/export.csv`, { signal: stop.signal }),
        fetch(`${url}/api/alerts/export.csv`),
      ]
      const answers = await Promise.all(requests)
      const statuses = answers.map(({ status }) => status).sort()
      expect([200, 429]).toEqual(expect.arrayContaining(statuses))
      if (statuses[1] === 429) {
        refusals += 1
        const refused = answers.find(({ status }) => status === 429)
        expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(errorBody.parse(await refused?.json()).code).toBe('too_many_requests')
      }
      stop.abort()
      await Promise.allSettled(answers.map((answer) => answer.bodyUsed || answer.text()))
    }
    expect(refusals).toBeGreaterThan(0)
    // All exports have ended, so the next one can start.
    await eventually(async () => expect((await fetch(`${url}/api/alerts/unread`)).status).toBe(200))
    await expect.poll(async () => (await sendRequest('subscriber', '/api/alerts/export.csv')).statusCode).toBe(200)
  })

  test('still starts while the exports of eight clients in other networks stall', async () => {
    const exports = createAlertExports()
    const startNumbered = async (exportNumber: number, ip: string, accountId?: string) => ({
      at: exportNumber,
      file: await startExport(exports, ip, accountId),
    })
    const idleExports = await Promise.all(
      Array.from({ length: 8 }, (_, index) => startNumbered(index, `10.0.0.${index >> 2}`)),
    )
    for (const { file } of idleExports) file.read(0)
    await expect(startNumbered(8, '10.0.0.1')).rejects.toMatchObject({ code: 'too_many_requests' })
    const { file } = await startNumbered(9, '10.0.0.9', accountIds.subscriber)
    let text = ''
    for await (const chunk of file) text += chunk
    expect(JSON.parse(text).length).toBeGreaterThan(0)
    for (const one of idleExports) one.file.destroy()
  })

  test('pauses after each page, and no other export makes a page during the pause', async () => {
    const pauses: { ms: number; end(): void }[] = []
    const exports = createAlertExports((ms) => new Promise<void>((end) => void pauses.push({ ms, end })))
    const readers = [accountIds.subscriber, accountIds.visitor, accountIds.admin]
    const files = await Promise.all(readers.map((id) => startExport(exports, '10.0.1.1', id)))
    onTestFinished(() => {
      for (const file of files) file.destroy()
      for (const { end } of pauses) end()
    })
    const texts = files.map(async (file) => (await file.toArray()).join(''))
    for (let page = 1; page <= files.length; page++) {
      await expect.poll(() => pauses.length).toBeGreaterThanOrEqual(page)
      // Run enough queries for another export to produce a page if it did not wait.
      for (let query = 0; query < 20; query++) await ctx.db.$count(activities)
      expect(pauses).toHaveLength(page)
      expect(pauses[page - 1]?.ms).toBeGreaterThan(0)
      pauses[page - 1]?.end()
    }
    for (const text of await Promise.all(texts)) expect(JSON.parse(text).length).toBeGreaterThan(0)
  })

  test('is recorded in the activity log', async () => {
    await ctx.db.delete(activities)
    await exportAlerts('visitor')
    // Reads only the visitor's rows, because an export that an earlier test aborted may be recorded
    // late.
    const rows = await ctx.db.select().from(activities).where(eq(activities.accountId, accountIds.visitor))
    expect(rows.map(({ kind, detail }) => [kind, detail])).toEqual([['alerts_exported', '3 alerts as JSON']])
  })
})

describe('read state', () => {
  const countUnread = async (who: TestAccount) =>
    (await sendRequest(who, '/api/alerts/unread')).json<{ count: number }>().count
  const markAllRead = async (who: TestAccount, upTo: number) => {
    const answer = await sendRequest(who, '/api/alerts/read-all', 'POST', { upTo })
    return answer.json<{ id: string | null; marked: { count: number } }>()
  }
  const openAlert = (who: TestAccount, name: string) =>
    sendRequest(who, '/api/alerts/read', 'POST', { ids: [alertsByName[name]?.id ?? ''] })
  const undoMark = (who: TestAccount, id: string | null) => sendRequest(who, `/api/alerts/read-all/${id}`, 'DELETE', {})
  const listUnreadNames = async (who: TestAccount) => listNames(await search(who, { read: 'unread' }))

  test('is set when an account opens an alert, only for this account and in every list', async () => {
    await openAlert('subscriber', 'flip')
    expect(await countUnread('subscriber')).toBe(4)
    expect(await countUnread('visitor')).toBe(3)
    expect(listNames(await search('subscriber', { read: 'read' }))).toEqual(['flip'])
    const ownAlerts = (await sendRequest('subscriber', `/api/alerts/user/${accountIds.subscriber}`)).json<
      { id: string; isRead: boolean }[]
    >()
    expect(ownAlerts.filter(({ isRead }) => isRead).map(({ id }) => getName(id))).toEqual(['flip'])
  })

  test('is set for all alerts up to an index by mark-all, and restored exactly by undo', async () => {
    await openAlert('subscriber', 'fresh')
    const { id, marked } = await markAllRead('subscriber', alertsByName.fresh?.logIndex ?? 0)
    expect(marked.count).toBe(3)
    expect(await listUnreadNames('subscriber')).toEqual(['newest'])
    await openAlert('subscriber', 'break')
    expect((await undoMark('subscriber', id)).statusCode).toBe(200)
    expect(await listUnreadNames('subscriber')).toEqual(['newest', 'flip', 'spike'])
    expect((await undoMark('subscriber', id)).statusCode).toBe(404)
  })

  test('gets no new mark from mark-all when nothing is unread', async () => {
    const highest = alertsByName.newest?.logIndex ?? 0
    await markAllRead('subscriber', highest)
    expect(await markAllRead('subscriber', highest)).toEqual({ id: null, marked: { count: 0, isMore: false } })
    expect(await ctx.db.$count(alertReadMarks)).toBe(1)
  })

  test('is restored only when both of two overlapping marks are undone', async () => {
    const firstMark = await markAllRead('subscriber', alertsByName.flip?.logIndex ?? 0)
    clock.advance(1_000)
    const second = await markAllRead('subscriber', alertsByName.newest?.logIndex ?? 0)
    expect([firstMark.marked.count, second.marked.count]).toEqual([2, 3])
    await undoMark('subscriber', firstMark.id)
    expect(await countUnread('subscriber')).toBe(0)
    await undoMark('subscriber', second.id)
    expect(await countUnread('subscriber')).toBe(5)
  })

  test('stays “unread” for alerts that become readable after mark-all', async () => {
    const index = Number.MAX_SAFE_INTEGER
    expect((await markAllRead('visitor', index)).marked.count).toBe(3)
    expect((await markAllRead('subscriber', index)).marked.count).toBe(5)
    await createAlert('late', { summary: 'later' }, false)
    const { id = '' } = alertsByName.unsent ?? {}
    clock.advance(1_000)
    await broadcastAlert(ctx, id)
    expect(await listUnreadNames('subscriber')).toEqual(['unsent'])
    expect(await listUnreadNames('visitor')).toEqual([])
    clock.advance(25 * HOUR_MS)
    expect(await listUnreadNames('visitor')).toEqual(['late', 'newest', 'unsent', 'fresh'])
    expect(await listUnreadNames('subscriber')).toEqual(['late', 'unsent'])
  })

  test('does not change when obsolete read marks are deleted', async () => {
    for (const name of ['spike', 'flip', 'break', 'fresh']) {
      await markAllRead('subscriber', alertsByName[name]?.logIndex ?? 0)
      clock.advance(2 * HOUR_MS)
    }
    expect(await ctx.db.$count(alertReadMarks)).toBeLessThanOrEqual(2)
    expect(listNames(await search('subscriber', { read: 'read' }))).toEqual(['fresh', 'break', 'flip', 'spike'])
  })

  test('can’t be undone by another account, which gets the same response as for an unknown mark', async () => {
    const { id } = await markAllRead('subscriber', alertsByName.newest?.logIndex ?? 0)
    const unreadBefore = await countUnread('subscriber')
    const answers = []
    for (const foreignId of [id, randomUUID(), 'none', '1', "1'--", '%00', id?.toUpperCase()]) {
      const answer = await undoMark('visitor', foreignId ?? null)
      const { requestId: _, ...body } = answer.json()
      answers.push(JSON.stringify({ status: answer.statusCode, body }))
    }
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toContain('404')
    expect(await countUnread('subscriber')).toBe(unreadBefore)
  })

  test('is “read” for all alerts after ten concurrent mark-all requests', async () => {
    await Promise.all(Array.from({ length: 10 }, () => markAllRead('subscriber', Number.MAX_SAFE_INTEGER)))
    expect(await countUnread('subscriber')).toBe(0)
  })

  test('is “read” for alerts older than the account', async () => {
    const id = accountIds.lapsed
    const createdAt = clock.now()
    await ctx.db.update(accounts).set({ createdAt }).where(eq(accounts.id, id))
    expect(await countUnread('lapsed')).toBe(0)
    expect((await search('lapsed', { read: 'read' })).total.count).toBeGreaterThan(3)
  })
})

describe('activity log', () => {
  beforeEach(async () => {
    await ctx.db.delete(activities)
  })
  const readHistory = async (who: TestAccount, query: Record<string, string> = {}) =>
    activity.array().parse((await sendRequest(who, `/api/activity?${new URLSearchParams(query)}`)).json())

  test('assigns every kind of activity to one filter group', () => {
    const groupedKinds = activityGroupNames.flatMap((name) => [...activityGroups[name]])
    expect([...groupedKinds].sort()).toEqual([...activity.shape.kind.options].sort())
  })

  test.each(['cursor=x', 'cursor=-1', 'group=all', 'limit=0', 'kind=signed_in'])('rejects %s', async (query) => {
    expect((await sendRequest('visitor', `/api/activity?${query}`)).statusCode).toBe(400)
  })

  test('is paged to its end and filtered by group', async () => {
    for (let index = 0; index < 25; index++) {
      const kind = index % 5 === 0 ? 'plan_paid' : 'signed_in'
      await recordActivity(ctx.db, { accountId: accountIds.visitor, kind, detail: `${index}`, at: clock.now() })
    }
    const seen: string[] = []
    for (let cursor = ''; ; ) {
      const page = await readHistory('visitor', { limit: '10', ...(cursor && { cursor }) })
      seen.push(...page.map(({ detail }) => detail))
      if (page.length < 10) break
      cursor = page.at(-1)?.id ?? ''
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => `${24 - index}`))
    const paid = await readHistory('visitor', { group: 'payments', limit: '3' })
    expect(paid.map(({ detail }) => detail)).toEqual(['20', '15', '10'])
    expect(await readHistory('subscriber')).toEqual([])
  })

  test('names the chain of a payment', async () => {
    const [payment] = await ctx.db.select().from(payments).where(eq(payments.accountId, accountIds.subscriber))
    const line = { kind: 'plan_paid', detail: '6 hours', reference: payment?.txHash ?? '', at: clock.now() } as const
    for (const accountId of [accountIds.subscriber, accountIds.visitor])
      await recordActivity(ctx.db, { ...line, accountId })
    expect((await readHistory('subscriber'))[0]?.chainId).toBe(31337)
    expect((await readHistory('visitor'))[0]?.chainId).toBeNull()
  })

  test('contains the end of each plan once, regardless of who reads it and when', async () => {
    await recordExpiredSubscriptions(ctx)
    await ctx.db.delete(activities)
    await addPlan('visitor', 1)
    clock.advance(50 * HOUR_MS)
    await Promise.all([
      recordExpiredSubscriptions(ctx),
      recordExpiredSubscriptions(ctx),
      recordExpiredSubscriptions(ctx),
    ])
    await recordExpiredSubscriptions(ctx)
    const lines = await readHistory('visitor')
    expect(lines.map(({ kind, detail }) => [kind, detail])).toEqual([['subscription_ended', 'Plan of 6 hours ended']])
    expect(lines[0]?.at).toBe(new Date(clock.now().getTime() - 49 * HOUR_MS).toISOString())
  })
})

test('rules preview: reads the newest alerts when there are more than its limit', async () => {
  const alertsOfWeek = (limit: number) => listIssuedSince(ctx.db, readAccessOf(ctx, true), new Date(0), limit)
  const allAlerts = await alertsOfWeek(1_000)
  expect(allAlerts.length).toBeGreaterThan(2)
  expect(await alertsOfWeek(2)).toEqual(allAlerts.slice(0, 2))
  const times = allAlerts.map(({ broadcastAt }) => broadcastAt?.getTime() ?? 0)
  expect(times).toEqual([...times].sort((a, b) => b - a))
})

const selectionKeys: Record<keyof AlertSelection, true> = {
  q: true,
  priority: true,
  asset: true,
  assets: true,
  type: true,
  types: true,
  regime: true,
  verdict: true,
  from: true,
  to: true,
  read: true,
}
test('alert list and export: accept the same filters', () => {
  for (const name of ['exportAlertsCsv', 'exportAlertsJson'] as const)
    expect(Object.keys(endpoints[name].query.shape)).toEqual(Object.keys(selectionKeys))
  const pagedKeys = Object.keys(endpoints.searchAlerts.query.shape)
  expect(pagedKeys).toEqual([...Object.keys(selectionKeys), 'cursor', 'limit'])
})
