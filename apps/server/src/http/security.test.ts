import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endpoints, errorBody } from '@tocsin/protocol'
import { fakeClock, startTestChain, startTestDatabase, type TestClient, testConfig } from '@tocsin/testkit'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { findFreePort } from '../embedded/free-port.ts'
import { openSocket, ownWrite, send } from '../raw-client.ts'
import { createServer } from '../server.ts'
import { readTables } from '../table-snapshot.ts'

const PAGE = '<!doctype html><title>the page</title>'
const SECRET = 'what lies beside the site'
const DEVICE = /^tocsin-device=/

let folder: string
let parts: {
  database: Awaited<ReturnType<typeof startTestDatabase>>
  chain: Awaited<ReturnType<typeof startTestChain>>
}
let server: TestServer
let admin: TestClient
/** One for all instances on the database. */
const clock = fakeClock(new Date())
let alertId: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tocsin-site-'))
  const webDir = join(folder, 'assets', 'site')
  await mkdir(join(webDir, 'assets'), { recursive: true })
  await writeFile(join(webDir, 'index.html'), PAGE)
  await writeFile(join(webDir, 'assets', 'app-0a1b2c.js'), 'let app')
  await writeFile(join(folder, 'assets', 'secret.txt'), SECRET)
  const [database, chain] = await Promise.all([startTestDatabase(), startTestChain()])
  parts = { database, chain }
  server = await startTestServer(parts, { http: { webDir } }, { clock })
  admin = await server.signInAdmin()
  const body = { asset: 'BTC', summary: 'x'.repeat(900), confidence: 1, priority: 'low' } as const
  alertId = (await admin.call('createAlert', { body })).alert.id
  await vi.waitFor(async () => expect((await admin.call('logHead')).anchored).not.toBeNull(), 10_000)
})
afterAll(async () => {
  await server?.close()
  await Promise.all([parts?.database.stop(), parts?.chain.stop(), rm(folder, { recursive: true, force: true })])
})

/** Bodies that do something if they get through. */
function writes(): Record<string, { path: string; body: object }> {
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
  }
  const routes = Object.entries(endpoints).filter(([, { method }]) => method !== 'GET')
  return Object.fromEntries(
    routes.map(([name, { path }]) => [name, { path: path.replace(':id', alertId), body: bodies[name] ?? {} }]),
  )
}

