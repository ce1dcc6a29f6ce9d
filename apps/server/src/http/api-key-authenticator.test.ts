import { beforeEach, expect, test } from 'vitest'
import { Refusal } from '../refusal.ts'
import { type ApiKeyAuthenticator, createApiKeyAuthenticator } from './api-key-authenticator.ts'

const invalidKey = new Refusal('api_key_invalid', 'This API key is not valid')

let validTokens: Set<string>
let lookedUpTokens: string[]
let clock: { nowMs: number }
let authenticator: ApiKeyAuthenticator
let keyRateLimit: number
let requestCost: number
let getAccountId: (token: string) => string

beforeEach(() => {
  validTokens = new Set(['known', 'unused'])
  lookedUpTokens = []
  keyRateLimit = 1_000_000
  requestCost = 1
  getAccountId = (token) => `account of ${token}`
  clock = { nowMs: 0 }
  authenticator = createApiKeyAuthenticator(
    async (token) => {
      lookedUpTokens.push(token)
      if (!validTokens.has(token)) throw invalidKey
      return { id: token, accountId: getAccountId(token), scopes: ['alerts'], requestsPerMinute: keyRateLimit }
    },
    () => clock.nowMs,
  )
})

const authenticate = (token: string, network = '192.0.2.1') =>
  authenticator.authenticate(token, { network, scope: 'alerts', cost: requestCost }).then(
    () => 'served',
    (refusal: Refusal) => refusal.code,
  )

async function useUpFailures(network = '192.0.2.1') {
  for (let index = 0; index < 60; index++) expect(await authenticate(`guess ${index}`, network)).toBe('api_key_invalid')
}

test('authenticator: refuses a network that guessed too many keys, without querying the database', async () => {
  await useUpFailures()
  lookedUpTokens = []
  expect(await authenticate('guess 60')).toBe('too_many_requests')
  expect(await authenticate('unused'), 'a key that this instance has not accepted yet').toBe('too_many_requests')
  expect(lookedUpTokens).toEqual([])
  expect(await authenticate('guess 60', '192.0.2.2')).toBe('api_key_invalid')
  clock.nowMs = 60_000
  expect(await authenticate('unused')).toBe('served')
})

test('authenticator: still serves a previously accepted key when others in the same network guess keys', async () => {
  expect(await authenticate('known', '198.51.100.1')).toBe('served')
  await useUpFailures()
  expect(await authenticate('known')).toBe('served')
  expect(lookedUpTokens.at(-1), 'the database still decides').toBe('known')
})

test('authenticator: refuses a revoked key as invalid once, then as rate limited, when its network guessed too many keys', async () => {
  expect(await authenticate('known')).toBe('served')
  await useUpFailures()
  validTokens.delete('known')
  expect(await authenticate('known')).toBe('api_key_invalid')
  expect(await authenticate('known')).toBe('too_many_requests')
})

test('authenticator: exempts the 10,000 most recently used keys from the limit on guesses of their network', async () => {
  for (let index = 0; index <= 10_000; index++) validTokens.add(`key ${index}`)
  await authenticate('key 0')
  await authenticate('key 1')
  await authenticate('key 0')
  for (let index = 2; index <= 10_000; index++) await authenticate(`key ${index}`)
  await useUpFailures()
  expect(await authenticate('key 0')).toBe('served')
  expect(await authenticate('key 1')).toBe('too_many_requests')
})

test('authenticator: limits the guesses of an IPv6 /48, even when they come from several /64 networks', async () => {
  for (let index = 0; index < 4; index++) await useUpFailures(`2001:db8:1:${index}::/64`)
  expect(await authenticate('guess', '2001:db8:1:ffff::/64')).toBe('too_many_requests')
  expect(await authenticate('guess', '2001:db8:2:1::/64')).toBe('api_key_invalid')
})

test('authenticator: refuses a key above its limit without a database lookup, until its minute ends', async () => {
  keyRateLimit = 10
  for (let count = 0; count < 10; count++) expect(await authenticate('known')).toBe('served')
  expect(await authenticate('known')).toBe('too_many_requests')
  lookedUpTokens = []
  expect(await authenticate('known')).toBe('too_many_requests')
  expect(lookedUpTokens).toEqual([])
  clock.nowMs = 60_000
  expect(await authenticate('known')).toBe('served')
})

test('authenticator: all keys of an account share one limit, including keys that were not used before', async () => {
  keyRateLimit = 600
  getAccountId = () => 'one'
  for (let count = 0; count < 600; count++) expect(await authenticate('known')).toBe('served')
  expect(await authenticate('unused')).toBe('too_many_requests')
  clock.nowMs = 60_000
  expect(await authenticate('unused')).toBe('served')
})

test('authenticator: a key can use its full quota when another key of the account has used up its quota', async () => {
  keyRateLimit = 300
  getAccountId = () => 'one'
  const expectServed = async (token: string, count: number) => {
    for (let request = 0; request < count; request++) expect(await authenticate(token)).toBe('served')
  }
  await expectServed('unused', 1)
  clock.nowMs = 30_000
  await expectServed('known', 1)
  clock.nowMs = 60_000
  await expectServed('unused', 1)
  clock.nowMs = 89_000
  await expectServed('known', 299)
  // A minute after the first request with the key `known`.
  clock.nowMs = 90_000
  for (let request = 0; request < 300; request++) await authenticate('known')
  expect(await authenticate('known')).toBe('too_many_requests')
  clock.nowMs = 92_000
  await expectServed('unused', 299)
  expect(await authenticate('unused')).toBe('too_many_requests')
})

test('authenticator: refusals state when to retry, and refused requests do not use up the account’s limit', async () => {
  keyRateLimit = 600
  getAccountId = () => 'one'
  const readWait = (token: string) =>
    authenticator.authenticate(token, { network: '192.0.2.1', scope: 'alerts', cost: requestCost }).then(
      () => 'served',
      ({ details }: Refusal) => details?.retryAfterSeconds,
    )
  requestCost = 595
  expect(await readWait('known')).toBe('served')
  clock.nowMs = 55_000
  requestCost = 10
  for (let count = 0; count < 100; count++) expect(await readWait('unused')).toBe(5)
  requestCost = 5
  expect(await readWait('unused')).toBe('served')
  requestCost = 1
  expect(await readWait('unused')).toBe(5)
})
