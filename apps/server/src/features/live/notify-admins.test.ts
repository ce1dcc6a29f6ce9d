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
  instance = await start()
})
afterEach(async () => {
  await Promise.all(instances.splice(0).map((started) => started.stop()))
})

async function start(): Promise<Instance> {
  const started = await startInstance(databaseUrl, clock, accounts, timers)
  instances.push(started)
  return started
}

const wallet = (digit: string) => `0x${digit.repeat(40)}`

function addAccount(name: string, digit: string, rest: Partial<Actor> = {}): void {
  const sessionId = `00000000-0000-4000-8000-${digit.repeat(12)}`
  const session = { sessionId, sessionIdHash: `session of ${name}`, authenticatedAt: clock.now() }
  const provedWallets = [wallet(digit)]
  accounts.actors.set(name, testActor(`account of ${name}`, { ...session, name, provedWallets, ...rest }))
}

/**
 * Makes a change, waits until the database has notified the instance, and returns the reported
 * areas.
 */
async function areasAfter(client: Client, change: () => Promise<unknown>, on = instance): Promise<AdminArea[]> {
  const woken = new Promise((resolve) => on.ctx.notifications.on('admin', resolve))
  const receivedCount = client.messages.length
  await change()
  await woken
  // PostgreSQL sends all notifications of one transaction together, so they have all arrived after
  // this round trip.
  await on.ctx.db.execute(sql`select 1`)
  timers.advance(200)
  const findNotice = () => client.messages.slice(receivedCount).find((message) => message.type === 'admin_changed')
  await expect.poll(findNotice).toBeDefined()
  timers.advance(3_000)
  return findNotice()?.areas ?? []
}

const query = (text: string) => instance.ctx.db.execute(text)
const now = "timestamptz '2026-01-15 12:00:00Z'"
const account = `insert into accounts (name, role, created_at) values ('Mara', 'user', ${now})`

describe("an admin's page", () => {
  it.each<[string, string, AdminArea]>([
    ['an account', account, 'users'],
    [
      'an audit log entry',
      `insert into audit_entries (at, action, detail, request_id) values (${now}, 'feed_saved', '{}', 'r')`,
      'audit',
    ],
    ['a refused signal', `insert into refused_signals (at, raw, reason) values (${now}, 'x', 'Not JSON')`, 'feed'],
    [
      'a signal that was merged',
      `insert into feed_signals (signal_id, observed_at, received_at, is_late) values ('s', ${now}, ${now}, false)`,
      'feed',
    ],
    ['the chain', `insert into settings values ('chain_id', '"137"', ${now})`, 'chain'],
    ['the state of the feed', `insert into settings values ('feed.state', '{"state":"failed"}', ${now})`, 'feed'],
    [
      'a reconciliation of payments',
      `insert into settings values ('payments.reconciliation', '{}', ${now})`,
      'payments',
    ],
  ])('is notified of %s, without its content', async (_name, statement, area) => {
    const client = instance.connect('root')
    await client.opened
    expect(await areasAfter(client, () => query(statement))).toEqual([area])
    expect(client.messages).toEqual([{ type: 'admin_changed', areas: [area] }])
  })

  it('is notified of alerts that were not broadcast', async () => {
    const client = instance.connect('root')
    await client.opened
    expect(await areasAfter(client, () => issueAlerts(instance.ctx, 1))).toEqual(['alerts'])
    expect(client.alertIndexes()).toEqual([])
  })

  it('is notified when an alert is broadcast again', async () => {
    const client = instance.connect('root')
    await client.opened
    await areasAfter(client, () => issueAlerts(instance.ctx, 1))
    const again = `insert into deliveries (log_index, at) select log_index, ${now} from alerts limit 1`
    expect(await areasAfter(client, () => query(again))).toEqual(['alerts'])
  })

  it('gets one message for simultaneous changes, and throttled messages for continuous ones', async () => {
    const client = instance.connect('root')
    await client.opened
    const steps = [account, `insert into refused_signals (at, raw, reason) values (${now}, 'x', 'Not JSON')`]
    await areasAfter(client, () => query(`begin; ${steps.join(';')}; commit`))
    const count = () => client.messages.filter(({ type }) => type === 'admin_changed').length
    expect(count()).toBe(1)
    const first = instance.ctx.notifications
    for (let round = 0; round < 20; round++) {
      const woken = new Promise((resolve) => first.on('admin', resolve))
      await query(account)
      await woken
      timers.advance(100)
    }
    timers.advance(3_000)
    await client.receiveAll()
    expect(count()).toBeGreaterThan(1)
    expect(count()).toBeLessThanOrEqual(3)
  })

  it('is not notified of heartbeats', async () => {
    const woken = (key: string) =>
      new Promise<void>((resolve) => {
        const stop = instance.ctx.notifications.on('admin', (topicKey) => {
          seen.push(topicKey)
          if (topicKey === key) resolve(stop())
        })
      })
    const seen: string[] = []
    const begun = woken('feed')
    await query(`insert into settings values ('feed.state', '{"state":"connected","pingMs":1}', ${now})`)
    await begun
    seen.length = 0
    const end = woken('chain')
    await query(`update settings set value = '{"state":"connected","pingMs":2}', updated_at = now()`)
    await saveSetting(instance.ctx.db, 'payments.cursor', { block: 2 }, clock.now())
    timers.advance(10_000)
    await query(`insert into settings values ('chain_id', '"137"', ${now})`)
    await end
    expect(seen).toEqual(['chain'])
  })

  it("gets admin changes, a trader's page does not", async () => {
    const [admin, trader] = [instance.connect('root'), instance.connect('mara')]
    await Promise.all([admin.opened, trader.opened])
    await areasAfter(admin, () => query(account))
    timers.advance(10_000)
    await admin.received('heartbeat')
    await trader.receiveAll()
    expect(trader.messages).toEqual([])
  })
})

