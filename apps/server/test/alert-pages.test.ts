import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { alertAt } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { type FakeClock, fakeClock } from '@tocsin/testkit'
import { useTestDatabaseAndChain } from '@tocsin/testkit/hooks'
import { startTestServer, type TestServer } from '@tocsin/testkit/server'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { alertOutcomes } from '../src/db/schema/alerts.ts'
import { createIssuer } from '../src/features/alerts/issue-alerts.ts'
import { createAlertPages } from '../src/features/system/alert-pages.ts'
import { createAlertRenderer } from '../src/features/system/alert-renderer.ts'
import { send } from './raw-client.ts'
import { NOT_FOUND_HTML, writeSite } from './site-fixture.ts'

const HOSTILE = 'zqold </title><script>alert(1)</script> "$&"'

let site: Awaited<ReturnType<typeof writeSite>>
const parts = useTestDatabaseAndChain()
let clock: FakeClock
let server: TestServer
let indexes: Record<'old' | 'fresh' | 'draft', number>
/** Session cookie of a subscriber, who has access to the fresh alert. */
let cookie: string
let token: string

beforeAll(async () => {
  site = await writeSite()
  clock = fakeClock(new Date())
  server = await startTestServer(parts, { http: { webDir: site.webDir, trustedProxies: 1 } }, { clock })
  const oldAlert = await issueTestAlert(HOSTILE)
  clock.advance(25 * HOUR_MS)
  const freshAlert = await issueTestAlert('zqfresh')
  const draft = await issueTestAlert('zqdraft', false)
  indexes = { old: oldAlert.logIndex, fresh: freshAlert.logIndex, draft: draft.logIndex }
  const { client } = await server.addUser({ planMs: HOUR_MS })
  token = (await client.call('shareAlert', { params: { id: freshAlert.id } })).token ?? ''
  cookie = client.cookie()
})
afterAll(async () => {
  await server?.close()
  await site?.remove()
})

async function issueTestAlert(summary: string, broadcast = true) {
  const content = { asset: 'ZZQ', anomalyType: '', regime: '', summary, confidence: 50, priority: 'low' as const }
  return (await createIssuer(server.ctx)({ content, origin: 'admin', broadcast })).alert
}

const requestPage = (path: string, { method = 'GET', ...headers }: { method?: string; [name: string]: string } = {}) =>
  send(server.url, { method, path, headers: { accept: 'text/html', host: new URL(server.url).host, ...headers } })

describe('the page of an alert that is not public', () => {
  test('contains only its public part, regardless of session and token in the query', async () => {
    const plainResponse = await requestPage(`/a/${indexes.fresh}`)
    expect(plainResponse.status).toBe(200)
    expect(plainResponse.body).toContain('<meta name="robots" content="noindex" />')
    expect(plainResponse.body).toContain(`<meta property="og:image" content="${server.url}/share.png" />`)
    expect(plainResponse.body).not.toMatch(/zq|ZZQ|salt|0x[0-9a-f]{130}/)
    for (const [path, headers] of [
      [`/a/${indexes.fresh}`, { cookie }],
      [`/a/${indexes.fresh}?token=${token}`, {}],
      [`/a/${indexes.fresh}/?${token}`, { cookie }],
    ] as const) {
      expect((await requestPage(path, headers)).body, path).toBe(plainResponse.body)
    }
  })

  test('has the same length for alerts whose texts have different lengths', async () => {
    const { logIndex } = await issueTestAlert('zqmuch longer than the other one, with more words')
    const lengths = await Promise.all(
      [indexes.fresh, logIndex].map(async (at) => (await requestPage(`/a/${at}`)).body.length),
    )
    expect(lengths[0]).toBe(lengths[1])
  })

  test.each([
    ['an alert that was not sent', () => String(indexes.draft)],
    ['a key list', () => '0'],
    ['an index without an entry', () => '1000000'],
    ['the largest possible index', () => String(Number.MAX_SAFE_INTEGER)],
    ...['', '-1', '1e3', '9007199254740992', '01', '1.0', '0x1', 'text', '%31', '1%00', '1/2', 'x'.repeat(10_000)].map(
      (text): [string, () => string] => [`“${text.slice(0, 20)}”`, () => text],
    ),
  ])('is the 404 page for %s', async (_name, index) => {
    for (const method of ['GET', 'HEAD']) {
      for (const path of [`/a/${index()}`, `/embed/${index()}`, `/a/${index()}/embed`]) {
        const { status, headers, body } = await requestPage(path, { method })
        expect({ status, body }).toEqual({ status: 404, body: method === 'HEAD' ? '' : NOT_FOUND_HTML })
        expect(headers['x-frame-options']).toBe('DENY')
      }
    }
  })
})

