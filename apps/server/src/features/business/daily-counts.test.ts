import { createTestContext, fakeClock, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import Fastify from 'fastify'
import { describe, expect, test } from 'vitest'
import { dailyCounts } from '../../db/schema/server.ts'
import { installDailyCounts, isVisit } from './daily-counts.ts'

const database = useTestDatabase()

const headers = { 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' }

describe('isVisit', () => {
  test.each([
    ['a typed address', {}, true],
    ['a link from another site', { 'sec-fetch-site': 'cross-site' }, true],
    ['a link within the site', { 'sec-fetch-site': 'same-origin' }, false],
    ['a prefetch', { 'sec-purpose': 'prefetch' }, false],
    ['a frame', { 'sec-fetch-dest': 'iframe' }, false],
    ['a program', { 'sec-fetch-dest': undefined }, false],
  ])('of %s with the headers %j returns %s', (_name, change, expected) => {
    expect(isVisit({ method: 'GET', headers: { ...headers, ...change } })).toBe(expected)
    expect(isVisit({ method: 'HEAD', headers: { ...headers, ...change } })).toBe(false)
  })
})

test('daily counts: landing page visits and accepted sign-ups are counted per day, and a failed write does not throw', async () => {
  const clock = fakeClock(new Date('2026-11-18T23:59:00.000Z'))
  const testContext = await createTestContext(testConfig({ databaseUrl: await database.createDatabase() }), clock)
  const app = Fastify()
  const stop = installDailyCounts(app, testContext.ctx)
  app.get('/', () => 'page')
  app.get('/other', () => 'page')
  app.post('/api/auth/register', (request, reply) => reply.code(request.headers.refuse ? 400 : 200).send({}))
  const openPage = (url: string) => app.inject({ method: 'GET', url, headers })
  await openPage('/')
  await openPage('/?from=mail')
  await openPage('/other')
  await app.inject({ method: 'POST', url: '/api/auth/register', headers: { refuse: 'yes' } })
  await app.inject({ method: 'POST', url: '/api/auth/register' })
  clock.advance(120_000)
  await openPage('/')
  await stop()
  const rows = await testContext.ctx.db.select().from(dailyCounts).orderBy(dailyCounts.day, dailyCounts.name)
  expect(rows).toEqual([
    { day: '2026-11-18', name: 'landing_visits', count: 2 },
    { day: '2026-11-18', name: 'sign_ups', count: 1 },
    { day: '2026-11-19', name: 'landing_visits', count: 1 },
  ])
  await testContext.close()
  // The database is closed now, so the counts cannot be written. Stopping must not fail.
  await openPage('/')
  await stop()
  await app.close()
})
