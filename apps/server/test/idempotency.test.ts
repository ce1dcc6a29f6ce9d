import { createHash } from 'node:crypto'
import { type EndpointName, endpoints } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscription, type FakeClock, fakeClock, type TestClient } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deliveries } from '../src/db/schema/alerts.ts'
import { planGrants } from '../src/db/schema/coupons.ts'
import { idempotentAnswers } from '../src/db/schema/server.ts'
import { subscriptions } from '../src/db/schema/subscriptions.ts'
import { supportMessages } from '../src/db/schema/support.ts'
import type { Failpoint } from '../src/failpoint.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { deleteExpiredResponses } from '../src/http/idempotency.ts'
import { claimKey } from '../src/http/idempotency-store.ts'
import { listOutbox } from '../src/mail/outbox.ts'
import { type RawAnswer, send } from './raw-client.ts'

/** Tests creating calls that are repeated with the same Idempotency-Key, on the whole server. */

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let admin: TestClient
/** The failpoint at which the server fails once, as in a crash between two steps. */
let failAt: Failpoint | null = null

beforeAll(async () => {
  clock = fakeClock(new Date())
  const failpoint = (at: Failpoint) => {
    if (at !== failAt) return
    failAt = null
    throw new Error(`Failed at ${at}`)
  }
  server = await startTestServer(parts, { http: { trustedProxies: 1 } }, { clock, failpoint })
  admin = await server.signInAdmin()
})
afterAll(() => server?.close())

let keyCount = 0
const createKey = () => {
  keyCount += 1
  return `key-${keyCount}`
}

interface PostOptions {
  by?: TestClient | null
  network?: string
  id?: string
  url?: string
}

function post(
  name: EndpointName,
  key: string,
  body: object,
  { by = admin, network = '10.1.1.1', id = '', url = server.url }: PostOptions = {},
) {
  const headers = {
    origin: url,
    'content-type': 'application/json',
    'idempotency-key': key,
    'x-forwarded-for': network,
    ...(by ? { cookie: by.cookie() } : {}),
  }
  const path = endpoints[name].path.replace(':id', id)
  return send(url, { method: 'POST', path, headers, body: JSON.stringify(body) })
}

const alert = { asset: 'BTC', summary: 'Volume 4× its mean', confidence: 87.5, priority: 'high' }
const countAlerts = async () => (await admin.call('adminStats')).totalAlerts
const getCode = ({ body }: RawAnswer) => JSON.parse(body).code ?? null
const isReplay = ({ headers }: RawAnswer) => headers['idempotency-replayed'] === 'true'

async function addUser(name: string): Promise<{ id: string; client: TestClient }> {
  const login = { email: `${name}@example.com`, password: 'a bell that rings at noon' }
  const id = await createAccount(server.ctx, { ...login, name, role: 'user', verified: true })
  const client = server.createClient()
  await client.call('login', { body: login })
  return { id, client }
}

describe('an idempotency key', () => {
  test.each([
    ['with a space', 'two words'],
    ['of 201 characters', 'k'.repeat(201)],
    ['empty', ''],
    ['outside ASCII', 'clé'],
  ])('%s is malformed', async (_name, key) => {
    const countBefore = await countAlerts()
    expect((await post('createAlert', key, alert)).status).toBe(400)
    expect(await countAlerts()).toBe(countBefore)
  })

  test('of 200 characters is accepted', async () => {
    expect((await post('createAlert', 'k'.repeat(200), alert)).status).toBe(201)
  })

  test('is rejected when it was used for another body, alert or call', async () => {
    const key = createKey()
    const firstAlert = JSON.parse((await post('createAlert', key, alert)).body).alert
    const countBefore = await countAlerts()
    const otherResponses = [
      await post('createAlert', key, { ...alert, confidence: 87.4 }),
      await post('createAlert', key, { ...alert, broadcast: false }),
      await post('correctAlert', key, alert, { id: firstAlert.id }),
      await post('broadcastAlert', key, {}, { id: firstAlert.id }),
    ]
    expect(otherResponses.map((answer) => [answer.status, getCode(answer)])).toEqual(
      Array(4).fill([422, 'idempotency_mismatch']),
    )
    expect(await countAlerts()).toBe(countBefore)
  })

  test('is separate for each account, and for each network without a session', async () => {
    const [key, firstUser, secondUser] = [createKey(), await addUser('one'), await addUser('two')]
    const message = { name: 'Ada', email: 'ada@example.com', subject: 'Plan', message: 'When does it end?' }
    const countBefore = await server.ctx.db.$count(supportMessages)
    const callers: PostOptions[] = [
      { by: firstUser.client },
      { by: secondUser.client },
      { by: null },
      { by: null, network: '10.9.9.9' },
    ]
    const answers = await Promise.all(callers.map((caller) => post('contactSupport', key, message, caller)))
    expect(answers.map(isReplay)).toEqual([false, false, false, false])
    expect(await server.ctx.db.$count(supportMessages)).toBe(countBefore + 4)
    expect(getCode(await post('createAlert', createKey(), alert, { by: firstUser.client }))).toBe('admin_required')
  })

  test('returns its stored response only to callers who may still make the call', async () => {
    const key = createKey()
    await post('createAlert', key, alert)
    expect(getCode(await post('createAlert', key, alert, { by: null }))).toBe('not_signed_in')
    const { client } = await addUser('curious')
    expect(getCode(await post('createAlert', key, alert, { by: client }))).toBe('admin_required')
  })

  test('of a rejected call can be used again', async () => {
    const { id } = await addUser('subscriber')
    const key = createKey()
    const extend = () => post('extendSubscription', key, { additionalHours: 6 }, { id })
    expect(getCode(await extend())).toBe('no_active_subscription')
    await addSubscription(server.ctx, id, HOUR_MS)
    expect((await extend()).status).toBe(200)
  })
})

