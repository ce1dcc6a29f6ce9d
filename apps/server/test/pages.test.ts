import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Endpoint, endpoints, refusalStatus } from '@tocsin/protocol'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { send } from './raw-client.ts'
import {
  GATE_HTML,
  LANDING_HTML,
  NOT_FOUND_HTML,
  PAGE_HTML,
  RECORD_HTML,
  SECRET_TEXT,
  writeSite,
} from './site-fixture.ts'

const immutableCaching = 'public, max-age=31536000, immutable'
let site: Awaited<ReturnType<typeof writeSite>>
const parts = useTestDatabaseAndChain()
let server: TestServer

beforeAll(async () => {
  site = await writeSite()
  server = await startTestServer(parts, { http: { webDir: site.webDir, keptAssetsDir: site.keptAssetsDir } })
})
afterAll(async () => {
  await server?.close()
  await site?.remove()
})

test('metrics: without a token only direct loopback requests are allowed', async () => {
  const { body } = await send(server.url, { path: '/metrics' })
  expect(body).toContain('tocsin_log_entries')
  expect(body).toMatch(/^tocsin_anchors_left \d+$/m)
  for (const headers of [{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }]) {
    expect((await send(server.url, { path: '/metrics', headers })).status).toBe(403)
  }
})

test.each([
  ['', undefined],
  ['br', 'br'],
  ['gzip', 'gzip'],
])('proof worker: has its own content security policy with the encoding “%s”', async (accepted, coding) => {
  const path = '/assets/proof-worker-0a1b2c.js'
  const { status, headers } = await send(server.url, { path, headers: { 'accept-encoding': accepted } })
  expect({ status, coding: headers['content-encoding'] }).toEqual({ status: 200, coding })
  // The file was compressed in the build, so the response has a Content-Length.
  expect(Number(headers['content-length'])).toBeGreaterThan(0)
  expect(headers['content-security-policy']).toContain('connect-src https: http://localhost:*')
  expect(headers['content-security-policy']).toContain("require-trusted-types-for 'script'; trusted-types 'none'")
})

test.each(['', 'br', 'gzip', 'gzip, deflate, br, zstd', 'br;q=0, gzip'])(
  'hashed file: the responses from disk and from memory are equal with Accept-Encoding “%s”',
  async (accepted) => {
    const path = '/assets/proof-worker-0a1b2c.js'
    const requestFile = (headers: Record<string, string> = {}) =>
      send(server.url, { path, headers: { 'accept-encoding': accepted, ...headers } })
    const [first, second] = [await requestFile(), await requestFile()]
    const pickStableParts = ({ status, headers, body }: typeof first) => {
      const { date, 'x-request-id': id, ...otherHeaders } = headers
      return { status, body, headers: Object.entries(otherHeaders).filter(([name]) => !name.startsWith('x-ratelimit')) }
    }
    expect(pickStableParts(second)).toEqual(pickStableParts(first))
    expect(first.headers.vary).toMatch(/accept-encoding/i)
    const etag = first.headers.etag ?? ''
    expect((await requestFile({ 'if-none-match': etag })).status).toBe(304)
    expect((await requestFile({ 'if-none-match': 'W/"other"' })).status).toBe(200)
    const head = await send(server.url, { method: 'HEAD', path, headers: { 'accept-encoding': accepted } })
    expect([head.body, head.headers.etag]).toEqual(['', etag])
  },
)

