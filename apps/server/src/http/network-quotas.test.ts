import { expect, test } from 'vitest'
import { NetworkQuotas } from './network-quotas.ts'

const formatNetwork = (site: number, index: number) => `2001:db8:${site}:${index.toString(16)}::/64`

test('NetworkQuotas: rejects an IPv6 /48 that spreads its requests over many /64 networks', () => {
  const quotas = new NetworkQuotas(5, 1_000)
  const results = Array.from({ length: 100 }, (_, index) => quotas.consume(formatNetwork(1, index), 0))
  expect(results.filter(Boolean)).toHaveLength(20)
  expect(quotas.waitMs(formatNetwork(1, 200), 400)).toBe(600)
  expect(quotas.consume(formatNetwork(2, 0), 400), 'another site').toBe(true)
  expect(quotas.consume('192.0.2.1', 400)).toBe(true)
  expect(quotas.consume(formatNetwork(1, 200), 1_000), 'after the window').toBe(true)
})

test('NetworkQuotas: rejects a /64 at its limit, and still accepts other networks of the same /48', () => {
  const quotas = new NetworkQuotas(5, 1_000)
  const results = Array.from({ length: 50 }, () => quotas.consume(formatNetwork(1, 1), 0))
  expect(results.filter(Boolean)).toHaveLength(5)
  expect(quotas.waitMs(formatNetwork(1, 1), 0)).toBe(1_000)
  expect(quotas.consume(formatNetwork(1, 2), 0)).toBe(true)
})

test('NetworkQuotas: limits each IPv4 address separately', () => {
  const quotas = new NetworkQuotas(5, 1_000)
  const results = Array.from({ length: 100 }, (_, index) => quotas.consume(`192.0.2.${index}`, 0))
  expect(results.filter(Boolean)).toHaveLength(100)
})