test('idempotency: a repeated request gets the first response and creates one alert, also concurrently', async () => {
  const key = createKey()
  const countBefore = await countAlerts()
  const concurrentResponses = await Promise.all(Array.from({ length: 20 }, () => post('createAlert', key, alert)))
  const laterResponse = await post('createAlert', key, alert)
  expect(new Set([...concurrentResponses, laterResponse].map(({ status, body }) => `${status} ${body}`)).size).toBe(1)
  expect(concurrentResponses.filter((answer) => !isReplay(answer))).toHaveLength(1)
  expect(laterResponse.status).toBe(201)
  expect(isReplay(laterResponse)).toBe(true)
  expect(await countAlerts()).toBe(countBefore + 1)
})

test('idempotency: a request is repeated at an instance with swapped APP_SECRETs', async () => {
  const { databaseUrl, appSecret } = server.ctx.config
  const newSecret = 'n'.repeat(64)
  server.ctx.config.appSecretPrevious = newSecret
  const swappedSecrets = { appSecret: newSecret, appSecretPrevious: appSecret }
  const otherServer = await startTestServer(parts, { databaseUrl, ...swappedSecrets }, { clock })
  try {
    for (const [first, second] of [
      [server, otherServer],
      [otherServer, server],
    ] as const) {
      const key = createKey()
      const firstResponse = await post('createAlert', key, alert, { url: first.url })
      const repeatedResponse = await post('createAlert', key, alert, { url: second.url })
      expect([repeatedResponse.body, isReplay(repeatedResponse)]).toEqual([firstResponse.body, true])
      const otherRequest = await post('createAlert', key, { ...alert, confidence: 1 }, { url: second.url })
      expect(getCode(otherRequest)).toBe('idempotency_mismatch')
    }
  } finally {
    server.ctx.config.appSecretPrevious = null
    await otherServer.close()
  }
})

test('idempotency: concurrent alerts with different keys are all created', async () => {
  const countBefore = await countAlerts()
  const keys = Array.from({ length: 10 }, createKey)
  const answers = await Promise.all([...keys, ...keys].map((key) => post('createAlert', key, alert)))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
  expect(await countAlerts()).toBe(countBefore + 10)
})

test.each<[Failpoint, number]>([
  ['append: before commit', 0],
  ['append: after commit', 1],
])('idempotency: a call that fails at "%s" takes effect once when it is repeated', async (at, effects) => {
  const key = createKey()
  const countBefore = await countAlerts()
  failAt = at
  expect((await post('createAlert', key, alert)).status).toBe(500)
  expect(await countAlerts()).toBe(countBefore + effects)
  const repeatedResponse = await post('createAlert', key, alert)
  expect([repeatedResponse.status, isReplay(repeatedResponse)]).toEqual([201, effects === 1])
  expect(JSON.parse(repeatedResponse.body).alert).toMatchObject(alert)
  expect(await countAlerts()).toBe(countBefore + 1)
})

test('idempotency: a correction or retraction is issued once when it is sent twice with the same key', async () => {
  const { id } = JSON.parse((await post('createAlert', createKey(), alert)).body).alert
  const headBefore = await admin.call('logHead')
  const postTwice = async (name: EndpointName, body: object) => {
    const key = createKey()
    const [first, second] = [await post(name, key, body, { id }), await post(name, key, body, { id })]
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body])
  }
  await postTwice('correctAlert', { ...alert, confidence: 50 })
  await postTwice('retractAlert', { reason: 'The feed had read a stale order book.' })
  expect((await admin.call('logHead')).size).toBe(headBefore.size + 2)
})

