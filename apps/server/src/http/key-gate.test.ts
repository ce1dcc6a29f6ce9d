import { beforeEach, expect, test } from 'vitest'
import { Refusal } from '../refusal.ts'
import { createKeyGate, type KeyGate } from './key-gate.ts'

const invalid = new Refusal('api_key_invalid', 'This API key is not valid')

let valid: Set<string>
let lookups: string[]
let clock: { nowMs: number }
let gate: KeyGate
let perMinute: number
let accountOf: (token: string) => string

beforeEach(() => {
  valid = new Set(['known', 'unused'])
  lookups = []
  perMinute = 1_000_000
  accountOf = (token) => `account of ${token}`
  clock = { nowMs: 0 }
  gate = createKeyGate(
    async (token) => {
      lookups.push(token)
      if (!valid.has(token)) throw invalid
      return { id: token, accountId: accountOf(token), scopes: ['alerts'], requestsPerMinute: perMinute }
    },
    () => clock.nowMs,
  )
})

const admit = (token: string, network = '192.0.2.1') =>
  gate.admit(token, { network, scope: 'alerts', cost: 1 }).then(
    () => 'served',
    (refusal: Refusal) => refusal.code,
  )

async function useUpFailures(network = '192.0.2.1') {
  for (let index = 0; index < 60; index++) expect(await admit(`guess ${index}`, network)).toBe('api_key_invalid')
}

test('key gate: refuses further guesses of a network, without a lookup', async () => {
  await useUpFailures()
  lookups = []
  expect(await admit('guess 60')).toBe('too_many_requests')
  expect(await admit('unused'), 'a key that this instance has not accepted yet').toBe('too_many_requests')
  expect(lookups).toEqual([])
  expect(await admit('guess 60', '192.0.2.2')).toBe('api_key_invalid')
  clock.nowMs = 60_000
  expect(await admit('unused')).toBe('served')
})

test('key gate: serves a key that it has accepted before when others of its network have guessed', async () => {
  expect(await admit('known', '198.51.100.1')).toBe('served')
  await useUpFailures()
  expect(await admit('known')).toBe('served')
  expect(lookups.at(-1), 'the database still decides').toBe('known')
})

test('key gate: limits a key that was accepted before and then revoked', async () => {
  expect(await admit('known')).toBe('served')
  await useUpFailures()
  valid.delete('known')
  expect(await admit('known')).toBe('api_key_invalid')
  expect(await admit('known')).toBe('too_many_requests')
})

test('key gate: remembers the 10,000 keys that were used last', async () => {
  for (let index = 0; index <= 10_000; index++) valid.add(`key ${index}`)
  await admit('key 0')
  await admit('key 1')
  await admit('key 0')
  for (let index = 2; index <= 10_000; index++) await admit(`key ${index}`)
  await useUpFailures()
  expect(await admit('key 0')).toBe('served')
  expect(await admit('key 1')).toBe('too_many_requests')
})

test('key gate: limits the guesses of an IPv6 site, however many networks it has', async () => {
  for (let index = 0; index < 4; index++) await useUpFailures(`2001:db8:1:${index}::/64`)
  expect(await admit('guess', '2001:db8:1:ffff::/64')).toBe('too_many_requests')
  expect(await admit('guess', '2001:db8:2:1::/64')).toBe('api_key_invalid')
})

test('key gate: refuses a key at its request limit without a lookup, until its minute ends', async () => {
  perMinute = 10
  for (let count = 0; count < 10; count++) expect(await admit('known')).toBe('served')
  expect(await admit('known')).toBe('too_many_requests')
  lookups = []
  expect(await admit('known')).toBe('too_many_requests')
  expect(lookups).toEqual([])
  clock.nowMs = 60_000
  expect(await admit('known')).toBe('served')
})

test('key gate: limits all keys of an account together, also those that were created since', async () => {
  perMinute = 600
  accountOf = () => 'one'
  for (let count = 0; count < 600; count++) expect(await admit('known')).toBe('served')
  expect(await admit('unused')).toBe('too_many_requests')
  clock.nowMs = 60_000
  expect(await admit('unused')).toBe('served')
})
