import { HOUR_MS } from '@tocsin/protocol/durations'
import type { TestClient } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { send } from './raw-client.ts'

/**
 * Tests that an instance on a machine with a wrong clock uses the time of the database, like the
 * others.
 */

const SUMMARY = 'A large buyer works an order'
const RealDate = Date

const parts = useTestDatabaseAndChain()
let rightServer: TestServer
let alertId: string
let clients: Record<'anonymous' | 'subscriber' | 'former', TestClient>

beforeAll(async () => {
  rightServer = await startTestServer(parts)
  const admin = await rightServer.signInAdmin()
  const body = { asset: 'BTC/USDT', summary: SUMMARY, confidence: 91, priority: 'high' } as const
  alertId = (await admin.call('createAlert', { body })).alert.id
  const subscriber = await rightServer.addUser({ planMs: 6 * HOUR_MS })
  const former = await rightServer.addUser({ email: 'former@example.com', planMs: 60 * HOUR_MS })
  // The period ended a minute ago. By a clock that is a little behind, it would still be active.
  await rightServer.ctx.db
    .update(subscriptions)
    .set({
      startsAt: sql`${subscriptions.startsAt} - interval '3601 minutes'`,
      endsAt: sql`${subscriptions.endsAt} - interval '3601 minutes'`,
    })
    .where(eq(subscriptions.accountId, former.accountId))
  clients = { anonymous: rightServer.createClient(), subscriber: subscriber.client, former: former.client }
})
afterEach(() => {
  vi.unstubAllGlobals()
})
afterAll(() => rightServer?.close())

/** Shifts the clock of this process. The clocks of database and chain do not change. */
function shiftClock(ms: number): void {
  class ShiftedDate extends RealDate {
    constructor(...args: [] | [string | number | Date]) {
      if (args.length === 0) super(RealDate.now() + ms)
      else super(...args)
    }
    static override now = () => RealDate.now() + ms
  }
  vi.stubGlobal('Date', ShiftedDate)
}

/** Returns whether each reader sees the text of the alert. */
async function findReaders(url: string): Promise<Record<string, boolean>> {
  const readers = await Promise.all(
    Object.entries(clients).map(async ([name, client]) => {
      const cookie = client.cookie()
      const answer = await send(url, { path: '/api/alerts/recent', headers: cookie ? { cookie } : {} })
      expect(answer.status).toBe(200)
      return [name, answer.body.includes(SUMMARY)]
    }),
  )
  return Object.fromEntries(readers)
}

test.each([
  ['400 days ahead', 400 * 24 * HOUR_MS],
  ['25 hours ahead', 25 * HOUR_MS],
  ['25 hours behind', -25 * HOUR_MS],
])(
  'wrong clock, %s: alerts, plans and sessions follow the database time, and /readyz reports that nothing is issued',
  async (_name, ms) => {
    const expected = { anonymous: false, subscriber: true, former: false }
    expect(await findReaders(rightServer.url)).toEqual(expected)
    shiftClock(ms)
    // The clock jumps on a running instance, and is wrong from the start on another one.
    const wrongServer = await startTestServer(parts, { databaseUrl: rightServer.ctx.config.databaseUrl })
    try {
      for (const { url } of [rightServer, wrongServer]) {
        expect(await findReaders(url)).toEqual(expected)
        const session = await send(url, { path: '/api/auth/user', headers: { cookie: clients.former.cookie() } })
        expect(session.body).toContain('former@example.com')
        const entries = await send(url, { path: '/api/log/entries?from=0&limit=10' })
        expect(entries.body).not.toContain(alertId)
        await eventually(async () => {
          const { body } = await send(url, { path: '/readyz' })
          expect(body).toContain('This server appends no entries to the log until both clocks agree')
        })
      }
    } finally {
      await wrongServer.close()
    }
  },
)
