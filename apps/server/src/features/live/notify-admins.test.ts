import { type AdminArea, listPermissions } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type Client,
  fakeScheduler,
  type Instance,
  issueAlerts,
  startInstance,
  type TestAccounts,
} from '../../../test/support/live-test-bed.ts'
import { testActor } from '../../../test/support/test-actor.ts'
import { saveSetting } from '../../db/setting.ts'
import type { Actor } from '../../http/route.ts'

/**
 * Tests of notifications that pages receive besides alerts: admin changes, a changed payment chain,
 * and choices that the account made on other devices. Also tests the count of listeners on all
 * instances.
 */

const postgres = useTestDatabase()
let databaseUrl: string
let clock: FakeClock
let timers: ReturnType<typeof fakeScheduler>
let accounts: TestAccounts
let instance: Instance
const instances: Instance[] = []

beforeEach(async () => {
  databaseUrl = await postgres.createDatabase()
  clock = fakeClock()
  timers = fakeScheduler(clock)
  accounts = { actors: new Map(), entitlements: new Map(), owners: new Map() }
  addAccount('root', 'a', { permissions: listPermissions('admin') })
  addAccount('mara', 'b')
  instance = await startTestInstance()
})
afterEach(async () => {
  await Promise.all(instances.splice(0).map((started) => started.stop()))
})

async function startTestInstance(): Promise<Instance> {
  const started = await startInstance(databaseUrl, clock, accounts, timers)
  instances.push(started)
  return started
}

const getWalletAddress = (digit: string) => `0x${digit.repeat(40)}`

function addAccount(name: string, digit: string, rest: Partial<Actor> = {}): void {
  const sessionId = `00000000-0000-4000-8000-${digit.repeat(12)}`
  const session = { sessionId, sessionIdHash: `session of ${name}`, authenticatedAt: clock.now() }
  const provedWallets = [getWalletAddress(digit)]
  accounts.actors.set(name, testActor(`account of ${name}`, { ...session, name, provedWallets, ...rest }))
}

/**
 * Makes a change, waits until the database has notified the instance, and returns the reported
 * areas.
 */
async function listAreasAfter(client: Client, change: () => Promise<unknown>, on = instance): Promise<AdminArea[]> {
  const notified = new Promise((resolve) => on.ctx.notifications.on('admin', resolve))
  const receivedCount = client.messages.length
  await change()
  await notified
  // PostgreSQL sends all notifications of one transaction together, so they have all arrived after
  // this round trip.
  await on.ctx.db.execute(sql`select 1`)
  timers.advance(200)
  const findNotice = () => client.messages.slice(receivedCount).find((message) => message.type === 'admin_changed')
  await expect.poll(findNotice).toBeDefined()
  timers.advance(3_000)
  return findNotice()?.areas ?? []
}

const executeSql = (text: string) => instance.ctx.db.execute(text)
const nowLiteral = "timestamptz '2026-01-15 12:00:00Z'"
const insertAccountSql = `insert into accounts (name, role, created_at) values ('Mara', 'user', ${nowLiteral})`

