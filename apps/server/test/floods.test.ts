import { endpoints, errorBody } from '@tocsin/protocol'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { accounts } from '../src/db/schema/accounts.ts'
import { createAccount } from '../src/features/accounts/service.ts'
import { send } from './raw-client.ts'

const parts = useTestDatabaseAndChain()
let server: TestServer

beforeAll(async () => {
  server = await startTestServer(parts)
})
afterAll(() => server?.close())

const credentialRoutes = Object.values(endpoints).filter(
  (endpoint) => 'limit' in endpoint && endpoint.limit === 'credential',
)

/** Sends requests from one address, each with a different forged X-Forwarded-For. */
const sendFlood = (count: number, request: Parameters<typeof send>[1]) =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      send(server.url, { ...request, headers: { ...request.headers, 'x-forwarded-for': `198.51.100.${index % 250}` } }),
    ),
  )

/**
 * Returns a function that counts the session lookups since now. Other queries are excluded, because
 * background jobs run them at the same time.
 */
function watchSessionLookups(): () => number {
  const { calls } = vi.spyOn(server.ctx.db, 'select').mockClear().mock
  return () => calls.filter(([fields]) => fields !== undefined && 'session' in fields).length
}

test.each(credentialRoutes)(
  'rate limit: $path returns status 429 for the 21st call of a minute',
  async ({ method, path }) => {
    const headers = { origin: server.url, 'content-type': 'application/json' }
    const request = { method, path, headers, ...(method === 'GET' ? {} : { body: '[]' }) }
    const statuses = (await sendFlood(20, request)).map(({ status }) => status)
    // Allow 302, because the provider routes respond to an error with a redirect. Allow 200,
    // because verify-email always responds with it, and its page reads the result from the body.
    expect(statuses.every((status) => [200, 302, 400, 401].includes(status))).toBe(true)
    const [answer] = await sendFlood(1, request)
    expect(answer?.status).toBe(429)
    const { code, details } = errorBody.parse(JSON.parse(answer?.body ?? ''))
    expect(code).toBe('too_many_requests')
    expect(answer?.headers['retry-after']).toBe(String(details?.retryAfterSeconds))
    expect(Number(answer?.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(answer?.headers['retry-after'])).toBeLessThanOrEqual(60)
  },
)

test('rate limit: rejects the 61st request in a minute for a list of 1,000 alerts', async () => {
  const request = { method: 'GET' as const, path: '/api/alerts/user/1', headers: {} }
  const statuses = (await sendFlood(61, request)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(60)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})

test('rate limit: an account is limited to 1,200 changes an hour across networks, but can end sessions', async () => {
  const proxiedServer = await startTestServer(parts, { http: { trustedProxies: 1 } })
  const login = { email: 'busy@example.com', password: 'a very long password of a trader' }
  try {
    await createAccount(proxiedServer.ctx, { ...login, name: 'Busy', role: 'user', verified: true })
    const client = proxiedServer.createClient('192.0.2.1')
    await client.call('login', { body: login })
    const headers = { origin: proxiedServer.url, 'content-type': 'application/json', cookie: client.cookie() }
    // The request is counted before its body is read, so an invalid body is enough and makes the
    // test faster.
    const sendChange = (networkIndex: number, method = 'POST', path = '/api/alerts/read-all') =>
      send(proxiedServer.url, {
        ...{ method, path, body: '{' },
        headers: { ...headers, 'x-forwarded-for': `198.51.100.${networkIndex % 200}` },
      })
    const statuses = new Set<number>()
    for (let from = 0; from < 1_200; from += 50) {
      const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => sendChange(from + index)))
      for (const { status } of answers) statuses.add(status)
    }
    expect([...statuses]).toEqual([400])
    const refused = await sendChange(0)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000)
    const deleted = await sendChange(0, 'DELETE', '/api/account/factors/reset')
    const readResponse = await sendChange(0, 'POST', '/api/chain/read')
    expect([deleted.status, readResponse.status], 'deletions and reads are not limited').toEqual([400, 400])
    await client.call('endOtherSessions')
    await client.call('confirm', { body: { password: login.password } })
    expect(await client.call('listSessions')).toHaveLength(1)
    await proxiedServer.ctx.db.update(accounts).set({ role: 'admin' }).where(eq(accounts.email, login.email))
    const asStaff = await fetch(`${proxiedServer.url}/api/alerts/read-all`, {
      ...{ method: 'POST', body: '{"upTo":0}' },
      headers: { ...headers, cookie: client.cookie() },
    })
    expect(asStaff.status).toBe(200)
  } finally {
    await proxiedServer.close()
  }
})

test('support form: accepts five messages per hour from one network without a session', async () => {
  const proxiedServer = await startTestServer(parts, { http: { trustedProxies: 1 } })
  const sendSupportMessage = (senderNumber: number, forwarded: string) => {
    const supportMessage = {
      name: 'Ida',
      email: `ida${senderNumber}@example.com`,
      subject: 'Hello',
      message: 'Is it you?',
    }
    const headers = { origin: proxiedServer.url, 'content-type': 'application/json', 'x-forwarded-for': forwarded }
    return send(proxiedServer.url, {
      method: 'POST',
      path: '/api/support',
      headers,
      body: JSON.stringify(supportMessage),
    })
  }
  try {
    for (let index = 0; index < 5; index++)
      expect((await sendSupportMessage(index, `2001:db8:1:2::${index}`)).status).toBe(200)
    const refused = await sendSupportMessage(20, '2001:db8:1:2:ffff::1')
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3000)
    expect((await sendSupportMessage(21, '2001:db8:1:3::1')).status).toBe(200)
  } finally {
    await proxiedServer.close()
  }
})