describe('concurrent requests with the same idempotency key', () => {
  const sendConcurrently = (send: () => Promise<RawAnswer>) => Promise.all(Array.from({ length: 5 }, send))
  const expectOneExecution = (answers: RawAnswer[], status: number) => {
    const doneResponses = answers.filter((answer) => answer.status === status)
    const running = answers.filter((answer) => getCode(answer) === 'idempotency_running')
    expect(doneResponses.length + running.length, JSON.stringify(answers.map(({ body }) => body))).toBe(answers.length)
    expect(doneResponses.filter((answer) => !isReplay(answer))).toHaveLength(1)
    expect(new Set(doneResponses.map(({ body }) => body)).size).toBe(1)
  }

  test('broadcast an alert once', async () => {
    const { id } = JSON.parse((await post('createAlert', createKey(), alert)).body).alert
    const countBefore = await server.ctx.db.$count(deliveries)
    const key = createKey()
    expectOneExecution(await sendConcurrently(() => post('broadcastAlert', key, {}, { id })), 200)
    expect(await server.ctx.db.$count(deliveries)).toBe(countBefore + 1)
  })

  test('extend a subscription once', async () => {
    const { id, client } = await addUser('extended')
    await addSubscription(server.ctx, id, HOUR_MS)
    const readPlanEnd = async () =>
      new Date((await client.call('activeSubscription', { params: { userId: id } }))?.endTime ?? 0)
    const endBefore = await readPlanEnd()
    const key = createKey()
    expectOneExecution(
      await sendConcurrently(() => post('extendSubscription', key, { additionalHours: 6 }, { id })),
      200,
    )
    expect((await readPlanEnd()).getTime() - endBefore.getTime()).toBe(6 * HOUR_MS)
  })

  test('store one support message', async () => {
    const countBefore = await server.ctx.db.$count(supportMessages)
    const key = createKey()
    const message = { name: 'Ada', email: 'once@example.com', subject: 'Plan', message: 'When does it end?' }
    expectOneExecution(
      await sendConcurrently(() => post('contactSupport', key, message, { by: null, network: '10.2.2.2' })),
      200,
    )
    expect(await server.ctx.db.$count(supportMessages)).toBe(countBefore + 1)
  })

  test('send one sign-up email, and store no plain hash of the request', async () => {
    const key = createKey()
    const form = { email: 'signs-up@example.com', password: 'a bell that rings at noon', name: 'Ada' }
    const sendSignUp = () => post('register', key, form, { by: null, network: '10.3.3.3' })
    expectOneExecution(await sendConcurrently(sendSignUp), 200)
    expect(isReplay(await sendSignUp())).toBe(true)
    // Readers of the table must not be able to test passwords against a plain hash of the request.
    const rows = await server.ctx.db.select().from(idempotentAnswers)
    const [row] = rows.filter((one) => one.key === key)
    const content = JSON.stringify(['POST', endpoints.register.path, form])
    expect(row?.request).toMatch(/^[0-9a-f]{64}$/)
    expect(row?.request).not.toBe(createHash('sha256').update(content).digest('hex'))
    expect(JSON.stringify(row)).not.toContain(form.password)
    await expect
      .poll(async () => (await listOutbox(server.outboxDir)).filter(({ to }) => to === form.email))
      .toHaveLength(1)
  })

  test('grant one plan when a coupon pays for it', async () => {
    const expiresAt = new Date(clock.now().getTime() + HOUR_MS).toISOString()
    const coupon = { code: 'ONE-KEY', percent: 100, planTypes: ['6h' as const], maxUses: 5, maxUsesPerAccount: 1 }
    await admin.call('createCoupon', { body: { ...coupon, expiresAt, note: 'Trial' } })
    const { client } = await addUser('trier')
    const key = createKey()
    const body = { planType: '6h', couponCode: coupon.code }
    const redeem = () => post('redeemCoupon', key, body, { by: client, network: '10.6.6.6' })
    expectOneExecution(await sendConcurrently(redeem), 200)
    expect(isReplay(await redeem())).toBe(true)
    expect(await server.ctx.db.$count(planGrants)).toBe(1)
  })

  test('start one subscription when they report a transaction hash', async () => {
    const { client } = await addUser('buyer')
    await client.proveWallet(parts.chain.wallet(3))
    // Count the subscriptions before the payment, because the watcher may credit the payment before
    // the report arrives.
    const countBefore = await server.ctx.db.$count(subscriptions)
    const { transactionHash } = await parts.chain.pay({ from: 3, amountWei: 10n ** 19n })
    const key = createKey()
    const purchase = { planType: '6h', transactionHash }
    expectOneExecution(await sendConcurrently(() => post('subscribe', key, purchase, { by: client })), 201)
    expect(await server.ctx.db.$count(subscriptions)).toBe(countBefore + 1)
  })
})

