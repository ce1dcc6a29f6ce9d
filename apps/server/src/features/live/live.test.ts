import { createHash } from 'node:crypto'
import { closeCodes, type LivePrices, listPermissions, type ServerMessage } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { createTestContext, type FakeClock, fakeClock, type TestContext, testConfig } from '@tocsin/testkit'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  anchorLog,
  clearLog,
  fakeScheduler,
  type Instance,
  issueAlerts,
  logId,
  repeatAlert,
  startInstance,
  type TestAccounts,
} from '../../../test/support/live-test-bed.ts'
import { testActor } from '../../../test/support/test-actor.ts'
import { deliveries } from '../../db/schema/alerts.ts'
import type { Actor } from '../../http/route.ts'

const getWalletAddress = (digit: string) => `0x${digit.repeat(40)}`

const postgres = useTestDatabase()
let janitor: TestContext
let databaseUrl: string
let clock: FakeClock
let timers: ReturnType<typeof fakeScheduler>
let accounts: TestAccounts
let instance: Instance
const instances: Instance[] = []

beforeAll(async () => {
  databaseUrl = await postgres.createDatabase()
  janitor = await createTestContext(testConfig({ databaseUrl }))
})
afterAll(() => janitor.close())

beforeEach(async () => {
  await clearLog(janitor.ctx)
  clock = fakeClock()
  timers = fakeScheduler(clock)
  accounts = { actors: new Map(), entitlements: new Map(), owners: new Map() }
  instance = await startTestInstance()
})
afterEach(async () => {
  await Promise.all(instances.splice(0).map((started) => started.stop()))
})

/** Simulates a price report of the market data source. `startTestInstance` sets it. */
let reportPrices: (prices: LivePrices) => void

async function startTestInstance(): Promise<Instance> {
  const started = await startInstance(databaseUrl, clock, accounts, timers, (listener) => {
    reportPrices = listener
    return () => {}
  })
  instances.push(started)
  return started
}

const getSession = (name: string) =>
  `00000000-0000-4000-8000-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`

/** Adds a signed-in account with its own wallet. Its cookie equals its name. */
function addAccount(name: string, digit: string, rest: Partial<Actor> = {}): void {
  const session = { sessionId: getSession(name), sessionIdHash: `session of ${name}`, authenticatedAt: clock.now() }
  const provedWallets = [getWalletAddress(digit)]
  accounts.actors.set(name, testActor(`account of ${name}`, { ...session, name, provedWallets, ...rest }))
}

function addEntitlement(name: string, forMs: number): void {
  const now = clock.now()
  const endsAt = new Date(now.getTime() + forMs)
  accounts.entitlements.set(`account of ${name}`, { planId: '24h', startsAt: now, endsAt })
}

function addSubscriber(name: string, digit: string, forMs = HOUR_MS): void {
  addAccount(name, digit)
  addEntitlement(name, forMs)
}

async function listen(name: string, digit: string, lastIndex?: number, on = instance) {
  const client = on.connect(name)
  await client.authenticate(getWalletAddress(digit), lastIndex)
  await client.received('live')
  return client
}

/** Opens a socket that requests compact proofs. */
async function listenCompact(name: string, digit: string) {
  const client = instance.connect(name)
  await client.opened
  client.send({ type: 'authenticate', walletAddress: getWalletAddress(digit), proofs: 'compact' })
  await client.received('live')
  return client
}

describe('an upgrade is rejected', () => {
  it.each([
    ['missing', null],
    ['null', 'null'],
    ['the own origin with a suffix', 'http://localhost:3000.evil.example'],
    ['the own host with a prefix', 'http://evil-localhost:3000'],
    ['a subdomain', 'http://a.localhost:3000'],
    ['https', 'https://localhost:3000'],
    ['another port', 'http://localhost:3001'],
    ['no port', 'http://localhost'],
    ['a trailing slash', 'http://localhost:3000/'],
    ['upper case', 'HTTP://LOCALHOST:3000'],
    ['user information', 'http://localhost:3000@evil.example'],
    ['an IDN look-alike', 'http://xn--lcalhost-q1a:3000'],
    ['another spelling of loopback', 'http://127.0.0.1:3000'],
  ])('when the origin is wrong: %s', async (_name, origin) => {
    addSubscriber('ada', 'a')
    expect(await instance.connect('ada', { origin }).opened).toBe(403)
    expect(instance.live.connected()).toBe(0)
  })

  it.each([
    ['without a cookie', null],
    ['with the cookie of an unknown session', 'unknown-session'],
  ])('%s', async (_name, cookie) => {
    expect(await instance.connect(cookie).opened).toBe(401)
  })

  it.each(['/', '/ws/', '/wss', '/ws/../api', '/api/ws'])('on the path %s', async (path) => {
    addSubscriber('ada', 'a')
    expect(await instance.connect('ada', { path }).opened).toBe(404)
  })

  it('when an account opens too many sockets in a minute', async () => {
    addSubscriber('ada', 'a')
    const opened: number[] = []
    for (let count = 0; count < 61; count++) opened.push(await instance.connect('ada').opened)
    expect(opened.slice(0, 60).every((status) => status === 101)).toBe(true)
    expect(opened[60]).toBe(429)
  })
})