test('rate limit: counts all addresses of an IPv6 network as one caller, for calls and sockets', async () => {
  const proxiedServer = await startTestServer(parts, { http: { trustedProxies: 1 } })
  const requestPath = (path: string, addressIndex: number, headers: Record<string, string> = {}) =>
    send(proxiedServer.url, {
      path,
      headers: { ...headers, 'x-forwarded-for': `2001:db8:1:2::${addressIndex.toString(16)}` },
    })
  const upgrade = { connection: 'Upgrade', upgrade: 'websocket', origin: proxiedServer.url }
  try {
    for (let index = 0; index < 20; index++)
      expect((await requestPath('/api/auth/verify-email', index)).status).toBe(200)
    expect((await requestPath('/api/auth/verify-email', 20)).status).toBe(429)
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => requestPath('/ws', 100 * round + index, upgrade)),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
    }
    expect((await requestPath('/ws', 600, upgrade)).status).toBe(429)
  } finally {
    await proxiedServer.close()
  }
})

test('rate limit: applies to protected routes before the session is read from the database', async () => {
  const request = { path: '/api/admin/stats', headers: { cookie: `tocsin=${'a'.repeat(43)}` } }
  for (let round = 0; round < 6; round++) {
    expect((await sendFlood(100, request)).every(({ status }) => status === 401)).toBe(true)
  }
  const countLookups = watchSessionLookups()
  expect((await sendFlood(20, request)).every(({ status }) => status === 429)).toBe(true)
  expect(countLookups()).toBe(0)
  expect((await send(server.url, { path: '/api/config' })).status).toBe(200)
})

test('rate limit: applies to sockets before the session is read from the database', async () => {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    origin: server.url,
    cookie: `tocsin=${'a'.repeat(43)}`,
  }
  for (let round = 0; round < 6; round++) {
    expect((await sendFlood(100, { path: '/ws', headers })).every(({ status }) => status === 401)).toBe(true)
  }
  const countLookups = watchSessionLookups()
  expect((await sendFlood(20, { path: '/ws', headers })).every(({ status }) => status === 429)).toBe(true)
  expect(countLookups()).toBe(0)
})

test('rate limit: uses the address that the proxy saw, not addresses forged by the client', async () => {
  const proxiedServer = await startTestServer(parts, { http: { trustedProxies: 1 } })
  const requestFrom = (forwarded: string) =>
    send(proxiedServer.url, { path: '/api/auth/verify-email', headers: { 'x-forwarded-for': forwarded } })
  try {
    for (let index = 0; index < 20; index++)
      expect((await requestFrom(`203.0.113.${index}, 198.51.100.7`)).status).toBe(200)
    expect((await requestFrom('203.0.113.99, 198.51.100.7')).status).toBe(429)
    expect((await requestFrom('198.51.100.7, 198.51.100.8')).status).toBe(200)
  } finally {
    await proxiedServer.close()
  }
})

test('rate limit: applies to unknown paths', async () => {
  const proxiedServer = await startTestServer(parts, { http: { trustedProxies: 1 } })
  const requestPath = (path: string, network: string) =>
    send(proxiedServer.url, { path, headers: { accept: 'text/html', 'x-forwarded-for': network } })
  try {
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) => requestPath(`/no/page/${round}/${index}`, '10.0.0.1')),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]))
    }
    expect((await requestPath('/no/page', '10.0.0.1')).status).toBe(429)
    // Requests with an API key share this limit, because the handler of unknown paths does not read
    // API keys.
    const headers = { authorization: 'Bearer tocsin_x', 'x-forwarded-for': '10.0.0.1' }
    expect((await send(proxiedServer.url, { path: '/api/no/call', headers })).status).toBe(429)
    expect((await requestPath('/no/page', '10.0.0.2')).status).toBe(404)
  } finally {
    await proxiedServer.close()
  }
})

test('OpenAPI document: is built and compressed once, and is not resent when unchanged', async () => {
  const first = await send(server.url, { path: '/openapi.json', headers: { 'accept-encoding': 'gzip' } })
  const stringifySpy = vi.spyOn(JSON, 'stringify')
  const etag = first.headers.etag ?? ''
  const requestDocument = (headers: Record<string, string>) => send(server.url, { path: '/openapi.json', headers })
  const [again, packed, unchanged] = [
    await requestDocument({}),
    await requestDocument({ 'accept-encoding': 'br' }),
    await requestDocument({ 'if-none-match': etag }),
  ]
  const documentCalls = stringifySpy.mock.calls.filter(
    ([value]) => value !== null && typeof value === 'object' && 'paths' in value,
  )
  stringifySpy.mockRestore()
  expect(documentCalls).toEqual([])
  expect([again, packed, unchanged].map(({ status, headers }) => [status, headers.etag])).toEqual([
    [200, etag],
    [200, etag],
    [304, etag],
  ])
  expect(etag).toMatch(/^W\/".+"$/)
  expect(unchanged.body).toBe('')
  expect(JSON.parse(again.body).openapi).toBe('3.1.0')
  expect(packed.headers['content-encoding']).toBe('br')
})
