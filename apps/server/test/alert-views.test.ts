import { randomUUID } from 'node:crypto'
import { endpoints, maxViews, type RequestBody } from '@tocsin/protocol'
import { createTestContext, startTestSession, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accounts, activities } from '../src/db/schema/accounts.ts'
import { alertViews } from '../src/db/schema/views.ts'
import * as routes from '../src/features/views/routes.ts'
import { createView, exportViews } from '../src/features/views/service.ts'
import { createApp } from '../src/http/app.ts'
import { route } from '../src/http/route.ts'
import { testActor } from './support/test-actor.ts'

/** Tests saved views over HTTP on a real database. Each test chooses the caller. */

const database = useTestDatabase()
let box: TestContext
let app: FastifyInstance
let caller: string | null = null

beforeAll(async () => {
  box = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }))
  app = await createApp(
    box.ctx,
    [
      route(endpoints.listAlertViews, routes.listAlertViews),
      route(endpoints.createAlertView, routes.createAlertView),
      route(endpoints.changeAlertView, routes.changeAlertView),
      route(endpoints.deleteAlertView, routes.deleteAlertView),
    ],
    async () => (caller === null ? null : testActor(caller)),
  )
})
afterAll(async () => {
  await app?.close()
  await box?.close()
})

async function createAccount(): Promise<string> {
  const id = randomUUID()
  await box.ctx.db.insert(accounts).values({ id, name: 'Ann', createdAt: box.ctx.clock.now() })
  await startTestSession(box.ctx, id, id)
  return id
}

const viewsPath = '/api/alert-views'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
async function sendRequest(who: string | null, method: Method, url: string, payload?: object) {
  caller = who
  const headers = { origin: box.ctx.config.http.publicUrl }
  const answer = await app.inject({ method, url, headers, ...(payload ? { payload } : {}) })
  return { status: answer.statusCode, body: answer.json() }
}
type View = RequestBody<'createAlertView'>
const saveView = (who: string, view: object) => sendRequest(who, 'POST', viewsPath, view)
const readNames = async (who: string) => (await sendRequest(who, 'GET', viewsPath)).body.map(({ name }: View) => name)

const filter = { priority: ['high', 'critical'], asset: ['BTC/USDT', 'ETH/USDT'] }

test.each<[string, object]>([
  ['without a name', { filter }],
  ['with an empty name', { name: '  ', filter }],
  ['with an invisible name', { name: '\u200b', filter }],
  ['with a name of two lines', { name: 'a\nb', filter }],
  ['with a name of 41 characters', { name: 'x'.repeat(41), filter }],
  ['without filters', { name: 'All', filter: {} }],
  ['with an unknown filter', { name: 'A', filter: { sql: 'true' } }],
  ['with an unknown priority', { name: 'A', filter: { priority: ['urgent'] } }],
  ['with an empty list', { name: 'A', filter: { asset: [] } }],
  ['that names an asset twice', { name: 'A', filter: { asset: ['BTC', ' BTC '] } }],
  ['with 51 types', { name: 'A', filter: { type: Array.from({ length: 51 }, (_, index) => `T${index}`) } }],
  ['with an unknown verdict', { name: 'A', filter: { verdict: 'true' } }],
  ['with a reversed range', { name: 'A', filter: { from: '2026-02-02', to: '2026-02-01' } }],
  ['that shows alerts off the watchlist', { name: 'A', filter: { watchlist: false } }],
  ['of another account', { name: 'A', filter, accountId: randomUUID() }],
])('saved views: a view %s is rejected', async (_name, view) => {
  const who = await createAccount()
  expect((await saveView(who, view)).status).toBe(400)
  expect(await readNames(who)).toEqual([])
})

test('saved views: reject callers without a session', async () => {
  expect((await sendRequest(null, 'GET', viewsPath)).status).toBe(401)
  expect((await sendRequest(null, 'POST', viewsPath, { name: 'A', filter })).status).toBe(401)
})