describe('alerts are not sent to', () => {
  it('a session that has not proved the wallet', async () => {
    addSubscriber('victim', 'a')
    addSubscriber('mallory', 'b')
    addAccount('boss', 'c', { permissions: listPermissions('admin') })
    const path = `/ws?walletAddress=${getWalletAddress('a')}&accountId=victim`
    const victim = await listen('victim', 'a')
    for (const [position, name] of ['mallory', 'boss'].entries()) {
      const client = instance.connect(name, { path })
      await client.authenticate(getWalletAddress('a'), 0)
      expect((await client.received('authentication_failed')).message).toBe(
        'This wallet is not verified in this session',
      )
      await issueAlerts(instance.ctx, 2)
      await victim.received('new_alert', 2 * (position + 1))
      await client.receiveAll()
      expect(client.messages).toHaveLength(1)
    }
  })

  it('an account without a subscription or with an expired one', async () => {
    addAccount('free', 'a')
    addSubscriber('former', 'b', HOUR_MS)
    addSubscriber('ada', 'c', 2 * HOUR_MS)
    const ada = await listen('ada', 'c')
    await issueAlerts(instance.ctx, 2)
    await ada.received('new_alert', 2)
    clock.advance(HOUR_MS)
    const [free, former] = [instance.connect('free'), instance.connect('former')]
    await free.authenticate(getWalletAddress('a'), 0)
    await former.authenticate(getWalletAddress('b'), 1)
    expect((await free.received('authentication_failed')).message).toBe('No active subscription')
    expect((await former.received('authentication_failed')).message).toBe('No active subscription')
    await issueAlerts(instance.ctx, 2)
    await ada.received('new_alert', 4)
    await Promise.all([free.receiveAll(), former.receiveAll()])
    expect([...free.messages, ...former.messages]).toHaveLength(2)
  })

  it('a socket that has not authenticated', async () => {
    addSubscriber('ada', 'a')
    const silent = instance.connect('ada')
    await silent.opened
    const ada = await listen('ada', 'a')
    await issueAlerts(instance.ctx, 1)
    await ada.received('new_alert')
    timers.advance(10_000)
    await ada.received('heartbeat')
    await silent.receiveAll()
    expect(silent.messages).toEqual([])
  })

  it('a socket after its account has lost its subscription', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const [ada, eve] = [await listen('ada', 'a'), await listen('eve', 'e')]
    accounts.entitlements.delete('account of ada')
    await instance.ctx.db.transaction((tx) => instance.ctx.notifications.notify(tx, 'entitlement', 'account of ada'))
    await issueAlerts(instance.ctx, 1)
    await eve.received('new_alert')
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
    expect(ada.messages.map((message) => message.type)).toEqual(['authenticated', 'live', 'subscription_expired'])
  })

  it('a socket with compact proofs after its account has lost its subscription, and neither are proofs', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const [ada, eve] = [await listenCompact('ada', 'a'), await listenCompact('eve', 'e')]
    await issueAlerts(instance.ctx, 1)
    await Promise.all([ada, eve].map((client) => client.received('new_alert')))
    accounts.entitlements.delete('account of ada')
    await instance.ctx.db.transaction((tx) => instance.ctx.notifications.notify(tx, 'entitlement', 'account of ada'))
    await anchorLog(instance.ctx, 1)
    await eve.received('alert_proof')
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
    const types = ada.messages.map((message) => message.type)
    expect(types).toEqual(['authenticated', 'live', 'new_alert', 'subscription_expired'])
  })

  it.each([
    ['before an anchor of earlier alerts', 1],
    ['before an anchor of the alert', 2],
  ])('a socket whose subscription ended before the alert and %s, if notifications are lost', async (_name, size) => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const [ada, eve] = [await listen('ada', 'a'), await listen('eve', 'e')]
    await issueAlerts(instance.ctx, 1)
    await Promise.all([ada, eve].map((client) => client.received('new_alert')))
    // The notifications of the end of the subscription and of the alert are both lost.
    accounts.entitlements.delete('account of ada')
    await issueAlerts({ ...instance.ctx, notifications: { ...instance.ctx.notifications, notify: async () => {} } }, 1)
    await anchorLog(instance.ctx, size)
    await eve.received('new_alert', 2)
    await Promise.all([ada, eve].map((client) => client.receiveAll()))
    expect([ada.alertIndexes(), eve.alertIndexes()]).toEqual([
      [0, 0],
      [0, 0],
    ])
    timers.advance(2_000)
    await eve.received('new_alert', 3)
    expect(eve.alertIndexes()).toEqual([0, 0, 1])
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
    expect(ada.alertIndexes()).toEqual([0, 0])
  })

  it('a socket whose session has ended', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const [ada, eve] = [await listen('ada', 'a'), await listen('eve', 'e')]
    accounts.actors.delete('ada')
    await instance.ctx.notifications.notify(instance.ctx.db, 'session', getSession('ada'))
    expect(await ada.closed).toBe(closeCodes.sessionEnded)
    await issueAlerts(instance.ctx, 1)
    await eve.received('new_alert')
    expect(ada.alertIndexes()).toEqual([])
  })
})

