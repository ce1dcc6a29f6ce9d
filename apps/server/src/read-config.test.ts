import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressOfKey } from '@tocsin/proof'
import { expect, test } from 'vitest'
import { ConfigError, completeConfig, type Env, getProductionParts, readSettings } from './read-config.ts'

const address = '0x5AEDA56215b167893e80B4fE645BA6d5Bab767DE'
const key = `0x${'11'.repeat(32)}`
const productionSettings: Env = {
  PUBLIC_URL: 'https://alerts.example.com/',
  DATABASE_URL: 'postgres://tocsin@db.internal/tocsin',
  CHAIN_ID: '1',
  PAYMENT_RPC_URL: 'https://rpc-1.example.com, https://rpc-2.example.com',
  TOKEN_ADDRESS: address.toLowerCase(),
  TREASURY_ADDRESS: address,
  ANCHOR_CHAIN_ID: '43114',
  ANCHOR_RPC_URL: 'https://rpc.example.com',
  ANCHOR_CONTRACT: address,
  ANCHOR_KEY: key,
  SIGNER_KEY: `0x${'22'.repeat(32)}`,
  APP_SECRET: 'a secret of at least thirty-two characters',
  SMTP_URL: 'smtps://mail.example.com',
  MAIL_FROM: 'Tocsin <alerts@example.com>',
}

