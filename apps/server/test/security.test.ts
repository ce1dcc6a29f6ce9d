import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type EndpointName, endpoints, errorBody, examples } from '@tocsin/protocol'
import { fakeClock, type TestClient, testConfig } from '@tocsin/testkit'
import { eventually } from '@tocsin/testkit/eventually'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sessions } from '../src/db/schema/accounts.ts'
import { findFreePort } from '../src/http/free-port.ts'
import { createServer } from '../src/server.ts'
import { createWriteRequest, openSocket, send } from './raw-client.ts'
import { writeSite } from './site-fixture.ts'
import { readTables } from './table-snapshot.ts'

const DEVICE_COOKIE = /^tocsin-device=/

let site: Awaited<ReturnType<typeof writeSite>>
const parts = useTestDatabaseAndChain()
let server: TestServer
let admin: TestClient
/** The clock of all instances on the database. */
const clock = fakeClock(new Date())
let alertId: string
let sessionId: string

beforeAll(async () => {
  site = await writeSite()
  server = await startTestServer(parts, { http: { webDir: site.webDir } }, { clock })
  admin = await server.signInAdmin()
  const body = { asset: 'BTC', summary: 'x'.repeat(900), confidence: 1, priority: 'low' } as const
  alertId = (await admin.call('createAlert', { body })).alert.id
  sessionId = (await admin.call('listSessions'))[0]?.id ?? ''
  await eventually(async () => expect((await admin.call('logHead')).anchored).not.toBeNull())
})
afterAll(async () => {
  await server?.close()
  await site?.remove()
})

/** Returns the calls of all endpoints that change state, with example bodies. */
function listWrites(): Record<string, { method: string; path: string; body: unknown }> {
  const { firstAdmin } = server
  const { email } = firstAdmin
  const walletAddress = parts.chain.wallet(1).account.address
  const bodies: Record<string, object> = {
    register: { email: 'new@example.com', password: 'a very long password', name: 'New' },
    login: firstAdmin,
    resendVerification: { email },
    forgotPassword: { email },
    resetPassword: { token: 'none', newPassword: 'a very long password' },
    createChallenge: { walletAddress },
    proveWallet: { message: 'none', signature: '0x' },
    createWalletUser: { walletAddress },
    subscribe: { planType: '6h', transactionHash: `0x${'00'.repeat(32)}` },
    markAlertsRead: { ids: [alertId] },
    verifyAlert: { alertId, signature: '0x', merklePath: [], avalancheTx: '' },
    createAlert: { asset: 'ETH', summary: 'forged', confidence: 1, priority: 'low' },
    confirm: { password: firstAdmin.password },
    changePassword: { currentPassword: firstAdmin.password, newPassword: 'a very long password' },
  }
  const ownParams: Record<string, string> = { address: walletAddress, provider: 'google', id: alertId, token: 'none' }
  // The cast is safe, because the keys of the table are the names of endpoints.
  const names = Object.keys(endpoints) as EndpointName[]
  return Object.fromEntries(
    names
      .filter((name) => endpoints[name].method !== 'GET')
      .map((name) => {
        const { method, path } = endpoints[name]
        const params = name === 'endSession' ? { id: sessionId } : ownParams
        const filledPath = path.replace(/:(\w+)/g, (_, param: string) => params[param] ?? '')
        return [name, { method, path: filledPath, body: bodies[name] ?? examples[name]?.body ?? {} }]
      }),
  )
}