describe('a subscriber', () => {
  it('receives its plan and end date, then every alert once and in order', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    for (let count = 0; count < 20; count++) await issueAlerts(instance.ctx, 1 + (count % 3))
    await ada.received('new_alert', 39)
    expect(ada.messages.slice(0, 2)).toEqual([
      { type: 'authenticated', planType: '24h', subscriptionExpiry: '2026-01-15T13:00:00.000Z' },
      { type: 'live', lastIndex: null, logId, recovered: true },
    ])
    expect(ada.alertIndexes()).toEqual(Array.from({ length: 39 }, (_, index) => index))
  })

  it('may send the wallet in any letter case', async () => {
    addSubscriber('ada', 'A')
    const ada = await listen('ada', 'a')
    expect(ada.messages[0]?.type).toBe('authenticated')
  })

  it('receives no plan and no end date if it is an admin', async () => {
    addAccount('boss', 'b', { permissions: listPermissions('admin') })
    const boss = await listen('boss', 'b')
    await issueAlerts(instance.ctx, 1)
    await boss.received('new_alert')
    expect(boss.messages[0]).toEqual({ type: 'authenticated', planType: null, subscriptionExpiry: null })
  })

  it('receives an alert again when it is anchored', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    await issueAlerts(instance.ctx, 2)
    await ada.received('new_alert', 2)
    await anchorLog(instance.ctx, 2)
    await ada.received('new_alert', 4)
    const proofs = ada.messages.flatMap((message) => (message.type === 'new_alert' ? [message.alert.treeSize] : []))
    expect(proofs).toEqual([null, null, 2, 2])
    expect(ada.alertIndexes()).toEqual([0, 1, 0, 1])
  })

  it('receives only the proof of an anchored alert, even of an earlier one, if it requested compact proofs', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const eve = await listen('eve', 'e')
    await issueAlerts(instance.ctx, 1)
    await eve.received('new_alert')
    const ada = await listenCompact('ada', 'a')
    await issueAlerts(instance.ctx, 1)
    await ada.received('new_alert')
    await anchorLog(instance.ctx, 2)
    await ada.received('alert_proof', 2)
    await eve.received('new_alert', 4)
    expect(ada.alertIndexes()).toEqual([1])
    const proofs = ada.messages.filter((message) => message.type === 'alert_proof')
    expect(proofs).toMatchObject([
      { logIndex: 0, treeSize: 2 },
      { logIndex: 1, treeSize: 2 },
    ])
    // Eve's updates of whole alerts contain the same proofs as Ada's compact messages.
    const updates = eve.messages.flatMap((message) =>
      message.type === 'new_alert' && message.isUpdate ? [message.alert] : [],
    )
    expect(updates).toMatchObject(proofs.map(({ type: _, ...proof }) => proof))
  })

  it('receives an alert once more when a reorganisation moves its anchor to another block', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    await issueAlerts(instance.ctx, 2)
    await ada.received('new_alert', 2)
    await anchorLog(instance.ctx, 2, '0xa')
    await ada.received('new_alert', 4)
    await anchorLog(instance.ctx, 1, '0xb')
    await ada.received('new_alert', 5)
    expect(ada.alertIndexes()).toEqual([0, 1, 0, 1, 0])
  })

  it.each([
    ['stays connected when reading its rights fails once because the database connection broke', ['ECONNRESET'], true],
    ['must reconnect when reading its rights fails twice', ['ECONNRESET', 'ECONNREFUSED'], false],
    ['must reconnect when reading its rights fails for another reason', ['ENOENT'], false],
  ])('%s', async (_name, codes, stays) => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    const entitlementSpy = vi.spyOn(accounts.entitlements, 'get')
    for (const code of codes) {
      entitlementSpy.mockImplementationOnce(() => {
        throw Object.assign(new Error('Reading failed'), { code })
      })
    }
    await instance.ctx.notifications.notify(instance.ctx.db, 'entitlement', 'account of ada')
    await issueAlerts(instance.ctx, 1)
    if (stays) await ada.received('new_alert')
    else expect(await ada.closed).toBe(closeCodes.restart)
    expect(ada.alertIndexes()).toEqual(stays ? [0] : [])
  })

  it('is disconnected at the exact end of the subscription', async () => {
    addSubscriber('ada', 'a', 10_000)
    addSubscriber('eve', 'e')
    const [ada, eve] = [await listen('ada', 'a'), await listen('eve', 'e')]
    timers.advance(9_999)
    await issueAlerts(instance.ctx, 1)
    await ada.received('new_alert')
    timers.advance(1)
    await issueAlerts(instance.ctx, 1)
    await eve.received('new_alert', 2)
    expect((await ada.received('subscription_expired')).message).toBe('Your subscription has ended')
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
    expect(ada.alertIndexes()).toEqual([0])
  })

  it('receives no alert after the end of its subscription even if the timer is late', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e', 2 * HOUR_MS)
    const [ada, eve] = [await listen('ada', 'a'), await listen('eve', 'e')]
    clock.advance(HOUR_MS)
    await issueAlerts(instance.ctx, 1)
    await eve.received('new_alert')
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
    expect(ada.alertIndexes()).toEqual([])
  })

  it('continues without a gap into the next period, and receives its end date', async () => {
    addSubscriber('ada', 'a', 5_000)
    const ada = await listen('ada', 'a')
    addEntitlement('ada', 15_000)
    await instance.ctx.notifications.notify(instance.ctx.db, 'entitlement', 'account of ada')
    await issueAlerts(instance.ctx, 1)
    expect((await ada.received('subscription_status')).expiryDate).toBe('2026-01-15T12:00:15.000Z')
    timers.advance(10_000)
    await issueAlerts(instance.ctx, 1)
    await ada.received('new_alert', 2)
    expect(ada.alertIndexes()).toEqual([0, 1])
    timers.advance(5_000)
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
  })

  it('receives exactly the missed alerts and then new ones when it resumes', async () => {
    addSubscriber('ada', 'a')
    await issueAlerts(instance.ctx, 250)
    const ada = instance.connect('ada')
    await ada.authenticate(getWalletAddress('a'), 9)
    const issuing = issueAlerts(instance.ctx, 5)
    await ada.received('live')
    await issuing
    await issueAlerts(instance.ctx, 5)
    await ada.received('new_alert', 250)
    expect(ada.alertIndexes()).toEqual(Array.from({ length: 250 }, (_, index) => index + 10))
    expect((await ada.received('live')).recovered).toBe(true)
  })

  it('is notified when it missed too many alerts, and receives the index to resume from', async () => {
    addSubscriber('ada', 'a')
    await issueAlerts(instance.ctx, 1_500)
    instance = await startTestInstance()
    const ada = await listen('ada', 'a', 100)
    expect(ada.messages.at(-1)).toEqual({ type: 'live', lastIndex: 1_499, logId, recovered: false })
    await issueAlerts(instance.ctx, 1)
    await ada.received('new_alert')
    expect(ada.alertIndexes()).toEqual([1_500])
  })

  it('receives the highest index to resume from, although the newest delivery repeats an old alert', async () => {
    addSubscriber('ada', 'a')
    await issueAlerts(instance.ctx, 3)
    await repeatAlert(instance.ctx, 0)
    const ada = await listen('ada', 'a', undefined, await startTestInstance())
    expect(ada.messages.at(-1)).toEqual({ type: 'live', lastIndex: 2, logId, recovered: true })
  })

  it('is rate limited when it requests too much history, without affecting others', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    await issueAlerts(instance.ctx, 1_000)
    instance = await startTestInstance()
    const ada = await listen('ada', 'a', 0)
    for (let again = 1; again <= 5; again += 1) await ada.authenticate(getWalletAddress('a'), 0)
    const recovered = []
    for (let time = 1; time <= 6; time += 1) recovered.push((await ada.received('live', time)).recovered)
    expect(recovered).toEqual([true, true, true, true, true, false])
    expect(ada.alertIndexes()).toHaveLength(5 * 999)
    const eve = await listen('eve', 'e', 500)
    expect(eve.alertIndexes()).toHaveLength(499)
    await issueAlerts(instance.ctx, 1)
    await ada.received('new_alert', 5 * 999 + 1)
  })

  it.each<[string, number, string | undefined]>([
    ['an index above the newest', 3, undefined],
    ['the largest possible index', Number.MAX_SAFE_INTEGER, undefined],
    ['an index of another log', 1, `0x${'22'.repeat(32)}`],
  ])('that resumes from %s is told of a possible gap and receives new alerts', async (_name, lastIndex, ofLog) => {
    addSubscriber('ada', 'a')
    await issueAlerts(instance.ctx, 3)
    instance = await startTestInstance()
    const ada = instance.connect('ada')
    await ada.authenticate(getWalletAddress('a'), lastIndex, ofLog)
    expect(await ada.received('live')).toEqual({ type: 'live', lastIndex: 2, logId, recovered: false })
    await issueAlerts(instance.ctx, 1)
    await ada.received('new_alert')
    expect(ada.alertIndexes()).toEqual([3])
  })

  it('receives only the alerts from before the end of its subscription when it reconnects after the end', async () => {
    addSubscriber('ada', 'a', HOUR_MS / 2)
    await issueAlerts(instance.ctx, 3)
    timers.advance(HOUR_MS / 2 - 1)
    await issueAlerts(instance.ctx, 250)
    timers.advance(1)
    await issueAlerts(instance.ctx, 250)
    timers.advance(HOUR_MS / 2)
    const ada = instance.connect('ada')
    await ada.authenticate(getWalletAddress('a'), 2, logId)
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
    expect(ada.alertIndexes()).toEqual(Array.from({ length: 250 }, (_, index) => index + 3))
    const [first] = ada.messages
    expect(first).toEqual({ type: 'authenticated', planType: '24h', subscriptionExpiry: '2026-01-15T12:30:00.000Z' })
    expect(ada.messages.slice(-2)).toEqual([
      { type: 'subscription_expired', message: 'Your subscription has ended' },
      { type: 'authentication_failed', message: 'No active subscription' },
    ])
    const again = instance.connect('ada')
    await again.authenticate(getWalletAddress('a'), 252, logId)
    expect((await again.received('authentication_failed')).message).toBe('No active subscription')
    expect(again.messages).toHaveLength(1)
  })

  it('receives a missed repeat of an older alert when it reconnects after the end of its subscription', async () => {
    addSubscriber('ada', 'a')
    await issueAlerts(instance.ctx, 2)
    await instance.ctx.db.delete(deliveries).where(eq(deliveries.logIndex, 0))
    await repeatAlert(instance.ctx, 0)
    timers.advance(HOUR_MS)
    const ada = instance.connect('ada')
    await ada.authenticate(getWalletAddress('a'), 1, logId)
    await Promise.race([ada.closed, ada.received('authentication_failed')])
    expect(ada.alertIndexes()).toEqual([0])
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
  })

  it('is refused after it has received a repeated alert when it reconnects after the end of its subscription', async () => {
    addSubscriber('ada', 'a')
    await issueAlerts(instance.ctx, 2)
    await repeatAlert(instance.ctx, 0)
    timers.advance(HOUR_MS)
    const ada = instance.connect('ada')
    await ada.authenticate(getWalletAddress('a'), 1, logId)
    expect(await ada.closed).toBe(closeCodes.entitlementEnded)
    const types = ada.messages.map(({ type }) => type)
    expect(types).toEqual(['authenticated', 'new_alert', 'subscription_expired', 'authentication_failed'])
    expect(ada.alertIndexes()).toEqual([0])
    expect(ada.messages.at(-1)).toEqual({ type: 'authentication_failed', message: 'No active subscription' })
  })

  it('receives alerts that another instance issued', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const other = await startTestInstance()
    const [here, there] = [await listen('ada', 'a'), await listen('eve', 'e', undefined, other)]
    await issueAlerts(instance.ctx, 2)
    await issueAlerts(other.ctx, 2)
    await Promise.all([here.received('new_alert', 4), there.received('new_alert', 4)])
    expect(here.alertIndexes()).toEqual([0, 1, 2, 3])
    expect(there.alertIndexes()).toEqual([0, 1, 2, 3])
    await instance.ctx.notifications.notify(instance.ctx.db, 'session', getSession('eve'))
    expect(await there.closed).toBe(closeCodes.sessionEnded)
  })

  it('receives alerts even if the notification was lost', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    const silent = { ...instance.ctx, notifications: { ...instance.ctx.notifications, notify: async () => {} } }
    await issueAlerts(silent, 1)
    timers.advance(5_000)
    await ada.received('new_alert')
  })
})

