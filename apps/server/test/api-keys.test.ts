import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ApiKeyScope,
  apiKeyScopes,
  deletePhrase,
  type Endpoint,
  type EndpointName,
  endpoints,
} from '@tocsin/protocol'
import { DAY_MS, HOUR_MS } from '@tocsin/protocol/durations'
import { addSubscription, type FakeClock, fakeClock, startTestSession } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer, type TestUser } from '@tocsin/testkit/server'
import { eq, sql } from 'drizzle-orm'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiKeys } from '../src/db/schema/api-keys.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { createApiKey, type NewKey } from '../src/features/api-keys/service.ts'
import { listOutbox } from '../src/mail/outbox.ts'
import { type RawAnswer, send } from './raw-client.ts'
import { issueTestAlert } from './support/issue-test-alert.ts'

/** Tests API keys over HTTP, against the whole server. */

const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
const logged: string[] = []
const MARKER = 'zqfreshqz'
let alert: { id: string; logIndex: number }
let accountCount = 0
let networkCount = 0

beforeAll(async () => {
  clock = fakeClock(new Date())
  const logger = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
  server = await startTestServer(parts, { http: { trustedProxies: 1 } }, { clock, logger })
  alert = await issueTestAlert(server.ctx, MARKER)
})
afterAll(() => server?.close())

const signUp = ({ withPlan = true, role = 'user' as 'user' | 'admin' } = {}) =>
  server.addUser({ role, planMs: withPlan ? HOUR_MS : null })

const keyFields = { name: 'Bot', scopes: [...apiKeyScopes] as ApiKeyScope[], requestsPerMinute: 60 }

/** Creates a key without a request, because the call has a limit for each network. */
async function createKey({ accountId }: Pick<TestUser, 'accountId'>, change: Partial<NewKey> = {}) {
  const auditActor = { actorId: accountId, requestId: 'test' }
  const owner = await startTestSession(server.ctx, accountId)
  const { key, secret } = await createApiKey(server.ctx, owner, auditActor, { ...keyFields, ...change })
  return { ...key, secret }
}

/**
 * Sends a request with a key. Each request comes from another network, because limits by network
 * have their own test.
 */
function callWith(secret: string, path: string, more: { method?: string; headers?: object; body?: string } = {}) {
  networkCount += 1
  const headers = {
    authorization: `Bearer ${secret}`,
    'x-forwarded-for': `198.18.${networkCount >> 8}.${networkCount & 255}`,
    ...more.headers,
  }
  const method = more.method ?? 'GET'
  return send(server.url, { method, path, headers, ...(more.body === undefined ? {} : { body: more.body }) })
}

async function readMails(): Promise<string[]> {
  // Excludes incomplete files: an email gets its final name when it was written completely.
  const files = (await readdir(server.outboxDir)).filter((file) => !file.endsWith('.part'))
  return Promise.all(files.map((file) => readFile(join(server.outboxDir, file), 'utf8')))
}