describe('a cross-site write', () => {
  const getPort = () => Number(new URL(server.url).port)
  const foreignHeaders: Record<string, () => Record<string, string>> = {
    'no origin but a foreign referer': () => ({ referer: 'https://evil.example/' }),
    'no origin but a referer that begins like the own origin': () => ({ referer: `${server.url}.evil.example/` }),
    'no origin, from another site': () => ({ 'sec-fetch-site': 'cross-site' }),
    'no origin, from a sibling': () => ({ 'sec-fetch-site': 'same-site' }),
    'no origin, not from a page': () => ({ 'sec-fetch-site': 'none' }),
    'no origin, a form': () => ({ 'content-type': 'application/x-www-form-urlencoded' }),
    'no origin, a multipart form': () => ({ 'content-type': 'multipart/form-data; boundary=x' }),
    'no origin, plain text': () => ({ 'content-type': 'text/plain' }),
    'no origin, almost JSON': () => ({ 'content-type': 'application/jsonp' }),
    'no origin, JSON in a parameter': () => ({ 'content-type': 'text/plain; application/json' }),
    'a foreign origin': () => ({ origin: 'https://evil.example' }),
    'the opaque origin': () => ({ origin: 'null' }),
    'the own origin as a prefix': () => ({ origin: `${server.url}.evil.example` }),
    'the own host after other text': () => ({ origin: `http://evil-localhost:${getPort()}` }),
    'a subdomain': () => ({ origin: `http://sub.localhost:${getPort()}` }),
    'another port': () => ({ origin: `http://localhost:${getPort() + 1}` }),
    'https for http': () => ({ origin: `https://localhost:${getPort()}` }),
    'another name of the host': () => ({ origin: `http://127.0.0.1:${getPort()}` }),
    'the own origin with a path': () => ({ origin: `${server.url}/` }),
    'the own and another origin': () => ({ origin: `${server.url}, https://evil.example` }),
    'the own origin from another site': () => ({ origin: server.url, 'sec-fetch-site': 'cross-site' }),
    'the own origin from a sibling': () => ({ origin: server.url, 'sec-fetch-site': 'same-site' }),
    'the own origin, not from a page': () => ({ origin: server.url, 'sec-fetch-site': 'none' }),
  }
  const types: Record<string, Record<string, string>> = {
    'text/plain': { 'content-type': 'text/plain' },
    'a form': { 'content-type': 'application/x-www-form-urlencoded' },
    'a multipart form': { 'content-type': 'multipart/form-data; boundary=x' },
    'almost JSON': { 'content-type': 'application/jsonp' },
    'no type': {},
  }

  /**
   * Calls that email clients (RFC 8058) and chats make. They are authorized only by the token in
   * the path.
   */
  const linkCalls = ['acknowledgeByLink', 'unsubscribe']

  test.each(linkCalls)('has no effect on %s, which is authorized only by its token', async (name) => {
    const tablesBefore = await readTables(server.ctx.db)
    const { method, path, body } = listWrites()[name] ?? { method: '', path: '', body: {} }
    const json = { 'content-type': 'application/json' }
    const fromForeign = Object.entries(foreignHeaders).map(
      ([label, headers]) => [label, { ...json, ...headers() }] as const,
    )
    for (const [label, sentHeaders] of [...fromForeign, ...Object.entries(types)]) {
      const { 'content-type': type = '' }: Record<string, string> = sentHeaders
      const isParsed = /^application\/json$|form/.test(type)
      for (const cookie of [{ cookie: admin.cookie() }, {}]) {
        const answer = await send(server.url, {
          method,
          path,
          body: JSON.stringify(body),
          headers: { ...sentHeaders, ...cookie },
        })
        expect([label, answer.status]).toEqual([label, isParsed ? 404 : 415])
      }
    }
    expect(await readTables(server.ctx.db)).toEqual(tablesBefore)
  })

  test('is rejected on every write route that is not authorized by a token in its path, and changes nothing', async () => {
    const tablesBefore = await readTables(server.ctx.db)
    const cases = [
      ...Object.entries(foreignHeaders).map(([label, headers]) => ({
        label,
        headers: { 'content-type': 'application/json', ...headers() },
        status: 403,
      })),
      ...Object.entries(types).map(([label, type]) => ({
        label,
        headers: { origin: server.url, ...type },
        status: 415,
      })),
    ]
    const wrongCalls: string[] = []
    for (const [name, { method, path, body }] of Object.entries(listWrites())) {
      if (linkCalls.includes(name)) continue
      expect(path).not.toContain(':')
      for (const { label, headers, status } of cases) {
        const sentRequest = { method, path, body: JSON.stringify(body) }
        const answer = await send(server.url, { ...sentRequest, headers: { ...headers, cookie: admin.cookie() } })
        if (answer.status !== status) wrongCalls.push(`${name}, ${label}: ${answer.status}`)
        expect(errorBody.safeParse(JSON.parse(answer.body)).success).toBe(true)
      }
    }
    expect(wrongCalls).toEqual([])
    expect(await readTables(server.ctx.db)).toEqual(tablesBefore)
  })

  test('is rejected when its body is empty and its content type is absent or one that forms of other sites can send', async () => {
    for (const path of ['/api/auth/logout', `/api/alerts/${alertId}/broadcast`, '/api/admin/websocket/test']) {
      const types = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x', undefined]
      for (const type of types) {
        const headers = { ...(type ? { 'content-type': type } : {}), cookie: admin.cookie() }
        expect((await send(server.url, { method: 'POST', path, headers, body: '' })).status).toBe(403)
      }
    }
    expect((await admin.call('currentUser')).user).not.toBeNull()
  })

  test.each<[string, () => Record<string, string>]>([
    ['a page of the site', () => ({ origin: server.url, 'sec-fetch-site': 'same-origin' })],
    ['a program without an origin', () => ({})],
    ['a program with a page of the site as referer', () => ({ referer: `${server.url}/admin` })],
  ])('is distinguished from a write by %s, which succeeds', async (_name, headersOf) => {
    const { path, body } = listWrites().createAlert ?? { path: '', body: {} }
    const tablesBefore = await readTables(server.ctx.db)
    const headers = { 'content-type': 'application/json', cookie: admin.cookie(), ...headersOf() }
    expect((await send(server.url, { method: 'POST', path, headers, body: JSON.stringify(body) })).status).toBe(201)
    expect(await readTables(server.ctx.db)).not.toEqual(tablesBefore)
  })
})