describe('an API client without a session cookie', () => {
  const connectGreeted = async () => {
    const client = instance.connect(null, { origin: null })
    await client.received('challenge')
    return client
  }

  it('is disconnected when it does not authenticate within a minute', async () => {
    const client = await connectGreeted()
    timers.advance(59_999)
    await client.receiveAll()
    expect(client.ws.readyState).toBe(client.ws.OPEN)
    timers.advance(1)
    expect(await client.closed).toBe(closeCodes.policy)
  })

  it('is disconnected when the contract of its wallet no longer confirms the signature', async () => {
    const contracts = new Map([[getWalletAddress('c'), true]])
    accounts.contracts = contracts
    await instance.stop()
    instances.splice(0)
    instance = await startTestInstance()
    addEntitlement('carl', 2 * HOUR_MS)
    accounts.owners.set(getWalletAddress('c'), 'account of carl')
    const client = await connectGreeted()
    client.send({ type: 'auth', walletAddress: getWalletAddress('c'), message: 'as asked', signature: '0x00' })
    await client.received('live')
    const passFiveMinutes = async (receivedCount: number) => {
      for (let half = 0; half < 10; half++) {
        const answered = new Promise((resolve) => client.ws.once('ping', resolve))
        timers.advance(30_000)
        await Promise.race([answered, client.closed])
        if (client.ws.readyState !== client.ws.OPEN) return
        client.send({ type: 'auth', walletAddress: 'none', message: '', signature: '' })
        await Promise.race([client.received('authentication_failed', receivedCount + half), client.closed])
      }
    }
    await passFiveMinutes(1)
    expect(client.ws.readyState).toBe(client.ws.OPEN)
    contracts.set(getWalletAddress('c'), false)
    await passFiveMinutes(11)
    expect(await client.closed).toBe(closeCodes.sessionEnded)
  })

  it('may connect at most 120 times a minute from one address', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 121 }, () => instance.connect(null, { origin: null }).opened),
    )
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
  })
})