test('saved views: another account can neither see, change nor delete a view', async () => {
  const [owner, otherId] = [await createAccount(), await createAccount()]
  const { id } = (await saveView(owner, { name: 'Majors', filter })).body
  expect(await readNames(otherId)).toEqual([])
  for (const foreignId of [id, randomUUID(), 'none', "1'--"]) {
    const url = `${viewsPath}/${encodeURIComponent(foreignId)}`
    expect((await sendRequest(otherId, 'PUT', url, { name: 'Mine' })).body).toMatchObject({ code: 'not_found' })
    expect((await sendRequest(otherId, 'DELETE', url)).body).toMatchObject({ code: 'not_found' })
  }
  expect(await readNames(owner)).toEqual(['Majors'])
})

test('saved views: a name that differs from another one only in case is rejected, also when renaming', async () => {
  const who = await createAccount()
  await saveView(who, { name: 'Majors', filter })
  const { body } = await saveView(who, { name: 'Quiet', filter: { priority: ['low'] } })
  const nameTaken = { code: 'view_name_taken', message: 'You already have a view named “Majors”.' }
  expect((await saveView(who, { name: ' MAJORS ', filter })).body).toMatchObject(nameTaken)
  expect((await sendRequest(who, 'PUT', `${viewsPath}/${body.id}`, { name: 'majors' })).body).toMatchObject(nameTaken)
  expect((await sendRequest(who, 'PUT', `${viewsPath}/${body.id}`, { name: 'QUIET' })).body).toMatchObject({
    name: 'QUIET',
  })
})

test('saved views: can be renamed, changed and deleted, are sorted by name; each change is logged once', async () => {
  const who = await createAccount()
  const { body: view, status } = await saveView(who, { name: 'zebra', filter })
  expect(status).toBe(201)
  await saveView(who, { name: 'Alpha', filter: { watchlist: true } })
  expect(await readNames(who)).toEqual(['Alpha', 'zebra'])
  const url = `${viewsPath}/${view.id}`
  await sendRequest(who, 'PUT', url, { name: 'Beta' })
  // The same filter in another order of keys changes nothing.
  await sendRequest(who, 'PUT', url, { filter: { asset: filter.asset, priority: filter.priority } })
  const changed = await sendRequest(who, 'PUT', url, { filter: { verdict: 'open', regime: 'Calm' } })
  expect(changed.body).toMatchObject({ name: 'Beta', filter: { verdict: 'open', regime: 'Calm' } })
  expect((await sendRequest(who, 'DELETE', url)).status).toBe(200)
  expect((await sendRequest(who, 'DELETE', url)).status).toBe(404)
  expect(await readNames(who)).toEqual(['Alpha'])
  const rows = await box.ctx.db.select().from(activities).where(eq(activities.accountId, who)).orderBy(activities.id)
  expect(rows.map(({ detail }) => detail)).toEqual([
    'View “zebra” saved',
    'View “Alpha” saved',
    'View “zebra” renamed to “Beta”',
    'Filters of the view “Beta” replaced',
    'View “Beta” deleted',
  ])
})

test('saved views: concurrent saves neither exceed the limit nor share a name', async () => {
  const { ctx } = box
  const who = await createAccount()
  const owner = { accountId: who, sessionId: who }
  const saveByName = (name: string) =>
    createView(ctx, owner, { name, filter: { watchlist: true } }).then(
      () => 'saved',
      ({ code }) => code,
    )
  expect((await Promise.all([saveByName('Same'), saveByName('same'), saveByName('SAME')])).sort()).toEqual([
    'saved',
    'view_name_taken',
    'view_name_taken',
  ])
  const outcomes = await Promise.all(Array.from({ length: maxViews + 3 }, (_, index) => saveByName(`View ${index}`)))
  expect(outcomes.filter((outcome) => outcome === 'saved')).toHaveLength(maxViews - 1)
  expect(outcomes.filter((outcome) => outcome === 'too_many_views')).toHaveLength(4)
  expect(await readNames(who)).toHaveLength(maxViews)
})

test('saved views: are in the account export and deleted with the account', async () => {
  const { ctx } = box
  const who = await createAccount()
  await saveView(who, { name: 'Majors', filter })
  expect(await exportViews(ctx, who)).toMatchObject([{ name: 'Majors', filter }])
  await ctx.db.delete(accounts).where(eq(accounts.id, who))
  expect(await ctx.db.$count(alertViews, eq(alertViews.accountId, who))).toBe(0)
})