describe('security headers', () => {
  const createCsp = (url: string, relay = '') =>
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "worker-src 'self'",
      `connect-src 'self' ${url.replace(/^http/, 'ws')}${relay}`,
      "manifest-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      'trusted-types tocsin-page tocsin-worker',
    ].join(';')
  const createOwnHeaders = () => ({ origin: server.url, 'content-type': 'application/json' })
  const html = { accept: 'text/html' }
  const answerCases: [string, number, () => Parameters<typeof send>[1]][] = [
    ['a page', 200, () => ({ path: '/dashboard', headers: { ...html, host: new URL(server.url).host } })],
    [
      'the head of a page',
      200,
      () => ({ method: 'HEAD', path: '/', headers: { ...html, host: new URL(server.url).host } }),
    ],
    ['a file', 200, () => ({ path: '/assets/app-0a1b2c.js' })],
    ['a redirect', 302, () => ({ path: '/', headers: { ...html, host: 'evil.example' } })],
    ['health', 200, () => ({ path: '/healthz' })],
    ['the API’s description', 200, () => ({ path: '/openapi.json' })],
    ['data', 200, () => ({ path: '/api/config' })],
    [
      'private data, compressed',
      200,
      () => ({ path: '/api/alerts', headers: { cookie: admin.cookie(), 'accept-encoding': 'gzip' } }),
    ],
    ['malformed', 400, () => ({ path: '/api/auth/verify-email?token=1&page=2' })],
    ['invalid JSON', 400, () => ({ method: 'POST', path: '/api/auth/logout', headers: createOwnHeaders(), body: '{' })],
    ['not signed in', 401, () => ({ path: '/api/status' })],
    ['foreign', 403, () => ({ method: 'POST', path: '/api/auth/logout', headers: { origin: 'null' } })],
    ['an unknown call', 404, () => ({ path: '/api/nothing' })],
    ['an unknown file', 404, () => ({ path: '/nothing.js' })],
    [
      'too large',
      400,
      () => ({ method: 'POST', path: '/api/auth/logout', headers: createOwnHeaders(), body: ' '.repeat(200_000) }),
    ],
    [
      'an unsupported content type',
      415,
      () => ({
        method: 'POST',
        path: '/api/auth/logout',
        headers: { origin: server.url, 'content-type': 'text/xml' },
        body: 'x',
      }),
    ],
    ['another method', 404, () => ({ method: 'OPTIONS', path: '/api/auth/login' })],
    ['an address that is malformed', 400, () => ({ path: '/api/%ZZ' })],
    ['an address that is too long', 400, () => ({ path: `/api/users/${'a'.repeat(500)}` })],
  ]

  test.each(answerCases)('are present on %s (%i)', async (label, status, request) => {
    const answer = await send(server.url, request())
    const { headers } = answer
    expect(answer.status).toBe(status)
    const expectedCsp = label.startsWith('an address')
      ? "default-src 'none';frame-ancestors 'none'"
      : createCsp(server.url)
    expect(headers).toMatchObject({
      'content-security-policy': expectedCsp,
      'x-frame-options': 'DENY',
      ...(label.startsWith('an address') ? {} : { 'permissions-policy': expect.stringContaining('camera=()') }),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(headers).not.toHaveProperty('x-powered-by')
    expect(headers).not.toHaveProperty('server')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    if (status >= 400) {
      expect(headers['content-type']).toMatch(/^application\/json/)
      const refusal = errorBody.parse(JSON.parse(answer.body))
      expect(refusal.requestId).toBe(headers['x-request-id'])
      expect(answer.body).not.toContain(request().path)
    }
    if (request().path.startsWith('/api/')) {
      expect(headers['cache-control']).toBe('no-store')
      if (!label.startsWith('an address')) expect(headers.vary?.split(/, */)).toContain('Cookie')
    }
  })

  test.each([
    '/api/alerts/export.csv',
    '/%61pi/alerts/export.csv',
    '/api/alerts/export%2Ecsv',
    'http://example.com/api/alerts/export.csv',
  ])('forbid caches to store the export when its path is written as %s', async (path) => {
    const { status, headers } = await send(server.url, { path, headers: { cookie: admin.cookie() } })
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers.vary?.split(/, */)).toContain('Cookie')
  })

  test('allow connections to the wallet relay when one is configured', async () => {
    const { databaseUrl } = server.ctx.config
    const port = await findFreePort()
    const publicUrl = `http://localhost:${port}`
    const walletConnect = { projectId: 'ab'.repeat(16), relayUrl: 'wss://relay.example.com' }
    const http = { port, host: 'localhost', publicUrl }
    const offeringServer = await createServer(
      testConfig({ databaseUrl, ...parts.chain.settings, http, walletConnect }),
      {
        clock,
      },
    )
    try {
      const { headers, body } = await send(publicUrl, { path: '/api/config' })
      expect(headers['content-security-policy']).toBe(createCsp(publicUrl, ' wss://relay.example.com'))
      expect(JSON.parse(body)).toMatchObject({ walletConnect })
    } finally {
      await offeringServer.close()
    }
  })

  test('contain HSTS and __Host- cookies when the site uses https; passwords are then hashed at full cost', async () => {
    const publicUrl = 'https://tocsin.example'
    const firstAdmin = { email: 'admin@example.com', password: 'a bell that rings at night' }
    const { databaseUrl } = server.ctx.config
    const port = await findFreePort()
    const http = { port, host: 'localhost', publicUrl }
    const secureServer = await createServer(testConfig({ databaseUrl, ...parts.chain.settings, http, firstAdmin }), {
      clock,
    })
    try {
      const localUrl = `http://localhost:${port}`
      expect(await secureServer.ctx.passwords.hash('tern-ocelot')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      const answer = await send(localUrl, createWriteRequest(publicUrl, '/api/auth/login', firstAdmin))
      expect(answer.status).toBe(200)
      expect(answer.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
      expect(answer.headers['content-security-policy']).toBe(createCsp(publicUrl))
      const [session, device] = answer.headers['set-cookie'] ?? []
      expect(session).toMatch(/^__Host-tocsin=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
      expect(device).toMatch(
        /^__Host-tocsin-device=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
      const refused = await send(localUrl, createWriteRequest(localUrl, '/api/auth/login', firstAdmin))
      expect(refused.status).toBe(403)
      expect(JSON.parse(refused.body)).toMatchObject({
        code: 'foreign_origin',
        message: 'This page was opened at another address. Open https://tocsin.example and try again there.',
      })
    } finally {
      await secureServer.close()
    }
  })
})

describe('sessions', () => {
  const getCookies = (lines: string[] = []) =>
    lines.filter((line) => !DEVICE_COOKIE.test(line)).map((line) => line.split(';')[0] ?? '')
  const signIn = (cookie: string) =>
    send(server.url, createWriteRequest(server.url, '/api/auth/login', server.firstAdmin, cookie))
  const readSignedInEmail = async (cookie: string) => {
    const answer = await send(server.url, { path: '/api/auth/user', headers: { cookie } })
    return JSON.parse(answer.body).user?.email ?? null
  }

  test('never adopt an id sent by the browser, and end when the browser signs in again', async () => {
    const plantedCookie = `tocsin=${'a'.repeat(43)}`
    const answer = await signIn(plantedCookie)
    const lines = answer.headers['set-cookie']?.filter((line) => !DEVICE_COOKIE.test(line))
    expect(lines).toEqual([expect.stringMatching(/^tocsin=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)])
    const [first = ''] = getCookies(lines)
    expect(first).not.toBe(plantedCookie)
    expect([await readSignedInEmail(plantedCookie), await readSignedInEmail(first)]).toEqual([
      null,
      server.firstAdmin.email,
    ])
    const [second = ''] = getCookies((await signIn(first)).headers['set-cookie'])
    expect([await readSignedInEmail(first), await readSignedInEmail(second)]).toEqual([null, server.firstAdmin.email])
    const stored = await server.ctx.db.select().from(sessions)
    expect(JSON.stringify(stored)).not.toContain(second.split('=')[1])
  })

  test('end at sign-out, which also closes their sockets within a second', async () => {
    const [cookie = ''] = getCookies((await signIn('')).headers['set-cookie'])
    const socket = await openSocket(server.url, { origin: server.url, cookie })
    const answer = await send(server.url, createWriteRequest(server.url, '/api/auth/logout', {}, cookie))
    expect(answer.headers['set-cookie']).toBeUndefined()
    await expect.poll(() => socket.closeCode()).toBe(4401)
    expect(await readSignedInEmail(cookie)).toBeNull()
    await expect(openSocket(server.url, { origin: server.url, cookie })).rejects.toThrow('401')
  })

  test.each([
    ['no origin', () => ({})],
    ['a foreign origin', () => ({ origin: 'https://evil.example' })],
    ['the opaque origin', () => ({ origin: 'null' })],
    ['the own origin as a prefix', () => ({ origin: `${server.url}.evil.example` })],
    ['https for http', () => ({ origin: server.url.replace('http', 'https') })],
  ])('do not authorize a WebSocket handshake with %s, which gets status 403', async (_, origin) => {
    await expect(openSocket(server.url, { cookie: admin.cookie(), ...origin() })).rejects.toThrow('403')
  })
})

describe('requests that could smuggle a second request past a proxy', () => {
  test('are rejected with status 400 when their headers state the body length in two ways', async () => {
    const { hostname, port } = new URL(server.url)
    const lines = ['POST /api/auth/login HTTP/1.1', `host: ${hostname}:${port}`, `origin: ${server.url}`]
    const smuggledRequest = 'GET /api/auth/user HTTP/1.1\r\n\r\n'
    for (const lengths of [
      [`content-length: ${smuggledRequest.length}`, 'transfer-encoding: chunked'],
      ['content-length: 0', `content-length: ${smuggledRequest.length}`],
    ]) {
      const socket = connect(Number(port), hostname)
      socket.end(
        `${[...lines, 'content-type: application/json', ...lengths].join('\r\n')}\r\n\r\n0\r\n\r\n${smuggledRequest}`,
      )
      const answer = await text(socket)
      expect(answer).toMatch(/^HTTP\/1\.1 400 /)
      expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
    }
  })
})

test('a TRACE request is refused, and the response does not contain its headers', async () => {
  const answer = await send(server.url, { method: 'TRACE', path: '/', headers: { cookie: 'secret=1' } })
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.body).not.toContain('secret')
})