describe('the page of a public alert', () => {
  test('contains its text, its metadata and the data to verify it', async () => {
    const { status, headers, body } = await requestPage(`/a/${indexes.old}`)
    expect([status, headers['cache-control'], headers['content-type']]).toEqual([
      200,
      'no-cache',
      'text/html; charset=utf-8',
    ])
    const escapedSummary = 'zqold &lt;/title>&lt;script>alert(1)&lt;/script> &quot;$&amp;&quot;'
    expect(body).toContain(`<title>public ${escapedSummary} · Tocsin</title>`)
    expect(body).toContain(`<meta name="description" content="&quot;$&amp;&quot; of public ${escapedSummary}" />`)
    expect(body).toContain(`<link rel="canonical" href="${server.url}/a/${indexes.old}" />`)
    expect(body).toContain(`<meta property="og:image" content="${server.url}/alert-images/${indexes.old}.png" />`)
    expect(body).toContain('<alert-content class="contents"><b>$& public zqold')
    expect(body).not.toMatch(/<script>|name="robots"|loading/)
    const json = /<script type="application\/json" id="alert-data">(.*?)<\/script>/s.exec(body)?.[1] ?? ''
    const answer = await server.createClient().call('alertAt', { params: { index: String(indexes.old) } })
    expect(alertAt.parse(JSON.parse(json))).toEqual(answer)
    expect(answer).toMatchObject({ access: 'public', bundle: { alert: { summary: HOSTILE } } })
  })

  test('has no body in the response to HEAD, and is compressed', async () => {
    expect(await requestPage(`/a/${indexes.old}`, { method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
    const answer = await fetch(`${server.url}/a/${indexes.old}`, { headers: { 'accept-encoding': 'gzip' } })
    expect(answer.headers.get('content-encoding')).toBe('gzip')
    expect(await answer.text()).toContain('zqold')
  })
})

describe.each([
  ['/alert-images/N.png', (index: number | string) => `/alert-images/${index}.png`, '198.51.100'],
  ['/a/N/image.png', (index: number | string) => `/a/${index}/image.png`, '203.0.113'],
])('the preview image of an alert at %s', (_path, pathOf, networks) => {
  const fetchImage = (index: number | string, headers: Record<string, string> = {}) =>
    fetch(server.url + pathOf(index), { headers })

  test.each([
    ['that is not public', () => indexes.fresh],
    ['that was not sent', () => indexes.draft],
    ['with a malformed index', () => '1e3'],
    ['with an index beyond 2^53', () => '9007199254740993'],
  ])('%s gets the same response as that of an unknown alert', async (_name, getIndex) => {
    const [missingResponse, answer] = [await fetchImage(1_000_000), await fetchImage(`${getIndex()}`, { cookie })]
    const readVisible = async (response: Response) => [
      response.status,
      (await response.text()).replace(/"requestId":"[^"]+"/, ''),
    ]
    expect(await readVisible(answer)).toEqual(await readVisible(missingResponse))
    expect(answer.status).toBe(404)
    const bySecret = await fetch(`${server.url}${pathOf(indexes.fresh)}?token=${token}`)
    expect(bySecret.status).toBe(404)
  })

  test('is a PNG of 1200 x 630 that other sites may show, and gets 304 when it is unchanged', async () => {
    const answer = await fetchImage(indexes.old)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
    const bytes = Buffer.from(await answer.arrayBuffer())
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1200, 630])
    const etag = answer.headers.get('etag') ?? ''
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const secondResponse = await fetchImage(indexes.old, { 'if-none-match': header })
      expect([secondResponse.status, await secondResponse.text()], header).toEqual([304, ''])
    }
    const head = await fetch(server.url + pathOf(indexes.old), { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)])
  })

  test('is limited to 60 requests a minute for each network', async () => {
    const fetchImageFrom = (address: string) => fetchImage(indexes.old, { 'x-forwarded-for': address })
    const statuses = await Promise.all(
      Array.from({ length: 61 }, async () => (await fetchImageFrom(`${networks}.7`)).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(60)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect((await fetchImageFrom(`${networks}.8`)).status).toBe(200)
  })
})

describe.each([
  ['/embed/N', (index: number) => `/embed/${index}`],
  ['/a/N/embed', (index: number) => `/a/${index}/embed`],
])('the embeddable page of an alert at %s', (_path, pathOf) => {
  test('is the only page that other sites may embed, and sets no cookie', async () => {
    const { status, headers, body } = await requestPage(pathOf(indexes.old), { cookie })
    expect(status).toBe(200)
    expect(headers['x-frame-options']).toBeUndefined()
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors \*;/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe|connect-src|form-action 'self'/)
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
    expect(headers['set-cookie']).toBeUndefined()
    expect(body).toContain('<embed-content><b>$& public zqold')
    expect(body).toContain('<script type="application/json" id="alert-data">')
    for (const path of ['/', '/dashboard', `/a/${indexes.old}`, '/nowhere']) {
      const other = await requestPage(path)
      expect(other.headers['x-frame-options'], path).toBe('DENY')
      expect(other.headers['content-security-policy'], path).toContain("frame-ancestors 'none'")
    }
  })

  test('contains nothing of an alert that is not public, whatever session or token is sent', async () => {
    const plain = await requestPage(pathOf(indexes.fresh))
    expect(plain.body).not.toMatch(/zq|ZZQ|salt|0x[0-9a-f]{130}/)
    expect((await requestPage(`${pathOf(indexes.fresh)}?token=${token}`, { cookie })).body).toBe(plain.body)
  })

  test.each([
    ['', 'dark'],
    ['?theme=dark', 'dark'],
    ['?theme=light', 'light'],
    ['?theme=%22%3E%3Cscript%3E', 'dark'],
  ])('when requested with the query "%s" has the theme %s', async (query, theme) => {
    expect((await requestPage(pathOf(indexes.old) + query)).body).toContain(`<html data-theme="${theme}">`)
  })
})

