import { expect, test } from 'vitest'
import { getNetwork, getSite, isNetworkFull } from './network.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0001:0002::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['no address', 'no address'],
])('getNetwork: returns the network of %s as %s', (ip, network) => {
  expect(getNetwork(ip)).toBe(network)
})

test.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['192.0.2.1', null],
  ['::ffff:192.0.2.1', null],
  ['no address', null],
])('getSite: returns the /48 of %s as %s', (ip, site) => {
  expect(getSite(getNetwork(ip))).toBe(site)
})

test('getSite: keeps the prefix of a rate limit key', () => {
  expect(getSite(`feeds ${getNetwork('2001:db8:1:2::3')}`)).toBe('feeds 2001:db8:1::/48')
})

test('isNetworkFull: returns true at the limit of a network, and at four times that limit for its /48', () => {
  const createNetwork = (site: number, index: number) => getNetwork(`2001:db8:${site}:${index}::1`)
  const ofSite = Array.from({ length: 8 }, (_, index) => createNetwork(1, index))
  expect(isNetworkFull(ofSite, createNetwork(1, 9), 2)).toBe(true)
  expect(isNetworkFull(ofSite.slice(1), createNetwork(1, 9), 2)).toBe(false)
  expect(isNetworkFull(ofSite, createNetwork(2, 0), 2)).toBe(false)
  expect(isNetworkFull(['192.0.2.1', '192.0.2.1'], '192.0.2.1', 2)).toBe(true)
  expect(isNetworkFull(['192.0.2.1', '192.0.2.1'], '192.0.2.2', 2)).toBe(false)
})