describe('sixty clients', () => {
  it('receive exactly the alerts that each of them may read', async () => {
    const crowd = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const name = `person ${index}`
        addAccount(name, 'a')
        const lifetimeSeconds = index % 3 === 0 ? 0 : (index % 7) + 1
        if (lifetimeSeconds > 0) addEntitlement(name, lifetimeSeconds * 1_000)
        const client = instance.connect(name)
        await client.authenticate(getWalletAddress('a'))
        await client.received(lifetimeSeconds > 0 ? 'live' : 'authentication_failed')
        return { client, lives: lifetimeSeconds }
      }),
    )
    addSubscriber('witness', 'b')
    const witness = await listen('witness', 'b')
    for (let second = 0; second < 9; second++) {
      await issueAlerts(instance.ctx, 10)
      await witness.received('new_alert', (second + 1) * 10)
      timers.advance(1_000)
    }
    for (const { client, lives } of crowd) {
      await (lives > 0 ? client.closed : client.receiveAll())
      expect(client.alertIndexes()).toEqual(Array.from({ length: lives * 10 }, (_, index) => index))
    }
  })
})

describe('a stream connection', () => {
  it.each(['', 'hello', '[]', '{"type":"new_alert"}', '{"type":"__proto__"}'])('closes on message %j', async (text) => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    ada.ws.send(text)
    expect(await ada.closed).toBe(closeCodes.policy)
  })

  it('is closed when the client sends a binary message', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    ada.ws.send(Buffer.from('{}'))
    expect(await ada.closed).toBe(closeCodes.policy)
  })

  it('stays open when the client sends a malformed authenticate message', async () => {
    addSubscriber('ada', 'a')
    const ada = instance.connect('ada')
    await ada.authenticate('mine')
    expect((await ada.received('authentication_failed')).message).toContain('walletAddress')
    await ada.authenticate(getWalletAddress('a'))
    await ada.received('live')
  })

  it('is closed when the client sends more than 100 messages a minute', async () => {
    addSubscriber('ada', 'a')
    const ada = instance.connect('ada')
    await ada.opened
    for (let count = 0; count < 1_000; count++) ada.ws.send('{"type":"authenticate"}')
    expect(await ada.closed).toBe(closeCodes.policy)
    expect(ada.messages).toHaveLength(100)
  })

  it('is closed when the client floods the server with pings', async () => {
    addSubscriber('ada', 'a')
    const ada = instance.connect('ada')
    await ada.opened
    for (let count = 0; count < 1_000; count++) ada.ws.ping()
    await ada.closed
  })

  it('is closed when the client floods the server with unsolicited pongs', async () => {
    addSubscriber('ada', 'a')
    const ada = instance.connect('ada')
    await ada.opened
    for (let count = 0; count < 1_000; count++) ada.ws.pong()
    expect(await ada.closed).toBe(closeCodes.policy)
  })

  it('is reset when the client keeps sending after the close', async () => {
    addSubscriber('ada', 'a')
    const ada = instance.connect('ada')
    await ada.opened
    const reset = ada.brokenOff()
    const ping = Buffer.from([0x89, 0x80, 0, 0, 0, 0])
    const malformed = Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x7b])
    ada.sendRaw(Buffer.concat([malformed, ...Array.from({ length: 1_100 }, () => ping)]))
    expect(await reset).toMatchObject({ code: 'ECONNRESET' })
  })

  it('is closed when a message has more than 16 KiB', async () => {
    addSubscriber('ada', 'a')
    const ada = instance.connect('ada')
    await ada.opened
    ada.ws.send('x'.repeat(16 * 1024 + 1))
    expect(await ada.closed).toBe(1009)
  })

  it('is closed when a message has more than 16 fragments', async () => {
    addSubscriber('ada', 'a')
    const ada = instance.connect('ada')
    await ada.opened
    for (let piece = 0; piece < 20; piece++) ada.ws.send('x', { fin: false })
    expect(await ada.closed).toBe(closeCodes.policy)
  })

  it('is closed when it is the oldest of five and the account opens a sixth', async () => {
    addSubscriber('ada', 'a')
    const first = await listen('ada', 'a')
    const others = []
    for (let count = 0; count < 5; count++) others.push(await listen('ada', 'a'))
    expect(await first.closed).toBe(closeCodes.tooManySockets)
    expect(instance.live.connected()).toBe(5)
    await issueAlerts(instance.ctx, 1)
    for (const other of others) await other.received('new_alert')
  })

  it('is closed when the client does not respond to pings', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const ada = await listen('ada', 'a')
    const eve = await listen('eve', 'e')
    ada.ws.pause()
    for (let count = 0; count < 3; count++) {
      const answered = new Promise((resolve) => eve.ws.once('ping', resolve))
      timers.advance(30_000)
      await answered
      await eve.authenticate(getWalletAddress('e'))
      await eve.received('live', count + 2)
    }
    expect(instance.live.connected()).toBe(1)
    ada.ws.terminate()
  })

  it('is closed within two seconds of the end of its session, without a notification', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const setSessionEnd = (name: string, inMs: number) => {
      const actor = accounts.actors.get(name)
      if (actor) accounts.actors.set(name, { ...actor, sessionEndsAt: new Date(clock.now().getTime() + inMs) })
    }
    setSessionEnd('ada', 30_000)
    setSessionEnd('eve', 30_000)
    const ada = await listen('ada', 'a')
    const eve = await listen('eve', 'e')
    // A request of Eve's page extends her session.
    setSessionEnd('eve', 60_000)
    timers.advance(29_999)
    expect(instance.live.connected()).toBe(2)
    timers.advance(2_001)
    expect(await ada.closed).toBe(closeCodes.sessionEnded)
    timers.advance(26_000)
    await expect.poll(() => instance.live.connected()).toBe(1)
    timers.advance(4_000)
    expect(await eve.closed).toBe(closeCodes.sessionEnded)
  })

  it('is closed when its session was deleted and the notification is lost', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    for (let count = 0; count < 9; count++) {
      const answered = new Promise((resolve) => ada.ws.once('ping', resolve))
      timers.advance(30_000)
      await answered
      await ada.authenticate(getWalletAddress('a'))
      await ada.received('live', count + 2)
    }
    expect(instance.live.connected()).toBe(1)
    accounts.actors.delete('ada')
    timers.advance(30_000)
    expect(await ada.closed).toBe(closeCodes.sessionEnded)
  })

  it('is closed after the end of its session even if the first two checks of the session fail', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    accounts.actors.delete('ada')
    let failureCount = 0
    accounts.beforeSessionEnds = () => {
      failureCount += 1
      throw new Error('The database does not respond')
    }
    await instance.ctx.notifications.notify(instance.ctx.db, 'session', '')
    await expect.poll(() => failureCount).toBe(1)
    timers.advance(2_000)
    await expect.poll(() => failureCount).toBe(2)
    delete accounts.beforeSessionEnds
    timers.advance(2_000)
    expect(await ada.closed).toBe(closeCodes.sessionEnded)
  })

  it('is closed when the client does not read, without affecting others', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const ada = await listen('ada', 'a')
    const eve = await listen('eve', 'e')
    ada.ws.pause()
    for (let issued = 0; instance.live.connected() === 2 && issued < 10_000; issued += 100) {
      await issueAlerts(instance.ctx, 100, 'x'.repeat(20_000))
      await eve.received('new_alert', issued + 100)
    }
    expect(instance.live.connected()).toBe(1)
    ada.ws.terminate()
  })

  it('is closed within 15 s when the kernel of the client accepts an alert that the client never reads', async () => {
    addSubscriber('ada', 'a')
    addSubscriber('eve', 'e')
    const [ada, eve] = [await listen('ada', 'a'), await listen('eve', 'e')]
    const startedAt = performance.now()
    let passedMs = 0
    const time = vi.spyOn(performance, 'now').mockImplementation(() => startedAt + passedMs)
    try {
      ada.ws.pause()
      await issueAlerts(instance.ctx, 1)
      await eve.received('new_alert')
      const passSecond = async (lives: number) => {
        passedMs += 1_000
        timers.advance(1_000)
        // Wait for a reply: Eve's client answers the server's ping before it receives the reply.
        await eve.authenticate(getWalletAddress('e'))
        await eve.received('live', lives)
      }
      for (let second = 1; second <= 9; second++) await passSecond(second + 1)
      expect(instance.live.connected()).toBe(2)
      for (let second = 10; second <= 15; second++) await passSecond(second + 1)
      expect(instance.live.connected()).toBe(1)
    } finally {
      time.mockRestore()
      ada.ws.terminate()
    }
    // On a busy machine, the fifteen seconds may end before the database has answered a read. Until
    // the next read, the instance rejects new sockets.
    await expect
      .poll(() => {
        timers.advance(1_000)
        return instance.live.problem()
      })
      .toBeNull()
    // The client can reconnect.
    const reconnectedClient = await listen('ada', 'a', undefined)
    expect(reconnectedClient.messages[0]?.type).toBe('authenticated')
  })

  it.each<[string, number[], number]>([
    ['a frame of a hundred MiB', [0x81, 0xff, 0, 0, 0, 0, 0x06, 0x40, 0, 0, 1, 2, 3, 4], 1009],
    ['a compressed frame without negotiation', [0xc1, 0x81, 1, 2, 3, 4, 0x41], 1002],
    ['a frame without a mask', [0x81, 0x01, 0x41], 1002],
    ['a frame with an unknown opcode', [0x83, 0x81, 1, 2, 3, 4, 0x41], 1002],
    ['a text frame that is not UTF-8', [0x81, 0x81, 0, 0, 0, 0, 0xff], 1007],
    ['a fragmented control frame', [0x09, 0x80, 1, 2, 3, 4], 1002],
  ])('is closed immediately when the client sends %s', async (_name, frame, code) => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    ada.sendRaw(Buffer.from(frame))
    expect(await ada.closed).toBe(code)
  })

  it('has no compression', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    expect(ada.ws.extensions).toBe('')
  })

  it('is closed with a restart code when the database has lost alerts that were sent', async () => {
    addSubscriber('ada', 'a')
    await issueAlerts(instance.ctx, 1)
    const ada = await listen('ada', 'a')
    await issueAlerts(instance.ctx, 1)
    // Wait for alert 1. Alert 0, issued before the client connected, may also arrive.
    await expect.poll(() => ada.alertIndexes()).toContain(1)
    await instance.ctx.db.delete(deliveries).where(eq(deliveries.logIndex, 1))
    instance.ctx.notifications.heartbeat()
    expect(await ada.closed).toBe(closeCodes.restart)
    expect((await listen('ada', 'a')).alertIndexes()).toEqual([])
  })

  it('is closed with a restart code when the server stops', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    await instance.live.close()
    expect(await ada.closed).toBe(closeCodes.restart)
    expect(await instance.connect('ada').opened).toBe(503)
  })
})