/** Returns every row of the database as text, including those of the job queue. */
async function readAllRows(): Promise<string> {
  const { rows: tables } = await server.ctx.db.execute<{ schema: string; name: string }>(
    sql`select schemaname as schema, tablename as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const texts = await Promise.all(
    tables.map(({ schema, name }) =>
      server.ctx.db.execute(sql`select t::text as row from ${sql.identifier(schema)}.${sql.identifier(name)} t`),
    ),
  )
  return JSON.stringify(texts.map(({ rows }) => rows))
}

const LIST_PATH = '/api/alerts/recent?limit=100'
const getCode = ({ body: text }: RawAnswer) => (text.startsWith('{') ? JSON.parse(text).code : undefined)

test('API key: each route accepts only keys with its scope, and a route without a scope accepts none', async () => {
  const addKeys = async () => {
    accountCount += 1
    const login = { email: `trader-${accountCount}@example.com`, password: 'the long password of a trader' }
    const accountId = await createAccount(server.ctx, { ...login, name: 'Trader', role: 'user', verified: true })
    await addSubscription(server.ctx, accountId, HOUR_MS)
    const keys = await Promise.all(
      apiKeyScopes.map(async (scope) => [scope, await createKey({ accountId }, { scopes: [scope] })] as const),
    )
    for (const [, { id }] of keys)
      await server.ctx.db.update(apiKeys).set({ requestsPerMinute: 100_000 }).where(eq(apiKeys.id, id))
    return keys.map(([scope, { secret }]) => [scope, secret] as const)
  }
  let secrets: Awaited<ReturnType<typeof addKeys>> = []
  const openedScopes: Record<string, string[]> = {}
  const expectedScopes: Record<string, string[]> = {}
  for (const [position, [name, { method, path, scope }]] of Object.entries<Endpoint>(endpoints).entries()) {
    // Uses new keys after 20 calls, because the table has more calls than an account may make in a
    // minute. A costly call counts as ten.
    if (position % 20 === 0) secrets = await addKeys()
    expectedScopes[name] = scope === undefined || scope === 'stream' ? [] : [scope]
    openedScopes[name] = []
    for (const [keyScope, secret] of secrets) {
      const filledPath = path.replace(/:(\w+)/g, (_, key) => (key === 'index' ? `${alert.logIndex}` : alert.id))
      const json = method === 'GET' ? {} : { headers: { 'content-type': 'application/json' }, body: '{}' }
      const answer = await callWith(secret, filledPath, { method, ...json })
      if (getCode(answer) !== 'api_key_scope') openedScopes[name]?.push(keyScope)
      else expect([answer.status, answer.headers['www-authenticate']]).toEqual([403, 'Bearer'])
    }
  }
  expect(openedScopes).toEqual(expectedScopes)
  const closed: EndpointName[] = ['createOrder', 'unlinkWallet', 'savePreferences', 'createApiKey', 'listApiKeys']
  for (const name of closed) expect(openedScopes[name]).toEqual([])
  const adminEndpoints = Object.entries<Endpoint>(endpoints).filter(([, { access }]) => access === 'admin')
  expect(adminEndpoints.length).toBeGreaterThan(20)
  for (const [name] of adminEndpoints) expect(openedScopes[name]).toEqual([])
})

test('API key: a session cookie in the same request is ignored', async () => {
  const [owner, admin] = [await createKey(await signUp({ withPlan: false })), await server.signInAdmin()]
  const headers = { cookie: admin.cookie() }
  const answer = await callWith(owner.secret, LIST_PATH, { headers })
  expect([answer.status, answer.whole.includes(MARKER)]).toEqual([200, false])
  expect(getCode(await callWith(owner.secret, '/api/auth/user', { headers }))).toBe('api_key_scope')
  expect(getCode(await callWith('wrong', '/api/auth/user', { headers }))).toBe('api_key_invalid')
})

test('API key: gives the rights of the account’s plan, and an admin’s key gives no further rights', async () => {
  const subscriberKey = await createKey(await signUp())
  const freeKey = await createKey(await signUp({ withPlan: false }))
  const admin = await createKey(await signUp({ withPlan: false, role: 'admin' }))
  const paths = [LIST_PATH, `/api/alerts/${alert.id}/bundle`, `/api/alerts/at/${alert.logIndex}`, '/api/log/entries']
  for (const path of paths) {
    expect((await callWith(subscriberKey.secret, path)).body).toContain(MARKER)
    for (const { secret } of [freeKey, admin]) expect((await callWith(secret, path)).whole).not.toContain(MARKER)
  }
  const readCoverage = async ({ secret }: typeof admin) =>
    JSON.parse((await callWith(secret, '/api/status')).body).coverage
  expect(await readCoverage(subscriberKey)).toBe('subscribed')
  for (const key of [freeKey, admin]) expect(await readCoverage(key)).toBe('public')
  clock.advance(HOUR_MS)
  for (const path of paths) expect((await callWith(subscriberKey.secret, path)).whole).not.toContain(MARKER)
})

test('API key: a malformed, unknown, truncated or misplaced key is refused with a code', async () => {
  const { secret } = await createKey(await signUp())
  const cases: [string, Promise<RawAnswer>, number, string][] = [
    ['empty', callWith('', LIST_PATH), 401, 'api_key_invalid'],
    ['another token', callWith('abc', LIST_PATH), 401, 'api_key_invalid'],
    ['truncated', callWith(secret.slice(0, -1), LIST_PATH), 401, 'api_key_invalid'],
    ['too long', callWith(`${secret}A`, LIST_PATH), 401, 'api_key_invalid'],
    ['upper case', callWith(secret.toUpperCase(), LIST_PATH), 401, 'api_key_invalid'],
    ['unknown', callWith(`tocsin_${'A'.repeat(43)}`, LIST_PATH), 401, 'api_key_invalid'],
    ['10 kB', callWith(`tocsin_${'A'.repeat(10_000)}`, LIST_PATH), 401, 'api_key_invalid'],
    ['no HTTP method of a key', callWith('abc', '/api/auth/user'), 401, 'api_key_invalid'],
    [
      'in the query string',
      callWith('', `${LIST_PATH}&key=${secret}`, { headers: { authorization: '' } }),
      401,
      'api_key_in_url',
    ],
    ['in the path', callWith(secret, `/api/alerts/${secret}/bundle`), 401, 'api_key_in_url'],
    ['in the URL of a page', callWith(secret, `/history?${secret}`), 401, 'api_key_in_url'],
  ]
  for (const [name, responding, status, code] of cases) {
    const answer = await responding
    expect([name, answer.status, getCode(answer)]).toEqual([name, status, code])
  }
  expect((await callWith(secret, LIST_PATH)).status).toBe(200)
})

test('API key: an expired or revoked key, and one of a suspended account, is refused', async () => {
  const trader = await signUp()
  const [expiringKey, revokedKey, keptKey] = [
    await createKey(trader, { expiresInDays: 1 }),
    await createKey(trader),
    await createKey(trader),
  ]
  expect(expiringKey.expiresAt).toEqual(new Date(clock.now().getTime() + DAY_MS))
  await trader.client.call('revokeApiKey', { params: { id: revokedKey.id } })
  expect(getCode(await callWith(revokedKey.secret, LIST_PATH))).toBe('api_key_invalid')
  await expect(trader.client.call('revokeApiKey', { params: { id: revokedKey.id } })).rejects.toMatchObject({
    code: 'not_found',
  })
  const adminKey = await server.signInAdmin()
  await adminKey.call('suspendUser', { params: { id: trader.accountId }, body: { reason: 'Test' } })
  const suspended = await callWith(keptKey.secret, LIST_PATH)
  expect([suspended.status, getCode(suspended)]).toEqual([403, 'account_suspended'])
  await adminKey.call('unsuspendUser', { params: { id: trader.accountId }, body: { reason: 'Test' } })
  expect((await callWith(keptKey.secret, LIST_PATH)).status).toBe(200)
  clock.advance(DAY_MS)
  const expired = await callWith(expiringKey.secret, LIST_PATH)
  expect([expired.status, getCode(expired)]).toEqual([401, 'api_key_expired'])
})

test('API key: other accounts cannot list or revoke a key; creating and revoking need a recent authentication', async () => {
  const [owner, stranger] = [await signUp(), await signUp()]
  const { id } = await createKey(owner)
  await expect(stranger.client.call('revokeApiKey', { params: { id } })).rejects.toMatchObject({ code: 'not_found' })
  expect(await stranger.client.call('listApiKeys')).toEqual([])
  clock.advance(11 * 60_000)
  const refused = { code: 'reauthentication_required' }
  await expect(owner.client.call('createApiKey', { body: keyFields })).rejects.toMatchObject(refused)
  await expect(owner.client.call('revokeApiKey', { params: { id } })).rejects.toMatchObject(refused)
})

test('API key: pages of any origin may send a key, without cookies, to routes that have a scope', async () => {
  const { secret } = await createKey(await signUp())
  const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
  const sendPreflight = (path: string, method: string) =>
    send(server.url, {
      method: 'OPTIONS',
      path,
      headers: {
        ...headers,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization',
      },
    })
  const allowedResponse = await sendPreflight(`/api/alerts/${alert.id}/bundle`, 'GET')
  expect(allowedResponse.status).toBe(204)
  expect(allowedResponse.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET',
    'access-control-allow-headers': 'authorization, content-type, if-none-match',
  })
  const answer = await callWith(secret, LIST_PATH, { headers })
  expect(answer.headers['access-control-allow-origin']).toBe('*')
  const postOptions = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
  const verifyResponse = await callWith(secret, '/api/alerts/verify', {
    ...postOptions,
    body: JSON.stringify({ alertId: alert.id, signature: `0x${'11'.repeat(65)}`, merklePath: [], avalancheTx: '' }),
  })
  expect([verifyResponse.status, verifyResponse.headers['access-control-allow-origin']]).toEqual([200, '*'])
  const refused = await callWith('wrong', LIST_PATH, { headers })
  expect([refused.status, refused.headers['access-control-allow-origin']]).toEqual([401, '*'])
  for (const each of [allowedResponse, answer, verifyResponse, refused]) {
    expect(each.headers['access-control-allow-credentials']).toBeUndefined()
    expect(each.headers['set-cookie']).toBeUndefined()
  }
  for (const [path, method] of [
    ['/api/orders', 'POST'],
    ['/api/keys', 'POST'],
    ['/api/admin/users', 'GET'],
    ['/api/alerts/recent', 'POST'],
    ['/', 'GET'],
  ] as const)
    expect((await sendPreflight(path, method)).headers['access-control-allow-origin']).toBeUndefined()
  // Without a key, pages of other origins can neither read nor write.
  expect((await send(server.url, { path: LIST_PATH, headers })).headers['access-control-allow-origin']).toBeUndefined()
  expect(
    getCode(
      await callWith('', '/api/support', { ...postOptions, headers: { ...postOptions.headers, authorization: '' } }),
    ),
  ).toBe('foreign_origin')
})

test('API key: programs and pages of any origin can poll with an ETag', async () => {
  const { secret } = await createKey(await signUp(), { requestsPerMinute: 600 })
  const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
  const paths = ['/api/config', '/api/config/chain', '/api/log/head', '/api/log/checkpoint', '/api/status']
  for (const path of paths) {
    const preflightHeaders = {
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'if-none-match',
    }
    const { status, headers: allowedHeaders } = await send(server.url, {
      method: 'OPTIONS',
      path,
      headers: { ...headers, ...preflightHeaders },
    })
    expect([path, status, allowedHeaders['access-control-allow-headers']]).toEqual([
      path,
      204,
      expect.stringContaining('if-none-match'),
    ])
    const first = await callWith(secret, path, { headers })
    expect([path, first.status]).toEqual([path, 200])
    expect(first.headers['access-control-expose-headers']).toContain('etag')
    // The response changes while the log of this test is being anchored.
    await eventually(async () => {
      const answer = await callWith(secret, path, { headers })
      const secondResponse = await callWith(secret, path, {
        headers: { ...headers, 'if-none-match': answer.headers.etag },
      })
      expect([path, secondResponse.status, secondResponse.headers['access-control-allow-origin']]).toEqual([
        path,
        304,
        '*',
      ])
    })
  }
})

test('API key: has its own limit, and all keys of an account stay within the limit of the account', async () => {
  const trader = await signUp()
  const [smallKey, otherKey] = [
    await createKey(trader, { requestsPerMinute: 11 }),
    await createKey(trader, { requestsPerMinute: 10 }),
  ]
  expect((await callWith(smallKey.secret, LIST_PATH)).status).toBe(200)
  // A costly call counts as ten.
  expect((await callWith(smallKey.secret, '/api/alerts/pulse')).status).toBe(200)
  const refusedResponse = await callWith(smallKey.secret, LIST_PATH)
  expect([refusedResponse.status, getCode(refusedResponse)]).toEqual([429, 'too_many_requests'])
  expect(Number(refusedResponse.headers['retry-after'])).toBeGreaterThan(0)
  expect(Number(refusedResponse.headers['retry-after'])).toBeLessThanOrEqual(60)
  expect((await callWith(otherKey.secret, LIST_PATH)).status).toBe(200)
  await expect(createKey(trader, { requestsPerMinute: 580 })).rejects.toMatchObject({
    code: 'too_many_api_keys',
    details: { requestsLeft: 579 },
  })
  await createKey(trader, { requestsPerMinute: 500 })
  for (let count = 3; count < 10; count += 1) await createKey(trader, { requestsPerMinute: 10 })
  await expect(createKey(trader, { requestsPerMinute: 10 })).rejects.toMatchObject({ code: 'too_many_api_keys' })
})

test('API key: guesses are limited by network, and do not affect other networks', async () => {
  const { secret } = await createKey(await signUp())
  const guess = (count: number) =>
    callWith(`tocsin_${String(count).padStart(43, 'A')}`, LIST_PATH, { headers: { 'x-forwarded-for': '203.0.113.9' } })
  const statuses: number[] = []
  for (let count = 0; count < 70; count += 1) statuses.push((await guess(count)).status)
  expect(statuses).toEqual([...Array(60).fill(401), ...Array(10).fill(429)])
  expect(Number((await guess(70)).headers['retry-after'])).toBeGreaterThan(0)
  expect((await callWith(secret, LIST_PATH)).status).toBe(200)
})

test('API key: is listed with prefix and last use; creation sends an email, and changes are logged', async () => {
  const trader = await signUp()
  const created = await trader.client.call('createApiKey', { body: { ...keyFields, name: 'My <b>bot</b>' } })
  const { secret } = created
  const { id, prefix } = created.key
  expect(secret.startsWith(prefix)).toBe(true)
  expect(prefix).toHaveLength(12)
  expect(await trader.client.call('listApiKeys')).toMatchObject([{ id, prefix, lastUsedAt: null }])
  await callWith(secret, LIST_PATH)
  expect(await trader.client.call('listApiKeys')).toMatchObject([{ lastUsedAt: clock.now().toISOString() }])
  const listOwnerMails = async () =>
    (await listOutbox(server.outboxDir)).filter(({ to, text }) => to === trader.login.email && text.includes(prefix))
  await expect.poll(async () => (await listOwnerMails()).length).toBe(1)
  await trader.client.call('revokeApiKey', { params: { id } })
  const kinds = (await trader.client.call('listActivity')).map(({ kind }) => kind)
  expect(kinds.slice(0, 2)).toEqual(['api_key_revoked', 'api_key_created'])
  const admin = await server.signInAdmin()
  const { items } = await admin.call('listAudit', { query: { actor: trader.accountId } })
  expect(items).toMatchObject([
    { action: 'api_key_revoked', detail: { keyId: id } },
    { action: 'api_key_created', detail: { keyId: id, scopes: 'read alerts, stream, verify' } },
  ])
})

test('API key: no copy of a key is in the database, the log, an email or an export', async () => {
  const trader = await signUp()
  const name = 'A bot of mine'
  const { secret } = await trader.client.call('createApiKey', { body: { ...keyFields, name } })
  await callWith(secret, LIST_PATH)
  await callWith(secret, `/api/alerts/recent?key=${secret}`)
  await callWith(secret, `/api/alerts/${secret}/bundle`)
  await callWith(secret, '/api/admin/users')
  const exported = JSON.stringify(await trader.client.call('exportAccount'))
  const admin = await server.signInAdmin()
  const ofAdmins = [await admin.call('exportUsers'), await admin.call('exportAudit')].join()
  const mails = await readMails()
  const tables = await readAllRows()
  expect(tables).toContain(name)
  expect(exported).toContain(name)
  expect(logged.join()).toContain('api_key_in_url')
  const random = secret.slice('tocsin_'.length)
  for (const text of [exported, ofAdmins, mails.join(), tables, logged.join()]) expect(text).not.toContain(random)
})

test('API key: becomes invalid when the account is deleted or its password is reset by email', async () => {
  const [leavingUser, resettingUser] = [await signUp(), await signUp()]
  const [leavingKey, resettingKey] = [await createKey(leavingUser), await createKey(resettingUser)]
  await leavingUser.client.call('deleteAccount', { body: { confirmation: deletePhrase } })
  expect(getCode(await callWith(leavingKey.secret, LIST_PATH))).toBe('api_key_invalid')
  await server.createClient().call('forgotPassword', { body: { email: resettingUser.login.email } })
  const mail = await eventually(async () => {
    const found = (await listOutbox(server.outboxDir)).find(
      ({ to, subject }) => to === resettingUser.login.email && /Reset/.test(subject),
    )
    if (!found) throw new Error('No mail yet')
    return found
  })
  const token = new URL(mail.links[0] ?? '').searchParams.get('token') ?? ''
  await server.createClient().call('resetPassword', { body: { token, newPassword: 'another long password' } })
  expect(getCode(await callWith(resettingKey.secret, LIST_PATH))).toBe('api_key_invalid')
})