test('outcome message: is sent only to readers of its alert, and is on pages only if the alert is public', async () => {
  const { db } = server.ctx
  const at = clock.now()
  const outcome = { verdict: 'did-not', measured: '0.5', createdAt: at } as const
  const createMessageHash = (digit: string) => `0x${digit.repeat(64)}`
  // `logIndex` must reference a log entry. The test needs no real outcome entries, so it uses the
  // entries of two alerts.
  await db.insert(alertOutcomes).values([
    {
      ...outcome,
      logIndex: indexes.draft,
      targetIndex: indexes.old,
      messageHash: createMessageHash('1'),
      message: 'zqjudged',
    },
    {
      ...outcome,
      logIndex: indexes.old,
      targetIndex: indexes.fresh,
      messageHash: createMessageHash('2'),
      message: 'zqsecret',
    },
  ])
  onTestFinished(async () => {
    await db.delete(alertOutcomes)
  })
  for (const path of ['a', 'embed']) {
    expect((await requestPage(`/${path}/${indexes.old}`)).body).toContain('"outcomeMessage":"zqjudged"')
    expect((await requestPage(`/${path}/${indexes.fresh}`, { cookie })).body).not.toContain('zq')
  }
  expect((await requestPage(`/api/alerts/at/${indexes.fresh}`)).body).not.toContain('zq')
  expect((await requestPage(`/api/alerts/at/${indexes.fresh}`, { cookie })).body).toContain(
    '"outcomeMessage":"zqsecret"',
  )
})

test('page of an alert: is rendered once template and renderer exist, even after an earlier read failed', async () => {
  const webDir = await mkdtemp(join(tmpdir(), 'pages-'))
  const config = { ...server.ctx.config, http: { ...server.ctx.config.http, webDir } }
  const pages = createAlertPages({ ...server.ctx, config }, createAlertRenderer(webDir))
  const renderPage = () => pages.render(`/a/${indexes.old}`, new URLSearchParams())
  for (const file of ['page-alert.html', 'alert-html.mjs']) {
    await expect(renderPage()).rejects.toThrow()
    await copyFile(join(site.webDir, file), join(webDir, file))
  }
  expect((await renderPage())?.html).toContain('public zqold')
  await rm(webDir, { recursive: true })
})
