import type { LookupAddress } from 'node:dns'
import { networkInterfaces } from 'node:os'
import { useTestDatabase } from '@tocsin/testkit/hooks'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createFeedTestBed,
  type FeedTestBed,
  type RawServer,
  startRawServer,
} from '../../../test/support/feed-test-bed.ts'
import { findReport } from './feed-report.ts'
import { testFeed } from './test-feed.ts'

/**
 * Checks that an admin cannot make this server connect to its internal network. The canary servers
 * in that network must receive nothing.
 */

const database = useTestDatabase()
let bed: FeedTestBed
let canaries: RawServer[]
let canaryPorts: { four: number; six: number; own: number }

beforeAll(async () => {
  bed = await createFeedTestBed(database, { allowPrivate: false })
  const silent = () => {}
  const ipv4Server = await startRawServer(silent)
  const ipv6Server = await startRawServer(silent, '::1')
  const ownServer = await startRawServer(silent, ownAddress())
  canaries = [ipv4Server, ipv6Server, ownServer]
  canaryPorts = { four: ipv4Server.port, six: ipv6Server.port, own: ownServer.port }
})
afterEach(() => {
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await bed.close()
  for (const canary of canaries) await canary.close()
})

/** Returns this machine's own address in its network, or loopback if it has none. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

const countConnections = () => canaries.reduce((sum, canary) => sum + canary.connections(), 0)
const shortTimes = { connectTimeoutMs: 20, totalMs: 40 }
const tryOnce = (endpoint: string, resolve?: (hostname: string) => Promise<LookupAddress[]>) =>
  testFeed(bed.testContext.ctx, { endpoint, apiKey: 'key-123', ...(resolve ? { resolve } : {}) }, shortTimes)
const NOT_PUBLIC = 'The endpoint is not at a public address'
const NOT_A_FEED = 'The endpoint must be ws:// or wss://'

const loopback = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '0',
  '0.0.0.0',
  '127.0.0.1.',
  '１２７.0.0.1',
  '127。0。0。1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
]
const insideSix = [
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[::127.0.0.1]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[ff02::1]',
]
const elsewhere = [
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '10.0.0.1',
  '10.1',
  '167772161',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '100.64.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
]

describe('an internal address is never reached', () => {
  it.each([...loopback, ...insideSix, ...elsewhere])('when spelled %s', async (host) => {
    for (const port of Object.values(canaryPorts)) {
      expect(await tryOnce(`ws://${host}:${port}/feed`)).toEqual({ success: false, message: NOT_PUBLIC })
    }
    expect((await tryOnce(`wss://${host}:${canaryPorts.four}/feed`)).message).toBe(NOT_PUBLIC)
    for (const scheme of ['http', 'https']) {
      expect((await tryOnce(`${scheme}://${host}:${canaryPorts.four}/feed`)).message).toBe(NOT_A_FEED)
    }
    expect(countConnections()).toBe(0)
  })

  it("when it is this machine's own address", async () => {
    expect((await tryOnce(`ws://${ownAddress()}:${canaryPorts.own}`)).message).toBe(NOT_PUBLIC)
    expect(countConnections()).toBe(0)
  })

  it.each([
    ['http://127.0.0.1', NOT_A_FEED],
    ['https://example.com', NOT_A_FEED],
    ['file:///etc/passwd', NOT_A_FEED],
    ['gopher://127.0.0.1', NOT_A_FEED],
    ['ws+unix:///tmp/socket', NOT_A_FEED],
    ['//127.0.0.1', NOT_A_FEED],
    ['ws://user:password@example.com', 'The endpoint must not contain a user name or password'],
    ['ws://example.com@127.0.0.1', 'The endpoint must not contain a user name or password'],
    ['ws://example.com#@127.0.0.1/', 'The endpoint must not have a fragment'],
    ['ws:\\\\127.0.0.1', NOT_PUBLIC],
    ['ws:127.0.0.1', NOT_PUBLIC],
    ['ws:////127.0.0.1', NOT_PUBLIC],
    ['\tws://127.0.0.1\n', NOT_PUBLIC],
  ])('when the endpoint is %j', async (endpoint, message) => {
    expect(await tryOnce(endpoint)).toEqual({ success: false, message })
    expect(countConnections()).toBe(0)
  })
})

describe('a name that resolves to an internal address is never reached', () => {
  const resolveTo =
    (...addresses: string[]) =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

  it.each([
    [['127.0.0.1']],
    [['::1']],
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['::ffff:127.0.0.1']],
    [['1.1.1.1', '127.0.0.1']],
    [['127.0.0.1', '1.1.1.1']],
    [['2606:4700::1', '::1']],
  ])('when it resolves to %j', async (addresses) => {
    for (const port of Object.values(canaryPorts)) {
      expect((await tryOnce(`ws://feed.example.com:${port}`, resolveTo(...addresses))).message).toBe(NOT_PUBLIC)
    }
    expect(countConnections()).toBe(0)
  })

  it('when a second DNS lookup would differ, because each connect resolves the name only once', async () => {
    const answers = [['1.1.1.1', '10.0.0.1'], ['127.0.0.1']]
    let lookups = 0
    const resolve = async () => resolveTo(...(answers[lookups++] ?? ['127.0.0.1']))()
    for (const _ of answers) {
      expect((await tryOnce(`ws://rebinding.example.com:${canaryPorts.four}`, resolve)).message).toBe(NOT_PUBLIC)
    }
    expect([lookups, countConnections()]).toEqual([2, 0])
  })

  it('when the environment sets a proxy at an internal address', async () => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy']) {
      vi.stubEnv(name, `http://127.0.0.1:${canaryPorts.four}`)
    }
    vi.stubEnv('NODE_USE_ENV_PROXY', '1')
    await tryOnce('ws://feed.invalid')
    expect(countConnections()).toBe(0)
  })
})

describe('the running feed', () => {
  it.each(['ws://127.1', 'ws://[::ffff:127.0.0.1]', 'ws://localhost'])('does not connect to %s', async (endpoint) => {
    const runningFeed = await createFeedTestBed(database, { allowPrivate: false })
    await runningFeed.save({ externalEndpoint: `${endpoint}:${canaryPorts.four}` })
    runningFeed.start()
    await runningFeed.waitForStatus({ state: 'failed' })
    expect((await findReport(runningFeed.testContext.ctx)).reason).toBe(NOT_PUBLIC)
    await runningFeed.close()
    expect(countConnections()).toBe(0)
  })
})

describe('a connection test does not reveal which ports and names exist', () => {
  it('because a closed port, a silent one and an unknown name give the same result after the same time', async () => {
    const permissiveBed = await createFeedTestBed(database)
    const endpoints = ['ws://127.0.0.1:9', `ws://127.0.0.1:${canaryPorts.four}`, 'ws://feed.invalid']
    const answers = []
    for (const endpoint of endpoints) {
      const beganAt = performance.now()
      const answer = await testFeed(
        permissiveBed.testContext.ctx,
        { endpoint, apiKey: null },
        { connectTimeoutMs: 300, totalMs: 600 },
      )
      answers.push({ ...answer, isSlow: performance.now() - beganAt >= 295 })
    }
    await permissiveBed.close()
    const expected = { success: false, message: 'The endpoint could not be reached', isSlow: true }
    expect(answers).toEqual([expected, expected, expected])
  })
})
