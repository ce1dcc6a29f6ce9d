import { afterEach, expect, test, vi } from 'vitest'
import { consumeOutboundQuota, resolveWithinLimit } from './outbound-quota.ts'

afterEach(() => vi.restoreAllMocks())

const resolveTo = (...addresses: string[]) => {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return async () => found
}
const countAdmitted = async (hosts: string[], address: (at: number) => string) => {
  const answers = await Promise.all(
    hosts.map((host, index) => resolveWithinLimit('webhook', host, resolveTo(address(index)))),
  )
  return answers.filter((answer) => answer !== null).length
}
const createHostNames = (count: number, domain: string) =>
  Array.from({ length: count }, (_, index) => `a${index}.${domain}`)

test('resolveWithinLimit: allows 120 requests an hour to one IP address, regardless of the host name', async () => {
  expect(await countAdmitted(createHostNames(200, 'evil.example'), () => '203.0.113.7')).toBe(120)
  expect(await resolveWithinLimit('ntfy', 'other.example', resolveTo('203.0.113.8', '203.0.113.7'))).toBeNull()
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_000)
  consumeOutboundQuota('webhook', 'elsewhere.example')
  expect(await resolveWithinLimit('webhook', 'evil.example', resolveTo('203.0.113.7'))).toHaveLength(1)
})

test('resolveWithinLimit: counts the addresses of an IPv6 network together', async () => {
  expect(await countAdmitted(createHostNames(200, 'six.example'), (at) => `2001:db8:0:7::${at.toString(16)}`)).toBe(120)
})

test('consumeOutboundQuota: counts the IPv6 addresses of a network together, regardless of the port', () => {
  const hosts = Array.from(
    { length: 200 },
    (_, index) => `[2001:db8:0:8::${index.toString(16)}]:${index % 2 ? 443 : 8443}`,
  )
  expect(hosts.filter((host) => consumeOutboundQuota('webhook', host))).toHaveLength(120)
})

test('resolveWithinLimit: does not limit large push services, and returns no addresses when the host is unknown', async () => {
  const hosts = Array<string>(200).fill('updates.push.services.mozilla.com')
  const answers = await Promise.all(hosts.map((host) => resolveWithinLimit('web-push', host, resolveTo('203.0.113.9'))))
  expect(new Set(answers)).toEqual(new Set([undefined]))
  const fail = () => Promise.reject(new Error('ENOTFOUND'))
  expect(await resolveWithinLimit('webhook', 'unknown.example', fail)).toEqual([])
})
