import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { type Handle, runVerify, runVerifyJson, startSite, type TestSite } from '../test/support/command-test-bed.ts'

let site: TestSite | null = null
afterEach(async () => {
  await site?.close()
})

const say =
  (status: number, text: string, headers: Record<string, string> = {}): Handle =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
const json = (value: unknown) => say(200, JSON.stringify(value))

const flood: Handle = (_request, response) => {
  const block = Buffer.alloc(2 ** 20, 0x20)
  const pour = () => {
    while (!response.destroyed && response.write(block));
  }
  response.on('drain', pour)
  pour()
}
const hang: Handle = () => {}
const drip: Handle = (_request, response) => {
  response.write('{')
}
const slam: Handle = (_request, response) => {
  response.destroy()
}
const swell: Handle = (_request, response) => {
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
}
const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, 0x20))
const anchor = { contract: `0x${'ab'.repeat(20)}`, chainId: 1, rpcUrl: 'http://127.0.0.1:1' }
const signer = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'

const tricks: [name: string, handle: Handle, reason: RegExp][] = [
  ['a page instead of JSON', say(200, '<html>', { 'content-type': 'text/html' }), /that is not JSON/],
  [
    'a redirect to elsewhere',
    say(302, '', { location: 'http://169.254.169.254/' }),
    /redirect \(302\), which is not fo/,
  ],
  ['a redirect to itself', say(307, '', { location: '/api/config' }), /redirect \(307\)/],
  ['status 500', say(500, '{}'), /returned 500/],
  ['status 429 for an hour', say(429, '{}', { 'retry-after': '3600' }), /returned 429/],
  ['status 503 permanently', say(503, '{}', { 'retry-after': '0' }), /returned 503/],
  ['an endless body', flood, /more than 16 MiB/],
  ['a decompression bomb', swell, /more than 16 MiB/],
  ['no response', hang, /did not respond within 1 s/],
  ['a slow endless response', drip, /did not respond within 1 s/],
  ['a closed connection', slam, /could not be reached/],
  ['an array', json([]), /does not respond/],
  ['null', json(null), /does not respond/],
  ['a number', json(1e308), /does not respond/],
  ['deep nesting', say(200, '['.repeat(1_000_000)), /not JSON/],
  ['no anchor', json({ firstSigner: signer }), /does not respond to \/api\/config/],
  ['wrong types', json({ firstSigner: 7, anchor: { contract: {}, chainId: '1' } }), /does not respond/],
  ['no address', json({ firstSigner: 'x\x1b[31m', anchor }), /malformed: .*(address|contract)/],
  [
    'no chain',
    json({ firstSigner: signer, anchor: { ...anchor, chainId: -1 } }),
    /malformed: .*chain.* not a positive integer/,
  ],
  [
    'a fractional chain',
    json({ firstSigner: signer, anchor: { ...anchor, chainId: 1.5 } }),
    /malformed: .*chain.* not a positive integer/,
  ],
]

describe.each([['--from-url'], ['--url']])('tocsin-verify %s ends with code 4 when the server returns', (option) => {
  test.each(tricks)('%s', async (_name, handle, reason) => {
    site = await startSite(handle)
    const args = option === '--url' ? ['-', option, site.url] : [option, site.url]
    const isSlow = reason.source.includes('within 1 s')
    const ran = await runVerify(isSlow ? [...args, '--timeout-seconds', '1'] : args, '{}')
    expect(ran.code, ran.out).toBe(4)
    expect(ran.out).toMatch(reason)
    expect(ran.out).not.toContain('\x1b')
    expect(ran.out).not.toMatch(/\n\s+at |Error:/)
    expect(ran.err).toBe('')
    expect(new Set(site.requests).size).toBeLessThanOrEqual(2)
  })
})

test('tocsin-verify: retries when a server is briefly busy', async () => {
  let tries = 0
  site = await startSite((_request, response) => {
    tries += 1
    if (tries < 3) response.writeHead(429, { 'retry-after': '0' }).end()
    else response.end('[]')
  })
  expect((await runVerify(['--from-url', site.url])).out).toMatch(/does not respond/)
  expect(tries).toBe(3)
})

test('tocsin-verify: reports a closed port', async () => {
  site = await startSite(hang)
  await site.close()
  const { code, outcome } = await runVerifyJson(['--from-url', site.url])
  expect(code).toBe(4)
  expect(outcome).toMatchObject({ verdict: 'unavailable', exitCode: 4, failure: { step: null, index: null } })
  expect(outcome.failure?.reason).toMatch(/could not be reached \(ECONNREFUSED\)/)
})
