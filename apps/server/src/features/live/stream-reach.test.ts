import { createTestContext, fakeClock, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { expect, test } from 'vitest'
import { fakeScheduler, issueAlerts, startInstance, type TestAccounts } from '../../../test/support/live-test-bed.ts'
import { accounts } from '../../db/schema/accounts.ts'
import { streamReach } from '../../db/schema/alerts.ts'
import type { Actor } from '../../http/route.ts'

const postgres = useTestDatabase()

test('stream reach: each account is recorded once when a critical alert is written to its sockets, but not for other alerts', async () => {
  const clock = fakeClock()
  const timers = fakeScheduler(clock)
  const databaseUrl = await postgres.createDatabase()
  const context = await createTestContext(testConfig({ databaseUrl }), clock)
  const names = ['ada', 'ben']
  const rows = await context.ctx.db
    .insert(accounts)
    .values(names.map((name) => ({ name, createdAt: clock.now() })))
    .returning()
  const walletAddress = `0x${'a'.repeat(40)}`
  const actors = rows.map(({ id, name }): [string, Actor] => [
    name,
    {
      ...{ sessionId: id, sessionIdHash: name, accountId: id, email: null, name, permissions: [], role: 'user' },
      ...{ provedWallets: [walletAddress], authenticatedAt: clock.now(), sessionEndsAt: new Date(8.64e15) },
      ...{ hasFactor: false, mustEnrol: false },
    },
  ])
  const period = { planId: '24h' as const, startsAt: clock.now(), endsAt: new Date(clock.now().getTime() + 1e8) }
  const entitlements = new Map(rows.map(({ id }) => [id, period]))
  const people: TestAccounts = { actors: new Map(actors), entitlements, owners: new Map() }
  const instance = await startInstance(databaseUrl, clock, people, timers)
  const clients = ['ada', 'ada', 'ben'].map((name) => instance.connect(name))
  for (const client of clients) {
    await client.authenticate(walletAddress)
    await client.received('live')
  }
  await issueAlerts(instance.ctx, 1)
  await issueAlerts(instance.ctx, 1, 'Marker', 'critical')
  for (const client of clients) await client.received('new_alert', 2)
  await instance.stop()

  const reachRows = await context.ctx.db.select().from(streamReach)
  expect(reachRows.map(({ logIndex }) => logIndex)).toEqual([1, 1])
  expect(reachRows.map(({ accountId }) => accountId).sort()).toEqual(rows.map(({ id }) => id).sort())
  expect(reachRows.every(({ tookMs }) => tookMs === 0)).toBe(true)
  await context.close()
})
