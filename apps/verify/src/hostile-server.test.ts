import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { type Handle, runVerify, runVerifyJson, startSite, type TestSite } from '../test/support/command-test-bed.ts'

let site: TestSite | null = null
afterEach(async () => {
  await site?.close()
})

const respondWith =
  (status: number, text: string, headers: Record<string, string> = {}): Handle =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
const respondWithJson = (value: unknown) => respondWith(200, JSON.stringify(value))

const sendEndlessBody: Handle = (_request, response) => {
  const block = Buffer.alloc(2 ** 20, 0x20)
  const writeUntilFull = () => {
    while (!response.destroyed && response.write(block));
  }
  response.on('drain', writeUntilFull)
  writeUntilFull()
}
const neverRespond: Handle = () => {}
const sendPartialBody: Handle = (_request, response) => {
  response.write('{')
}
const dropConnection: Handle = (_request, response) => {
  response.destroy()
}
const sendGzipBomb: Handle = (_request, response) => {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipBomb)
}
const gzipBomb = gzipSync(Buffer.alloc(64 * 2 ** 20, 0x20))
const anchor = { contract: `0x${'ab'.repeat(20)}`, chainId: 1, rpcUrl: 'http://127.0.0.1:1' }
const signer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const hostileResponses: [name: string, handle: Handle, reason: RegExp][] = [
  ['a page instead of JSON', respondWith(200, '<html>', { 'content-type': 'text/html' }), /that is not JSON/],
  [
    'a redirect to elsewhere',
    respondWith(302, '', { location: 'http://169.254.169.254/' }),
    /redirect \(302\), which is not fo/,
  ],
  ['a redirect to itself', respondWith(307, '', { location: '/api/config' }), /redirect \(307\)/],
  ['status 500', respondWith(500, '{}'), /returned 500/],
  ['status 429 for an hour', respondWith(429, '{}', { 'retry-after': '3600' }), /returned 429/],
  ['status 503 permanently', respondWith(503, '{}', { 'retry-after': '0' }), /returned 503/],
  ['an endless body', sendEndlessBody, /more than 16 MiB/],
  ['a decompression bomb', sendGzipBomb, /more than 16 MiB/],
  ['no response', neverRespond, /did not respond within 1 s/],
  ['a slow endless response', sendPartialBody, /did not respond within 1 s/],
  ['a closed connection', dropConnection, /could not be reached/],
  ['an array', respondWithJson([]), /does not respond/],
  ['null', respondWithJson(null), /does not respond/],
  ['a number', respondWithJson(1e308), /does not respond/],
  ['deep nesting', respondWith(200, '['.repeat(1_000_000)), /not JSON/],
  ['no anchor', respondWithJson({ firstSigner: signer }), /does not respond to \/api\/config/],
  ['wrong types', respondWithJson({ firstSigner: 7, anchor: { contract: {}, chainId: '1' } }), /does not respond/],
  ['no address', respondWithJson({ firstSigner: 'x\x1b[31m', anchor }), /malformed: .*(address|contract)/],
  [
    'no chain',
    respondWithJson({ firstSigner: signer, anchor: { ...anchor, chainId: -1 } }),
    /malformed: .*chain.* not a positive integer/,
  ],
  [
    'a fractional chain',
    respondWithJson({ firstSigner: signer, anchor: { ...anchor, chainId: 1.5 } }),
    /malformed: .*chain.* not a positive integer/,
  ],
]

describe.each([['--from-url'], ['--url']])('tocsin-verify %s ends with code 4 when the server returns', (option) => {
  test.each(hostileResponses)('%s', async (_name, handle, reason) => {
    site = await startSite(handle)
    const args = option === '--url' ? ['-', option, site.url] : [option, site.url]
    const isSlow = reason.source.includes('within 1 s')
    const result = await runVerify(isSlow ? [...args, '--timeout-seconds', '1'] : args, '{}')
    expect(result.code, result.out).toBe(4)
    expect(result.out).toMatch(reason)
    expect(result.out).not.toContain('\x1b')
    expect(result.out).not.toMatch(/\n\s+at |Error:/)
    expect(result.err).toBe('')
    expect(new Set(site.requests).size).toBeLessThanOrEqual(2)
  })
})

test('tocsin-verify: retries when a server is briefly busy', async () => {
  let requestCount = 0
  site = await startSite((_request, response) => {
    requestCount += 1
    if (requestCount < 3) response.writeHead(429, { 'retry-after': '0' }).end()
    else response.end('[]')
  })
  expect((await runVerify(['--from-url', site.url])).out).toMatch(/does not respond/)
  expect(requestCount).toBe(3)
})

test('tocsin-verify: reports a closed port', async () => {
  site = await startSite(neverRespond)
  await site.close()
  const { code, outcome } = await runVerifyJson(['--from-url', site.url])
  expect(code).toBe(4)
  expect(outcome).toMatchObject({ verdict: 'unavailable', exitCode: 4, failure: { step: null, index: null } })
  expect(outcome.failure?.reason).toMatch(/could not be reached \(ECONNREFUSED\)/)
})