it('every page is notified of a changed payment chain, with or without a wallet', async () => {
  const open = [instance.connect('root'), instance.connect('mara'), (await start()).connect('mara')]
  await Promise.all(open.map(({ opened }) => opened))
  await saveSetting(instance.ctx.db, 'chain_id', { chainId: 137, description: '' }, clock.now())
  await instance.ctx.notifications.notify(instance.ctx.db, 'settings', 'chain_id')
  for (const client of open) {
    expect(await client.received('chain_changed')).toEqual({
      type: 'chain_changed',
      chainId: '137',
      chainName: 'Polygon (MATIC)',
    })
  }
})

it('pages are notified of a changed payment chain two seconds later when it could not be read', async () => {
  const client = instance.connect('mara')
  await client.opened
  const { db, logger, notifications } = instance.ctx
  const logged = vi.spyOn(logger, 'error')
  await saveSetting(db, 'chain_id', { chainId: 'unreadable' }, clock.now())
  await notifications.notify(db, 'settings', 'chain_id')
  await expect.poll(() => logged.mock.calls).toHaveLength(1)
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
    const elsewhere = (await start()).connect('mara elsewhere')
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
    await client.authenticate(wallet('b'))
    await client.received('live')
    return client
  }
  const countAt = (on: Instance) => on.live.countListening()

  beforeEach(() => {
    const endsAt = new Date(clock.now().getTime() + HOUR_MS)
    accounts.entitlements.set('account of mara', { planId: '24h', startsAt: clock.now(), endsAt })
  })

  it('covers all instances, without pages that do not listen', async () => {
    const other = await start()
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
    const other = await start()
    await listen(other)
    timers.advance(1_000)
    await expect.poll(() => countAt(instance)).toBe(1)
    await instances.pop()?.stop()
    expect(await countAt(instance)).toBe(0)
    await query(`insert into instances values (gen_random_uuid(), 7, timestamptz '2026-01-15 12:00:01Z')`)
    expect(await countAt(instance)).toBe(7)
    clock.advance(36_000)
    expect(await countAt(instance)).toBe(0)
  })
})