describe('after a new build:', () => {
  const loadFile = async (path: string) => {
    const { status, headers, body } = await send(server.url, { path })
    return { status, body, cache: headers['cache-control'], policy: headers['content-security-policy'] }
  }

  test('scripts of the previous build are still served, and unknown scripts return 404', async () => {
    await writeFile(join(site.keptAssetsDir, 'previous', 'page-old.js'), 'let old')
    await writeFile(join(site.keptAssetsDir, 'previous', 'proof-worker-old.js'), 'let old')
    expect(await loadFile('/assets/page-old.js')).toMatchObject({
      status: 200,
      body: 'let old',
      cache: immutableCaching,
    })
    expect((await loadFile('/assets/proof-worker-old.js')).policy).toContain('connect-src https:')
    await writeFile(join(site.keptAssetsDir, 'previous', 'recompute-worker-old.js'), 'let old')
    expect((await loadFile('/assets/recompute-worker-old.js')).policy).toMatch(
      /connect-src https:.*script-src 'wasm-unsafe-eval'/,
    )
    expect((await loadFile('/assets/proof-worker-old.js')).policy).not.toContain('script-src')
    expect(await loadFile('/assets/page-older.js')).toMatchObject({ status: 404 })
  })

  test('a script that the next build removes from the site is still served', async () => {
    await rm(join(site.webDir, 'assets', 'late-0a1b2c.js'))
    expect(await loadFile('/assets/late-0a1b2c.js')).toMatchObject({
      status: 200,
      body: 'let late',
      cache: immutableCaching,
    })
  })

  test('responses of the API name the build, other responses do not', async () => {
    expect((await send(server.url, { path: '/api/config' })).headers['tocsin-build']).toBe('build-1')
    expect((await send(server.url, { path: '/healthz' })).headers['tocsin-build']).toBeUndefined()
  })

  test('a navigation to a path below /assets gets a page, not a script', async () => {
    const headers = { accept: 'text/html', host: new URL(server.url).host }
    const { status, headers: responseHeaders } = await send(server.url, { path: '/assets/BTC', headers })
    expect({ status, type: responseHeaders['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' })
  })
})

test.each(['/robots.txt', '/sitemap.xml', '/openapi.json', '/healthz', '/readyz'])(
  'HEAD %s: returns the headers of GET without a body',
  async (path) => {
    const [headResponse, getResponse] = [
      await send(server.url, { method: 'HEAD', path }),
      await send(server.url, { path }),
    ]
    expect({
      status: headResponse.status,
      body: headResponse.body,
      type: headResponse.headers['content-type'],
    }).toEqual({
      status: 200,
      body: '',
      type: getResponse.headers['content-type'],
    })
  },
)

test.each(['bytes=0-1', 'bytes=9999999-', 'bytes=5-2', 'bytes=0-1,3-4', 'lines=1', 'bytes='])(
  'range request %s: gets the whole file',
  async (range) => {
    for (const path of ['/favicon.svg', '/assets/app-0a1b2c.js']) {
      expect((await send(server.url, { path, headers: { range } })).status).toBe(200)
    }
  },
)

describe('pages', () => {
  const requestPage = (path: string, headers: Record<string, string> = {}) =>
    send(server.url, { path, headers: { accept: 'text/html', host: new URL(server.url).host, ...headers } })

  test.each([
    ['/nowhere', 404],
    ['/assets', 404],
    ['/apix', 404],
    ['/page-home.html', 404],
    ['/index.html', 404],
    ['/pages.json', 404],
    ['/record-html.mjs', 404],
    ['/alert-html.mjs', 404],
    ['/page-alert.html', 404],
    ['/embed.html', 404],
    ['/embed', 404],
    ['/dashboard', 200],
    ['/dashboard/', 200],
    ['/assets/BTC-USDT', 200],
    ['/assets/app~.js', 200],
    ['/assets/BTC/USDT', 404],
    ['/settings/x', 404],
    ['/verify-email?token=x', 200],
    ['/dev/outbox', 200],
  ])('GET %s returns status %d with a page', async (path, expectedStatus) => {
    const { status, headers, body } = await requestPage(path)
    expect({ status, body, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
      status: expectedStatus,
      body: expectedStatus === 200 ? PAGE_HTML : NOT_FOUND_HTML,
      type: 'text/html; charset=utf-8',
      cache: 'no-cache',
    })
  })

  test('a prerendered page contains the origin of this site', async () => {
    expect(await requestPage('/')).toMatchObject({
      status: 200,
      body: LANDING_HTML.replace('https://origin.invalid', server.url),
    })
  })

  const signedInGate = GATE_HTML.replace('<html', '<html data-session="in"')
  test.each([
    ['no cookie', '', GATE_HTML],
    ['another cookie', 'theme=tocsin', GATE_HTML],
    ['a session cookie, valid or not', 'theme=1; tocsin=gone', signedInGate],
  ])(
    'a page that needs a session has data-session="in" only with a session cookie: %s',
    async (_name, cookie, expectedBody) => {
      const { status, headers, body } = await requestPage('/settings', { cookie })
      expect({ status, body }).toEqual({ status: 200, body: expectedBody })
      expect(headers.vary).toContain('Cookie')
    },
  )

  test('a public page is the same with and without a session', async () => {
    const { headers, body } = await requestPage('/', { cookie: 'tocsin=gone' })
    expect(body).toBe(LANDING_HTML.replace('https://origin.invalid', server.url))
    expect(headers.vary).not.toContain('Cookie')
  })

  test.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000', null],
    ['identity', null],
  ])('for Accept-Encoding %s a page is encoded as %s', async (accepted, encoding) => {
    const answer = await fetch(server.url, { headers: { accept: 'text/html', 'accept-encoding': accepted } })
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(answer.headers.get('vary')).toContain('Accept-Encoding')
    expect(await answer.text()).toBe(LANDING_HTML.replace('https://origin.invalid', server.url))
  })

  test('the track record page contains the figures of the public record', async () => {
    const readHtml = async (path: string) => (await requestPage(path)).body
    await expect.poll(() => readHtml('/track-record'), { timeout: 10_000 }).not.toBe(RECORD_HTML)
    const filledPage = await readHtml('/track-record/?utm_source=x')
    const size = /of (\d+) on/.exec(filledPage)?.[1]
    expect(filledPage).toBe(
      RECORD_HTML.replace('loading', () => `<b>$& n 0 of ${size} on ${server.url}, demo false</b>`),
    )
  })

  test.each([
    ['status=true&utm_source=x', { status: 'true' }],
    ['by=type&key=Price+move&set=counted&cursor=7', { set: 'counted', by: 'type', key: 'Price move' }],
    ['status=unknown', null],
    ['by=type', null],
    ['cursor=7', null],
  ])('the track record page for ?%s lists alerts only if the query selects a figure', async (query, selection) => {
    await expect.poll(async () => (await requestPage('/track-record')).body, { timeout: 10_000 }).not.toBe(RECORD_HTML)
    const chosenText = /<\/b>(.*)<\/record-content>/.exec((await requestPage(`/track-record?${query}`)).body)?.[1]
    expect(chosenText).toBe(selection ? JSON.stringify({ selection, items: [], next: null }) : '')
  })

  test('robots.txt names the sitemap, and the sitemap lists the public pages, both under this origin', async () => {
    expect((await requestPage('/robots.txt')).body).toContain(`Sitemap: ${server.url}/sitemap.xml`)
    const sitemap = await requestPage('/sitemap.xml')
    expect(sitemap.headers['content-type']).toContain('application/xml')
    expect(sitemap.body.match(/<loc>.*?<\/loc>/g)).toEqual([`<loc>${server.url}/</loc>`])
  })

  test('a client that accepts any type gets the page, and one that accepts only JSON gets 404', async () => {
    expect(await requestPage('/dashboard', { accept: '*/*' })).toMatchObject({ status: 200, body: PAGE_HTML })
    expect((await requestPage('/dashboard', { accept: 'application/json' })).status).toBe(404)
  })

  test('hashed files are cached permanently, and a file without a hash in its name has Cache-Control no-cache', async () => {
    expect((await requestPage('/assets/app-0a1b2c.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    )
    expect((await requestPage('/favicon.svg')).headers['cache-control']).toBe('no-cache')
  })

  test('static files can be requested 700 times from one address without reaching the rate limit', async () => {
    const requestAsset = () => send(server.url, { path: '/assets/app-0a1b2c.js' })
    for (let visit = 0; visit < 7; visit++) {
      const answers = await Promise.all(Array.from({ length: 100 }, requestAsset))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    }
  })

  test('unknown paths return 404', async () => {
    expect(await requestPage('/api/nothing')).toMatchObject({
      status: 404,
      headers: { 'content-type': expect.stringMatching('json') },
    })
    expect((await requestPage('/assets/gone.js', { accept: '*/*' })).status).toBe(404)
    const post = { method: 'POST', path: '/dashboard' }
    expect((await send(server.url, { ...post, headers: { accept: 'text/html', origin: 'null' } })).status).toBe(403)
    expect((await send(server.url, { ...post, headers: { accept: 'text/html', origin: server.url } })).status).toBe(404)
  })

  test.each([
    ['/auth?next=1', '/auth?next=1'],
    ['//evil.example/x', '/evil.example/x'],
    ['/\\evil.example', '/\\evil.example'],
    ['/@evil.example', '/@evil.example'],
  ])('%s under another host redirects to the configured origin', async (path, target) => {
    const answer = await requestPage(path, { host: 'other.example', 'x-forwarded-host': 'other.example' })
    expect(answer.status).toBe(302)
    expect(answer.headers.location).toBe(`${server.url}${target}`)
    expect(new URL(answer.headers.location ?? '').origin).toBe(server.url)
    expect(answer.whole).not.toContain('other.example')
  })

  test('a request with an absolute URL of another host returns 404 instead of a redirect', async () => {
    const answer = await requestPage('http://evil.example/', { host: 'evil.example' })
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
  ])('%s does not escape the site folder', async (path) => {
    for (const accept of ['text/html', '*/*']) {
      const answer = await requestPage(path, { accept })
      expect(answer.body).not.toContain(SECRET_TEXT)
      expect(answer.status).toBe(404)
    }
  })
})

describe('OpenAPI document', () => {
  type Schema = Exclude<Parameters<typeof z.fromJSONSchema>[0], boolean>
  type Media = { content?: Record<string, { schema: Schema }> }
  interface Operation {
    summary: string
    security?: object[]
    'x-scope'?: string
    parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
    requestBody?: Media
    responses: Record<string, Media>
  }
  let document: {
    openapi: string
    info: object
    paths: Record<string, Record<string, Operation>>
    components: { securitySchemes: Record<string, object> }
  }
  beforeAll(async () => {
    document = JSON.parse((await send(server.url, { path: '/openapi.json' })).body)
  })

  test('is OpenAPI 3.1 and lists exactly the endpoints of the protocol', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toEqual({ title: 'Tocsin', version: server.ctx.config.version })
    const listedEndpoints = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const expectedEndpoints = Object.values(endpoints).map(
      ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`,
    )
    expect(listedEndpoints.sort()).toEqual(expectedEndpoints.sort())
  })

  test('describes API keys with their limits and refusals', () => {
    const { apiKey } = document.components.securitySchemes
    expect(apiKey).toMatchObject({ type: 'http', scheme: 'bearer' })
    const codes = Object.keys(refusalStatus).filter((code) => code.startsWith('api_key_'))
    expect(codes).toHaveLength(4)
    for (const word of [...codes, '429 with Retry-After', '600']) expect(JSON.stringify(apiKey)).toContain(word)
  })

  test.each(Object.entries(endpoints))('has the request and response schemas of %s', (_, endpoint) => {
    const { method, path, status = 200, responseType }: Endpoint = endpoint
    const mediaType: string = responseType ?? 'application/json'
    const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    expect(operation?.summary).toBe(endpoint.summary)
    const { scope, creates }: Endpoint = endpoint
    expect(operation?.['x-scope']).toBe(scope)
    expect(operation?.security).toEqual(scope && [{}, { apiKey: [scope] }])
    const key = JSON.stringify(operation?.parameters?.find(({ name }) => name === 'idempotency-key') ?? null)
    expect([key !== 'null', key.includes('idempotency_secret')]).toEqual([creates !== undefined, creates === 'secret'])
    const responseSchema = operation?.responses[status]?.content?.[mediaType]?.schema
    // Redirects have no body and no response schema.
    const schemas = [
      ...(status === 302 ? [] : [responseSchema ?? {}]),
      ...(operation?.parameters ?? []).map(({ schema }) => schema),
    ]
    if (method !== 'GET') schemas.push(operation?.requestBody?.content?.['application/json']?.schema ?? {})
    for (const schema of schemas) {
      expect(Object.keys(schema)).not.toEqual([])
      expect(() => z.fromJSONSchema(schema)).not.toThrow()
    }
    const pathParameters = (operation?.parameters ?? []).filter(
      (parameter) => parameter.in === 'path' && parameter.required,
    )
    expect(pathParameters.map(({ name }) => `:${name}`)).toEqual(path.match(/:\w+/g) ?? [])
  })
})