describe("an admin's page", () => {
  it.each<[string, string, AdminArea]>([
    ['an account', insertAccountSql, 'users'],
    [
      'an audit log entry',
      `insert into audit_entries (at, action, detail, request_id) values (${nowLiteral}, 'feed_saved', '{}', 'r')`,
      'audit',
    ],
    [
      'a refused signal',
      `insert into refused_signals (at, raw, reason) values (${nowLiteral}, 'x', 'Not JSON')`,
      'feed',
    ],
    [
      'a signal that was merged',
      `insert into feed_signals (signal_id, observed_at, received_at, is_late) values ('s', ${nowLiteral}, ${nowLiteral}, false)`,
      'feed',
    ],
    ['the chain', `insert into settings values ('chain_id', '"137"', ${nowLiteral})`, 'chain'],
    [
      'the state of the feed',
      `insert into settings values ('feed.state', '{"state":"failed"}', ${nowLiteral})`,
      'feed',
    ],
    [
      'a reconciliation of payments',
      `insert into settings values ('payments.reconciliation', '{}', ${nowLiteral})`,
      'payments',
    ],
  ])('is notified of %s, without its content', async (_name, statement, area) => {
    const client = instance.connect('root')
    await client.opened
    expect(await listAreasAfter(client, () => executeSql(statement))).toEqual([area])
    expect(client.messages).toEqual([{ type: 'admin_changed', areas: [area] }])
  })

  it('is notified of alerts that were not broadcast', async () => {
    const client = instance.connect('root')
    await client.opened
    expect(await listAreasAfter(client, () => issueAlerts(instance.ctx, 1))).toEqual(['alerts'])
    expect(client.alertIndexes()).toEqual([])
  })

  it('is notified when an alert is broadcast again', async () => {
    const client = instance.connect('root')
    await client.opened
    await listAreasAfter(client, () => issueAlerts(instance.ctx, 1))
    const insertDeliverySql = `insert into deliveries (log_index, at) select log_index, ${nowLiteral} from alerts limit 1`
    expect(await listAreasAfter(client, () => executeSql(insertDeliverySql))).toEqual(['alerts'])
  })

  it('gets one message for simultaneous changes, and throttled messages for continuous ones', async () => {
    const client = instance.connect('root')
    await client.opened
    const steps = [
      insertAccountSql,
      `insert into refused_signals (at, raw, reason) values (${nowLiteral}, 'x', 'Not JSON')`,
    ]
    await listAreasAfter(client, () => executeSql(`begin; ${steps.join(';')}; commit`))
    const countNotices = () => client.messages.filter(({ type }) => type === 'admin_changed').length
    expect(countNotices()).toBe(1)
    const first = instance.ctx.notifications
    for (let round = 0; round < 20; round++) {
      const notified = new Promise((resolve) => first.on('admin', resolve))
      await executeSql(insertAccountSql)
      await notified
      timers.advance(100)
    }
    timers.advance(3_000)
    await client.receiveAll()
    expect(countNotices()).toBeGreaterThan(1)
    expect(countNotices()).toBeLessThanOrEqual(3)
  })

  it('is not notified when only the ping time of the feed or the payment cursor changes', async () => {
    const waitForTopic = (key: string) =>
      new Promise<void>((resolve) => {
        const stop = instance.ctx.notifications.on('admin', (topicKey) => {
          seenKeys.push(topicKey)
          if (topicKey === key) resolve(stop())
        })
      })
    const seenKeys: string[] = []
    const feedNotified = waitForTopic('feed')
    await executeSql(`insert into settings values ('feed.state', '{"state":"connected","pingMs":1}', ${nowLiteral})`)
    await feedNotified
    seenKeys.length = 0
    const chainNotified = waitForTopic('chain')
    await executeSql(`update settings set value = '{"state":"connected","pingMs":2}', updated_at = now()`)
    await saveSetting(instance.ctx.db, 'payments.cursor', { block: 2 }, clock.now())
    timers.advance(10_000)
    await executeSql(`insert into settings values ('chain_id', '"137"', ${nowLiteral})`)
    await chainNotified
    expect(seenKeys).toEqual(['chain'])
  })

  it("gets admin changes, a trader's page does not", async () => {
    const [admin, trader] = [instance.connect('root'), instance.connect('mara')]
    await Promise.all([admin.opened, trader.opened])
    await listAreasAfter(admin, () => executeSql(insertAccountSql))
    timers.advance(10_000)
    await admin.received('heartbeat')
    await trader.receiveAll()
    expect(trader.messages).toEqual([])
  })
})