function getProblems(env: Env): string[] {
  try {
    readSettings(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test.each<[string, Env, RegExp]>([
  ['a demo market that is unknown', { DEMO_MARKET: 'real' }, /^DEMO_MARKET is neither simulated nor live/],
  [
    'a demo market in production',
    { ...productionSettings, DEMO_MARKET: 'live' },
    /^DEMO_MARKET is set, but this is not a demo/,
  ],
  ['a live demo with a feed', { DEMO_MARKET: 'live', FEED_URL: 'ws://a' }, /^DEMO_MARKET=live and FEED_URL are both/],
  ['a live demo with unknown markets', { DEMO_MARKET: 'live', ENGINE_MARKETS: 'a:b' }, /^ENGINE_MARKETS is not a list/],
  ['a live demo with a wrong URL', { DEMO_MARKET: 'live', ENGINE_OKX_URL: 'x' }, /^ENGINE_OKX_URL is not a ws/],
  ['a market data URL of HTTP', { MARKET_DATA_URL: 'http://a' }, /^MARKET_DATA_URL is not a ws\(s\):/],
  ['a market data URL with a login', { MARKET_DATA_URL: 'ws://a:b@c' }, /^MARKET_DATA_URL is a URL with a user name/],
  ['a feed URL of HTTP', { FEED_URL: 'http://a' }, /^FEED_URL is not a ws\(s\):/],
  ['a feed URL that is no URL', { FEED_URL: 'a' }, /^FEED_URL is not a ws\(s\):/],
  ['a feed URL with a login', { FEED_URL: 'ws://a:b@c' }, /^FEED_URL is a URL with a user name/],
  ['a feed URL with a fragment', { FEED_URL: 'ws://a/#b' }, /^FEED_URL is a URL with a user name, .* or a fragment/],
  ['a key of the feed with a character that is not ASCII', { FEED_API_KEY: 'schlüssel' }, /^FEED_API_KEY is not a key/],
  ['a key without market data', { MARKET_DATA_KEY: 'k' }, /^MARKET_DATA_KEY is set without MARKET_DATA_URL/],
  [
    'a key of market data with a line break',
    { MARKET_DATA_URL: 'ws://a', MARKET_DATA_KEY: 'a\nb' },
    /^MARKET_DATA_KEY is not a key/,
  ],
  [
    'an admin without a domain',
    { ADMIN_EMAIL: 'admin@localhost' },
    /^ADMIN_EMAIL is not a plain email address\. Example/,
  ],
  ['an admin with a name', { ADMIN_EMAIL: 'Ops <ops@example.com>' }, /^ADMIN_EMAIL is not a plain email address/],
  ['an invalid port', { PORT: 'http' }, /^PORT is .*Example: PORT=3000$/],
  [
    'an address with a wrong checksum',
    { ...productionSettings, TREASURY_ADDRESS: address.replace('A', 'a') },
    /^TREASURY_ADDRESS is mistyped/,
  ],
  [
    'an address that is too short',
    { ...productionSettings, TOKEN_ADDRESS: '0x12' },
    /^TOKEN_ADDRESS is not an address/,
  ],
  [
    'a public URL with a path',
    { ...productionSettings, PUBLIC_URL: 'https://example.com/tocsin' },
    /^PUBLIC_URL is not an origin \(/,
  ],
  [
    'a public URL that would end a directive of the Content-Security-Policy',
    { ...productionSettings, PUBLIC_URL: 'https://example.com;script-src' },
    /^PUBLIC_URL is not an origin \(/,
  ],
  ['a short secret', { ...productionSettings, APP_SECRET: 'short' }, /^APP_SECRET is shorter/],
  ['a missing anchor key of a real chain', { ...productionSettings, ANCHOR_KEY: undefined }, /^ANCHOR_KEY is missing/],
  ['a missing file', { APP_SECRET_FILE: '/nonexistent/secret' }, /^APP_SECRET_FILE is not readable/],
  ['an empty file', { METRICS_TOKEN_FILE: '/dev/null' }, /^METRICS_TOKEN_FILE is empty: \/dev\/null$/],
  ['a value and a file together', { PORT: '3000', PORT_FILE: '/nonexistent/port' }, /^PORT and PORT_FILE are both set/],
  [
    'neither a demo nor a real chain',
    { ...productionSettings, DEMO: 'false', PAYMENT_RPC_URL: undefined, ANCHOR_RPC_URL: undefined },
    /^PAYMENT_RPC_URL is missing/,
  ],
  [
    'a demo of real chains',
    { ...productionSettings, DEMO: 'true' },
    /^DEMO is true, but there are real chains \(PAYMENT_RPC_URL, ANCHOR_RPC_URL\)/,
  ],
  ['a DEMO value that is neither true nor false', { DEMO: 'no' }, /^DEMO is neither true nor false/],
  ['a provider without a secret', { GOOGLE_CLIENT_ID: 'id' }, /^GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET go together/],
  [
    'a provider without an id',
    { LINKEDIN_CLIENT_SECRET: 'secret' },
    /^LINKEDIN_CLIENT_ID and LINKEDIN_CLIENT_SECRET go/,
  ],
  ['an issuer that is not a URL', { OAUTH_ISSUER_GOOGLE: 'issuer' }, /^OAUTH_ISSUER_GOOGLE is not an http\(s\) URL/],
  ['an issuer without TLS', { OAUTH_ISSUER_GOOGLE: 'http://issuer.example' }, /^OAUTH_ISSUER_GOOGLE is not an https/],
  ['an invalid project id', { WALLETCONNECT_PROJECT_ID: 'https://cloud.example/0123' }, /_ID is not a project id/],
  [
    'a relay without a project',
    { WALLETCONNECT_RELAY_URL: 'wss://relay.example.com' },
    /^WALLETCONNECT_RELAY_URL is set without WALLETCONNECT_PROJECT_ID/,
  ],
  ...[
    'https://relay.example.com',
    'ws://relay.example.com',
    'wss://relay.example.com/path',
    'wss://relay.example.com?a=1',
    'wss://user@relay.example.com',
    "wss://relay.example.com;script-src'",
    "wss://relay.example.com 'unsafe-eval'",
  ].map((url): [string, Env, RegExp] => [
    `a relay at ${url}`,
    { WALLETCONNECT_PROJECT_ID: 'ab'.repeat(16), WALLETCONNECT_RELAY_URL: url },
    /^WALLETCONNECT_RELAY_URL is not a/,
  ]),
  [
    'a key that is not the treasury’s',
    { ...productionSettings, TREASURY_KEY: `0x${'7f'.repeat(32)}` },
    /^TREASURY_KEY is not the key of TREASURY_ADDRESS/,
  ],
  [
    'an invalid treasury key',
    { ...productionSettings, TREASURY_KEY: `0x${'00'.repeat(32)}` },
    /^TREASURY_KEY is not the key of TREASURY_ADDRESS/,
  ],
  ['a treasury key in the demo', { TREASURY_KEY: `0x${'7f'.repeat(32)}` }, /^TREASURY_KEY is set, but this is a demo/],
  ['one key to sign and anchor', { ...productionSettings, SIGNER_KEY: key }, /^SIGNER_KEY is also ANCHOR_KEY/],
  [
    'a next key equal to the anchor key',
    { ...productionSettings, SIGNER_KEY_NEXT: key },
    /^SIGNER_KEY_NEXT is also ANCHOR_KEY/,
  ],
  [
    'a signing key that is the treasury key, in upper case',
    {
      ...productionSettings,
      SIGNER_KEY: `0x${'AB'.repeat(32)}`,
      TREASURY_ADDRESS: addressOfKey(Buffer.alloc(32, 0xab)),
    },
    /^SIGNER_KEY is also the key of the treasury/,
  ],
  [
    'an anchor key that is the treasury key of another chain',
    {
      ...productionSettings,
      PAYMENT_CHAINS: JSON.stringify([
        {
          chainId: 137,
          rpcUrls: ['https://polygon.example.com'],
          token: address,
          treasury: addressOfKey(Buffer.alloc(32, 0x11)),
          confirmations: 64,
        },
      ]),
    },
    /^ANCHOR_KEY is also the key of the treasury/,
  ],
  ['a real treasury in the demo', { TREASURY_ADDRESS: address }, /^TREASURY_ADDRESS is set, but this is a demo/],
])('readSettings: refuses %s', (_name, env, problem) => {
  expect(getProblems(env)[0]).toMatch(problem)
})

test('readSettings: reports all invalid and missing settings together', () => {
  const problems = getProblems({ PAYMENT_RPC_URL: 'https://node', PORT: '0', TOKEN_ADDRESS: 'none' })
  const names = problems.map((problem) => problem.split(' ')[0])
  expect(names.slice(0, 3)).toEqual(['PORT', 'TOKEN_ADDRESS', 'PUBLIC_URL'])
  expect(names).toHaveLength(14)
})

test.each([
  ['a missing chain', {}, /^PAYMENT_RPC_URL is missing/],
  ['DEMO=true', { DEMO: 'true' }, /^DEMO is true, but this installation contains no demo/],
])('readSettings: rejects %s when no demo is installed', (_name, givenEnv, problem) => {
  expect(() => readSettings(givenEnv, { hasDemo: false })).toThrow(
    expect.objectContaining({ problems: expect.arrayContaining([expect.stringMatching(problem)]) }),
  )
})

test('readSettings: accepts a feed URL whose path and query contain the character @', () => {
  const url = 'wss://feed.example.com/a@b?key=c@d'
  expect(readSettings({ FEED_URL: url }).set.FEED_URL).toBe(url)
})

test('readSettings: accepts an empty environment for the demo and warns about unknown names', () => {
  const { demo, warnings } = readSettings({ TOCSIN_PORT: '80', PATH: '/bin' })
  expect(demo).toBe(true)
  expect(warnings).toEqual([expect.stringContaining('TOCSIN_PORT')])
})

test.each([
  ['SECURITY_LOG_DAYS', 90, 3_650],
  ['AUDIT_LOG_DAYS', 365, 36_500],
  ['DELIVERIES_DAYS', 7, 3_650],
  ['LETTERS_DAYS', 30, 36_500],
] as const)('readSettings: %s is a whole number of days from %i to %i', (name, minDays, maxDays) => {
  const readDays = (value: number) => readSettings({ [name]: String(value) }).set[name]
  expect([readDays(minDays), readDays(maxDays)]).toEqual([minDays, maxDays])
  for (const value of [minDays - 1, maxDays + 1, minDays + 0.5])
    expect(() => readDays(value)).toThrow(`${name} is not a whole`)
})

test('readSettings: warns of a production installation whose staff need no second factor', () => {
  const getWarnings = (more: object) => readSettings({ ...productionSettings, ...more }).warnings
  expect(getWarnings({ ADMIN_SECOND_FACTOR: 'false' })).toEqual([expect.stringMatching(/^ADMIN_SECOND_FACTOR=false: /)])
  expect([getWarnings({}), getWarnings({ ADMIN_SECOND_FACTOR: 'true' })]).toEqual([[], []])
  expect(readSettings({ ADMIN_SECOND_FACTOR: 'false' }).warnings, 'the demo').toEqual([])
})

test('readSettings: reads checksummed addresses, secrets from files and several nodes for production', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tocsin-config-'))
  const file = join(folder, 'secret')
  writeFileSync(file, `${productionSettings.APP_SECRET}\n`)
  const settings = readSettings({ ...productionSettings, APP_SECRET: undefined, APP_SECRET_FILE: file })
  rmSync(folder, { recursive: true })
  const config = completeConfig(settings, getProductionParts(settings), '1.0.0', '/site')
  expect(config).toMatchObject({
    demo: false,
    http: { publicUrl: 'https://alerts.example.com' },
    payment: { token: address, rpcUrls: ['https://rpc-1.example.com', 'https://rpc-2.example.com'], confirmations: 1 },
    appSecret: productionSettings.APP_SECRET,
    firstAdmin: null,
  })
})

test('readSettings: configures a sign-in provider by its client id and secret, with an optional issuer', () => {
  const clients = {
    GOOGLE_CLIENT_ID: 'g',
    GOOGLE_CLIENT_SECRET: 's',
    LINKEDIN_CLIENT_ID: 'l',
    LINKEDIN_CLIENT_SECRET: 't',
  }
  const getProviders = (env: Env) => {
    const settings = readSettings({ ...productionSettings, ...env })
    return completeConfig(settings, getProductionParts(settings), '1.0.0', '/site').providers
  }
  expect(getProviders({})).toEqual({ google: null, linkedin: null })
  expect(getProviders(clients)).toEqual({
    google: { issuer: 'https://accounts.google.com', clientId: 'g', clientSecret: 's' },
    linkedin: { issuer: 'https://www.linkedin.com/oauth', clientId: 'l', clientSecret: 't' },
  })
  const ownIssuerEnv = { ...clients, OAUTH_ISSUER_LINKEDIN: 'http://127.0.0.1:9000' }
  expect(getProviders(ownIssuerEnv).linkedin?.issuer).toBe('http://127.0.0.1:9000')
})

test('readSettings: enables WalletConnect when a project is configured, with an optional relay', () => {
  const readWalletConnect = (env: Env) => {
    const settings = readSettings({ ...productionSettings, ...env })
    return completeConfig(settings, getProductionParts(settings), '1.0.0', '/site').walletConnect
  }
  const projectId = 'ab'.repeat(16)
  const getRelay = (url: string) =>
    readWalletConnect({ WALLETCONNECT_PROJECT_ID: projectId, WALLETCONNECT_RELAY_URL: url })?.relayUrl
  expect(readWalletConnect({})).toBeNull()
  expect(readWalletConnect({ WALLETCONNECT_PROJECT_ID: '' })).toBeNull()
  expect(readWalletConnect({ WALLETCONNECT_PROJECT_ID: projectId })).toEqual({
    projectId,
    relayUrl: 'wss://relay.walletconnect.org',
  })
  expect(getRelay('wss://relay.example.com/')).toBe('wss://relay.example.com')
  expect(getRelay('ws://127.0.0.1:5555')).toBe('ws://127.0.0.1:5555')
})

test('readSettings: also reports names of unknown settings when other settings are invalid', () => {
  const env = { PORT: '99999', LOG_LEVEL: 'loud', TOCSIN_PORT: '80' }
  expect(() => readSettings(env)).toThrow(
    /2 problems:\n.*not a port.*\n.*LOG_LEVEL is not one of.*\nTOCSIN_PORT is not/,
  )
})