describe('live prices', () => {
  const reportPrice = (price: string) => {
    const at = clock.now().toISOString()
    reportPrices({ at, prices: [{ venue: 'binance', market: 'BTC/USDT', price, at }] })
  }
  const getPrices = ({ messages }: { messages: ServerMessage[] }) =>
    messages.flatMap((message) => (message.type === 'prices' ? message.prices.map(({ price }) => price) : []))

  it('are sent to a subscriber, but not to an account without a plan or to an unauthenticated socket', async () => {
    addSubscriber('ada', 'a')
    addAccount('bob', 'b')
    const [ada, bob, eve] = [await listen('ada', 'a'), instance.connect('bob'), instance.connect('ada')]
    await bob.authenticate(getWalletAddress('b'))
    await bob.received('authentication_failed')
    await eve.opened
    reportPrice('1')
    await ada.received('prices')
    await Promise.all([bob.receiveAll(), eve.receiveAll()])
    expect([ada, bob, eve].map(getPrices)).toEqual([['1'], [], []])
  })

  it('are not sent after the end of the plan, even if the timer for the end has not fired', async () => {
    addSubscriber('ada', 'a', 1_000)
    const ada = await listen('ada', 'a')
    reportPrice('1')
    await ada.received('prices')
    clock.advance(1_000)
    reportPrice('2')
    await ada.receiveAll()
    expect(getPrices(ada)).toEqual(['1'])
  })

  it('are left out, not queued, while the rights of a socket are read again', async () => {
    addSubscriber('ada', 'a')
    const ada = await listen('ada', 'a')
    const entitlement = accounts.entitlements.get('account of ada')
    const entitlementSpy = vi.spyOn(accounts.entitlements, 'get').mockImplementationOnce(() => {
      reportPrice('1')
      return entitlement
    })
    await instance.ctx.notifications.notify(instance.ctx.db, 'entitlement', 'account of ada')
    await expect.poll(() => entitlementSpy.mock.calls.length).toBeGreaterThan(0)
    await expect
      .poll(() => {
        reportPrice('2')
        return getPrices(ada)
      })
      .toContain('2')
    expect(getPrices(ada)).not.toContain('1')
  })
})