it('every page on every instance is notified of a changed payment chain, even without authenticating a wallet', async () => {
  const openClients = [instance.connect('root'), instance.connect('mara'), (await startTestInstance()).connect('mara')]
  await Promise.all(openClients.map(({ opened }) => opened))
  await saveSetting(instance.ctx.db, 'chain_id', { chainId: 137, description: '' }, clock.now())
  await instance.ctx.notifications.notify(instance.ctx.db, 'settings', 'chain_id')
  for (const client of openClients) {
    expect(await client.received('chain_changed')).toEqual({
      type: 'chain_changed',
      chainId: '137',
      chainName: 'Polygon (MATIC)',
    })
  }
})

it('pages are notified of a changed payment chain two seconds later when the first read of the setting fails', async () => {
  const client = instance.connect('mara')
  await client.opened
  const { db, logger, notifications } = instance.ctx
  const errorSpy = vi.spyOn(logger, 'error')
  await saveSetting(db, 'chain_id', { chainId: 'unreadable' }, clock.now())
  await notifications.notify(db, 'settings', 'chain_id')
  await expect.poll(() => errorSpy.mock.calls).toHaveLength(1)
  await saveSetting(db, 'chain_id', { chainId: 137, description: '' }, clock.now())
  timers.advance(2_000)
  expect(await client.received('chain_changed')).toMatchObject({ chainId: '137' })
})

it.each([
  ['preferences', 'preferences', 'preferences_changed'],
  ['read alerts', 'reads', 'reads_changed'],
] as const)(
  'a change of %s is sent to the other sessions of the account on every instance, and to no others',
  async (_done, topic, type) => {
    addAccount('mara elsewhere', 'c', { accountId: 'account of mara' })
    const [own, stranger] = [instance.connect('mara'), instance.connect('root')]
    const elsewhere = (await startTestInstance()).connect('mara elsewhere')
    await Promise.all([own, stranger, elsewhere].map(({ opened }) => opened))
    const { sessionId } = accounts.actors.get('mara') ?? {}
    await instance.ctx.notifications.notify(instance.ctx.db, topic, `account of mara/${sessionId}`)
    expect(await elsewhere.received(type)).toEqual({ type })
    // Messages arrive in order: a client that has received `chain_changed` has received all earlier
    // ones.
    await saveSetting(instance.ctx.db, 'chain_id', { chainId: 137, description: '' }, clock.now())
    await instance.ctx.notifications.notify(instance.ctx.db, 'settings', 'chain_id')
    for (const client of [own, stranger]) {
      await client.received('chain_changed')
      expect(client.messages.filter((message) => message.type === type)).toEqual([])
    }
  },
)

describe('the listener count', () => {
  const listen = async (on: Instance) => {
    const client = on.connect('mara')
    await client.authenticate(getWalletAddress('b'))
    await client.received('live')
    return client
  }
  const countAt = (on: Instance) => on.live.countListening()

  beforeEach(() => {
    const endsAt = new Date(clock.now().getTime() + HOUR_MS)
    accounts.entitlements.set('account of mara', { planId: '24h', startsAt: clock.now(), endsAt })
  })

  it('covers all instances, without pages that do not listen', async () => {
    const other = await startTestInstance()
    await listen(instance)
    await listen(other)
    const third = await listen(other)
    await other.connect('root').opened
    timers.advance(1_000)
    await expect.poll(() => countAt(instance)).toBe(3)
    await expect.poll(() => countAt(other)).toBe(3)
    third.ws.close()
    await third.closed
    await expect.poll(() => countAt(other)).toBe(2)
    timers.advance(1_000)
    await expect.poll(() => countAt(instance)).toBe(2)
  })

  it('excludes instances that have stopped or no longer report', async () => {
    const other = await startTestInstance()
    await listen(other)
    timers.advance(1_000)
    await expect.poll(() => countAt(instance)).toBe(1)
    await instances.pop()?.stop()
    expect(await countAt(instance)).toBe(0)
    await executeSql(`insert into instances values (gen_random_uuid(), 7, timestamptz '2026-01-15 12:00:01Z')`)
    expect(await countAt(instance)).toBe(7)
    clock.advance(36_000)
    expect(await countAt(instance)).toBe(0)
  })
})