describe('a write that does not come from our own page', () => {
  const port = () => Number(new URL(server.url).port)
  const foreign: Record<string, () => Record<string, string>> = {
    'no origin': () => ({}),
    'no origin but our referer': () => ({ referer: `${server.url}/` }),
    'a foreign origin': () => ({ origin: 'https://evil.example' }),
    'the opaque origin': () => ({ origin: 'null' }),
    'our origin as a prefix': () => ({ origin: `${server.url}.evil.example` }),
    'our host behind other text': () => ({ origin: `http://evil-localhost:${port()}` }),
    'a subdomain of ours': () => ({ origin: `http://sub.localhost:${port()}` }),
    'another port': () => ({ origin: `http://localhost:${port() + 1}` }),
    'https for http': () => ({ origin: `https://localhost:${port()}` }),
    'another name of the host': () => ({ origin: `http://127.0.0.1:${port()}` }),
    'our origin with a path': () => ({ origin: `${server.url}/` }),
    'our origin and another': () => ({ origin: `${server.url}, https://evil.example` }),
    'our origin from another site': () => ({ origin: server.url, 'sec-fetch-site': 'cross-site' }),
    'our origin from a sibling': () => ({ origin: server.url, 'sec-fetch-site': 'same-site' }),
    'our origin from no page': () => ({ origin: server.url, 'sec-fetch-site': 'none' }),
  }
  const types: Record<string, Record<string, string>> = {
    'text/plain': { 'content-type': 'text/plain' },
    'a form': { 'content-type': 'application/x-www-form-urlencoded' },
    'a multipart form': { 'content-type': 'multipart/form-data; boundary=x' },
    'almost JSON': { 'content-type': 'application/jsonp' },
    'no type': {},
  }

  test('is refused on every route and changes nothing', async () => {
    const before = await readTables(server.ctx.db)
    const cases = [
      ...Object.entries(foreign).map(([label, headers]) => ({
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
    const wrong: string[] = []
    for (const [name, { path, body }] of Object.entries(writes())) {
      for (const { label, headers, status } of cases) {
        const sent = { method: 'POST', path, body: JSON.stringify(body) }
        const answer = await send(server.url, { ...sent, headers: { ...headers, cookie: admin.cookie() } })
        if (answer.status !== status) wrong.push(`${name}, ${label}: ${answer.status}`)
        expect(errorBody.safeParse(JSON.parse(answer.body)).success).toBe(true)
      }
    }
    expect(wrong).toEqual([])
    expect(await readTables(server.ctx.db)).toEqual(before)
  })

  test('would have got through from our own page', async () => {
    const { path, body } = writes().createAlert ?? { path: '', body: {} }
    const before = await readTables(server.ctx.db)
    const request = ownWrite(server.url, path, body, admin.cookie())
    const headers = { ...request.headers, 'sec-fetch-site': 'same-origin' }
    expect((await send(server.url, { ...request, headers })).status).toBe(201)
    expect(await readTables(server.ctx.db)).not.toEqual(before)
  })
})

describe('headers', () => {
  const csp = (url: string) =>
    [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      `connect-src 'self' ${url.replace(/^http/, 'ws')}`,
      "manifest-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join(';')
  const own = () => ({ origin: server.url, 'content-type': 'application/json' })
  const html = { accept: 'text/html' }
  const answers: [string, number, () => Parameters<typeof send>[1]][] = [
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
    ['malformed', 400, () => ({ path: '/api/auth/verify-email?token=1&token=2' })],
    ['no JSON', 400, () => ({ method: 'POST', path: '/api/auth/logout', headers: own(), body: '{' })],
    ['not signed in', 401, () => ({ path: '/api/status' })],
    ['foreign', 403, () => ({ method: 'POST', path: '/api/auth/logout' })],
    ['no such call', 404, () => ({ path: '/api/nothing' })],
    ['no such file', 404, () => ({ path: '/nothing.js' })],
    ['too large', 413, () => ({ method: 'POST', path: '/api/auth/logout', headers: own(), body: ' '.repeat(200_000) })],
    [
      'no such type',
      415,
      () => ({
        method: 'POST',
        path: '/api/auth/logout',
        headers: { origin: server.url, 'content-type': 'text/xml' },
        body: 'x',
      }),
    ],
    ['another method', 404, () => ({ method: 'OPTIONS', path: '/api/auth/login' })],
    ['an address that is none', 400, () => ({ path: '/api/%ZZ' })],
    ['an address that is too long', 400, () => ({ path: `/api/users/${'a'.repeat(500)}` })],
  ]

  test.each(answers)('%s (%i) carries all of them', async (label, status, request) => {
    const answer = await send(server.url, request())
    const { headers } = answer
    expect(answer.status).toBe(status)
    const expectedCsp = label.startsWith('an address') ? "default-src 'none';frame-ancestors 'none'" : csp(server.url)
    expect(headers).toMatchObject({
      'content-security-policy': expectedCsp,
      'x-frame-options': 'DENY',
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

  test('an https installation binds cookies to its host and browsers to https', async () => {
    const publicUrl = 'https://tocsin.example'
    const firstAdmin = { email: 'admin@example.com', password: 'a bell that rings at night' }
    const { databaseUrl } = server.ctx.config
    const port = await findFreePort()
    const http = { port, host: 'localhost', publicUrl }
    const secure = await createServer(testConfig({ databaseUrl, ...parts.chain.settings, http, firstAdmin }), {
      clock,
    })
    try {
      const local = `http://localhost:${port}`
      const answer = await send(local, ownWrite(publicUrl, '/api/auth/login', firstAdmin))
      expect(answer.status).toBe(200)
      expect(answer.headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
      expect(answer.headers['content-security-policy']).toBe(csp(publicUrl))
      const [session, device] = answer.headers['set-cookie'] ?? []
      expect(session).toMatch(/^__Host-tocsin=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
      expect(device).toMatch(
        /^__Host-tocsin-device=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      )
      expect((await send(local, ownWrite(local, '/api/auth/login', firstAdmin))).status).toBe(403)
    } finally {
      await secure.close()
    }
  })
})

describe('sessions', () => {
  const cookiesOf = (lines: string[] = []) =>
    lines.filter((line) => !DEVICE.test(line)).map((line) => line.split(';')[0] ?? '')
  const signIn = (cookie: string) =>
    send(server.url, ownWrite(server.url, '/api/auth/login', server.firstAdmin, cookie))
  const whoIs = async (cookie: string) => {
    const answer = await send(server.url, { path: '/api/auth/user', headers: { cookie } })
    return JSON.parse(answer.body).user?.email ?? null
  }

  test('an id that the browser brings is never taken on; signing in ends the former one', async () => {
    const planted = `tocsin=${'a'.repeat(43)}`
    const answer = await signIn(planted)
    const lines = answer.headers['set-cookie']?.filter((line) => !DEVICE.test(line))
    expect(lines).toEqual([expect.stringMatching(/^tocsin=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)])
    const [first = ''] = cookiesOf(lines)
    expect(first).not.toBe(planted)
    expect([await whoIs(planted), await whoIs(first)]).toEqual([null, server.firstAdmin.email])
    const [second = ''] = cookiesOf((await signIn(first)).headers['set-cookie'])
    expect([await whoIs(first), await whoIs(second)]).toEqual([null, server.firstAdmin.email])
    const stored = await server.ctx.db.query.sessions.findMany()
    expect(JSON.stringify(stored)).not.toContain(second.split('=')[1])
  })

  test('signing out ends the session and, within a second, its socket', async () => {
    const [cookie = ''] = cookiesOf((await signIn('')).headers['set-cookie'])
    const socket = await openSocket(server.url, { origin: server.url, cookie })
    const answer = await send(server.url, ownWrite(server.url, '/api/auth/logout', {}, cookie))
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^tocsin=; Max-Age=0; Path=\/;.* HttpOnly; SameSite=Lax$/),
    ])
    await vi.waitFor(() => expect(socket.closeCode()).toBe(4401), 1_000)
    expect(await whoIs(cookie)).toBeNull()
    await expect(openSocket(server.url, { origin: server.url, cookie })).rejects.toThrow('401')
  })

  test.each([
    ['no origin', () => ({})],
    ['a foreign origin', () => ({ origin: 'https://evil.example' })],
    ['the opaque origin', () => ({ origin: 'null' })],
    ['our origin as a prefix', () => ({ origin: `${server.url}.evil.example` })],
    ['https for http', () => ({ origin: server.url.replace('http', 'https') })],
  ])('a socket with %s is refused before it opens', async (_, origin) => {
    await expect(openSocket(server.url, { cookie: admin.cookie(), ...origin() })).rejects.toThrow('403')
  })
})

describe('floods', () => {
  let flooded: TestServer
  beforeAll(async () => {
    flooded = await startTestServer(parts, { databaseUrl: server.ctx.config.databaseUrl }, { clock })
  })
  afterAll(() => flooded?.close())

  const credentialRoutes = Object.values(endpoints).filter(
    (endpoint) => 'limit' in endpoint && endpoint.limit === 'credential',
  )

  /** From one address that claims to be another one each time. */
  const flood = (count: number, request: Parameters<typeof send>[1]) =>
    Promise.all(
      Array.from({ length: count }, (_, at) =>
        send(flooded.url, { ...request, headers: { ...request.headers, 'x-forwarded-for': `198.51.100.${at % 250}` } }),
      ),
    )

  test.each(credentialRoutes)('$path answers the 21st call of a minute with 429', async ({ method, path }) => {
    const headers = { origin: flooded.url, 'content-type': 'application/json' }
    const request = { method, path, headers, ...(method === 'GET' ? {} : { body: '[]' }) }
    const statuses = (await flood(20, request)).map(({ status }) => status)
    expect(statuses.every((status) => status === 400 || status === 401)).toBe(true)
    const [answer] = await flood(1, request)
    expect(answer?.status).toBe(429)
    const { code, details } = errorBody.parse(JSON.parse(answer?.body ?? ''))
    expect(code).toBe('too_many_requests')
    expect(answer?.headers['retry-after']).toBe(String(details?.retryAfterSeconds))
    expect(Number(answer?.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(answer?.headers['retry-after'])).toBeLessThanOrEqual(60)
  })

  test('a guarded route counts strangers before it asks the database who they are', async () => {
    const request = { path: '/api/admin/stats', headers: { cookie: `tocsin=${'a'.repeat(43)}` } }
    for (let round = 0; round < 6; round++) {
      expect((await flood(100, request)).every(({ status }) => status === 401)).toBe(true)
    }
    const asked = vi.spyOn(flooded.ctx.db, 'select')
    expect((await flood(20, request)).every(({ status }) => status === 429)).toBe(true)
    expect(asked).not.toHaveBeenCalled()
    expect((await send(flooded.url, { path: '/api/config' })).status).toBe(200)
  })

  test('behind one proxy, the address that the proxy saw counts, not those that the client wrote before it', async () => {
    const proxied = await startTestServer(
      parts,
      { databaseUrl: server.ctx.config.databaseUrl, http: { trustedProxies: 1 } },
      { clock },
    )
    const ask = (forwarded: string) =>
      send(proxied.url, { path: '/api/auth/verify-email', headers: { 'x-forwarded-for': forwarded } })
    try {
      for (let at = 0; at < 20; at++) expect((await ask(`203.0.113.${at}, 198.51.100.7`)).status).toBe(400)
      expect((await ask('203.0.113.99, 198.51.100.7')).status).toBe(429)
      expect((await ask('198.51.100.7, 198.51.100.8')).status).toBe(400)
    } finally {
      await proxied.close()
    }
  })
})

test('without a token the figures are for loopback alone, and not for what a proxy there forwards', async () => {
  expect((await send(server.url, { path: '/metrics' })).body).toContain('tocsin_log_entries')
  const forwarded = await send(server.url, { path: '/metrics', headers: { 'x-forwarded-for': '127.0.0.1' } })
  expect(forwarded.status).toBe(403)
})

describe('pages', () => {
  const ask = (path: string, headers: Record<string, string> = {}) =>
    send(server.url, { path, headers: { accept: 'text/html', host: new URL(server.url).host, ...headers } })

  test.each(['/', '/dashboard', '/verify-email?token=x', '/assets', '/dev/outbox', '/apix'])(
    '%s is the page',
    async (path) => {
      const { status, headers, body } = await ask(path)
      expect({ status, body, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
        status: 200,
        body: PAGE,
        type: 'text/html; charset=utf-8',
        cache: 'no-cache',
      })
    },
  )

  test('hashed files are kept for ever, the page itself never', async () => {
    expect((await ask('/assets/app-0a1b2c.js')).headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect((await ask('/index.html')).headers['cache-control']).toBe('no-cache')
  })

  test('what is no page is no page', async () => {
    expect(await ask('/api/nothing')).toMatchObject({
      status: 404,
      headers: { 'content-type': expect.stringMatching('json') },
    })
    expect((await ask('/assets/gone.js', { accept: '*/*' })).status).toBe(404)
    const post = { method: 'POST', path: '/dashboard' }
    expect((await send(server.url, { ...post, headers: { accept: 'text/html' } })).status).toBe(403)
    expect((await send(server.url, { ...post, headers: { accept: 'text/html', origin: server.url } })).status).toBe(404)
  })

  test.each([
    ['/auth?next=1', '/auth?next=1'],
    ['//evil.example/x', '/evil.example/x'],
    ['/\\evil.example', '/\\evil.example'],
    ['/@evil.example', '/@evil.example'],
  ])('%s under another host leads to our own origin', async (path, target) => {
    const answer = await ask(path, { host: 'other.example', 'x-forwarded-host': 'other.example' })
    expect(answer.status).toBe(302)
    expect(answer.headers.location).toBe(`${server.url}${target}`)
    expect(new URL(answer.headers.location ?? '').origin).toBe(server.url)
    expect(answer.whole).not.toContain('other.example')
  })

  test('a whole address, as to a proxy, leads nowhere', async () => {
    const answer = await ask('http://evil.example/', { host: 'evil.example' })
    expect(answer.status).toBe(404)
    expect(answer.whole).not.toContain('evil')
  })

  test.each([
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e%2f%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/assets/....//secret.txt',
    '/secret.txt%00.js',
  ])('%s does not leave the folder', async (path) => {
    for (const accept of ['text/html', '*/*']) {
      const answer = await ask(path, { accept })
      expect(answer.body).not.toContain(SECRET)
      expect(answer.status === 404 || answer.body === PAGE).toBe(true)
    }
  })
})

describe('the description of the API', () => {
  type Schema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>
  type Media = { content: { 'application/json': { schema: Schema } } }
  interface Operation {
    summary: string
    parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
    requestBody?: Media
    responses: Record<string, Media>
  }
  let document: { openapi: string; info: object; paths: Record<string, Record<string, Operation>> }
  beforeAll(async () => {
    document = JSON.parse((await send(server.url, { path: '/openapi.json' })).body)
  })

  test('is OpenAPI 3.1 and lists exactly the calls of the protocol', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toEqual({ title: 'Tocsin', version: server.ctx.config.version })
    const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const wanted = Object.values(endpoints).map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(listed.sort()).toEqual(wanted.sort())
  })

  test.each(Object.entries(endpoints))('%s has the schemas of what it takes and gives', (_, endpoint) => {
    const { method, path, status = 200 } = endpoint as typeof endpoint & { status?: number }
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    expect(operation?.summary).toBe(endpoint.summary)
    const given = operation?.responses[status]?.content['application/json'].schema ?? {}
    const schemas = [given, ...(operation?.parameters ?? []).map(({ schema }) => schema)]
    if (method !== 'GET') schemas.push(operation?.requestBody?.content['application/json'].schema ?? {})
    for (const schema of schemas) {
      expect(Object.keys(schema)).not.toEqual([])
      expect(() => z.fromJSONSchema(schema)).not.toThrow()
    }
    const inPath = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'path' && parameter.required)
    expect(inPath.map(({ name }) => `:${name}`)).toEqual(path.match(/:\w+/g) ?? [])
  })
})