describe('idempotency: a call whose response contains a secret', () => {
  const webhook = { name: 'My bot', url: 'https://bot.example.com/tocsin' }
  const addWebhook = async (client: TestClient) =>
    (await client.call('createDestination', { body: webhook })).destination.id
  const issueAlertForId = async () => JSON.parse((await post('createAlert', createKey(), alert)).body).alert.id
  const bodies = {
    createApiKey: { name: 'Bot', scopes: ['stream'], requestsPerMinute: 60 },
    createDestination: webhook,
  }
  test.each([
    ['createApiKey', bodies.createApiKey, async () => ''],
    ['createDestination', bodies.createDestination, async () => ''],
    ['rotateDestinationSecret', {}, addWebhook],
    ['createPrivateFeed', {}, async () => ''],
    ['shareAlert', {}, issueAlertForId],
  ] as const)('takes effect once and is not stored: %s', async (name, body, prepare) => {
    const { id: accountId, client } = await addUser(name.toLowerCase())
    await addSubscription(server.ctx, accountId, HOUR_MS)
    const id = await prepare(client)
    const [key, secondKey] = [createKey(), createKey()]
    const callWithKey = (usedKey: string) => post(name, usedKey, body, { by: client, id })
    const countActivity = async () => (await client.call('listActivity')).length
    const countBefore = await countActivity()
    const answers = await Promise.all(Array.from({ length: 3 }, () => callWithKey(key)))
    answers.push(await callWithKey(key))
    expect(answers.map(getCode).sort()).toEqual([...Array(3).fill('idempotency_secret'), null])
    expect(await countActivity()).toBe(countBefore + 1)
    const first = answers.find((answer) => getCode(answer) === null)
    const { secret, token, url } = JSON.parse(first?.body ?? '')
    const rows = JSON.stringify(await server.ctx.db.select().from(idempotentAnswers))
    expect(rows).not.toContain(secret ?? token ?? url)
    expect((await callWithKey(secondKey)).status).toBe(200)
    expect(await countActivity()).toBe(countBefore + 2)
  })
})

test.each([
  ['answers', 200],
  ['fails', 503],
] as const)(
  'idempotency: a slow call that %s does not change the key after another call has taken over its lease',
  async (end, status) => {
    const key = createKey()
    const form = { email: `${end}@example.com`, password: 'a bell that rings at noon', name: 'Ada' }
    const { db } = server.ctx
    const findRow = async () => (await db.select().from(idempotentAnswers)).find((row) => row.key === key)
    const { slow } = await db.transaction(async (tx) => {
      await tx.execute(sql`lock table pending_sign_ups in access exclusive mode`)
      const slowCall = post('register', key, form, { by: null, network: '10.5.5.5' })
      const lockWaitersSql = sql`select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await db.execute(lockWaitersSql)).rowCount).toBe(1)
      const row = await findRow()
      if (!row) throw new Error('The key was not claimed')
      clock.advance(61_000)
      expect(await claimKey(db, { ...row, createdAt: clock.now() }, new Date(0))).toBe(true)
      if (end === 'fails') await db.execute(sql`select pg_terminate_backend(pid) from (${lockWaitersSql}) as waiting`)
      return { slow: slowCall }
    })
    expect((await slow).status).toBe(status)
    expect(await findRow()).toMatchObject({ answer: null, createdAt: clock.now() })
  },
)

test('idempotency: stored responses are deleted with their account', async () => {
  const { client, id } = await addUser('leaver')
  const message = { name: 'Ada', email: 'leaver@example.com', subject: 'Bye', message: 'I leave.' }
  expect((await post('contactSupport', createKey(), message, { by: client, network: '10.4.4.4' })).status).toBe(200)
  const listOwnRows = async () =>
    (await server.ctx.db.select().from(idempotentAnswers)).filter(({ caller }) => caller === id)
  expect(await listOwnRows()).toHaveLength(1)
  await client.call('confirm', { body: { password: 'a bell that rings at noon' } })
  await client.call('deleteAccount', { body: { confirmation: 'delete my account' } })
  expect(await listOwnRows()).toEqual([])
})

test('idempotency: a key expires after 24 hours', async () => {
  const key = createKey()
  const firstResponse = await post('createAlert', key, alert)
  clock.advance(24 * HOUR_MS - 60_000)
  admin = await server.signInAdmin()
  const lateResponse = await post('createAlert', key, alert)
  expect([lateResponse.status, lateResponse.body]).toEqual([201, firstResponse.body])
  clock.advance(120_000)
  const expiredKeyResponse = await post('createAlert', key, { ...alert, confidence: 10 })
  expect([expiredKeyResponse.status, isReplay(expiredKeyResponse)]).toEqual([201, false])
  clock.advance(25 * HOUR_MS)
  await deleteExpiredResponses(server.ctx)
  expect(await server.ctx.db.$count(idempotentAnswers)).toBe(0)
})
