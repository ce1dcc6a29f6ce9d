import { isIPv6 } from 'node:net'

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const IPV6_NETWORK = /([\da-f]+:[\da-f]+:[\da-f]+):[\da-f]+::\/64$/

/**
 * How much more all networks of a provider's customer may do together than one of them. A /48 can
 * hold many customers too, as one IPv4 address does.
 */
export const SITE_FACTOR = 4

/**
 * The network that is stored and that rate limits count by: an IPv4 address, or the /64 prefix of
 * an IPv6 address, because one household has 2^64 addresses (RFC 4291, 2.5.4).
 */
export function networkOf(ip: string): string {
  const mapped = MAPPED_IPV4.exec(ip)?.[1]
  if (mapped) return mapped
  if (!isIPv6(ip)) return ip
  const [front = '', back] = ip.toLowerCase().replace(/%.*$/, '').split('::')
  const groups = front === '' ? [] : front.split(':')
  const behind = back === undefined || back === '' ? 0 : back.split(':').length
  const zeros = back === undefined ? 0 : Math.max(0, 8 - groups.length - behind)
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(back ? back.split(':') : [])]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/**
 * The site of an IPv6 network: its /48, the most that one customer of a provider usually gets (RFC
 * 6177). Limits per network also apply to the site with SITE_FACTOR, because a customer can use
 * 65,536 networks.
 * @param network from `networkOf`, also behind a prefix
 * @returns null for IPv4, where the address is the site
 */
export function siteOf(network: string): string | null {
  return IPV6_NETWORK.test(network) ? network.replace(IPV6_NETWORK, '$1::/48') : null
}

/** True if `limit` of the networks that use something are this one, or too many are of its site. */
export function isNetworkFull(networks: readonly string[], network: string, limit: number): boolean {
  const site = siteOf(network)
  const ofNetwork = networks.filter((other) => other === network).length
  const ofSite = site === null ? 0 : networks.filter((other) => siteOf(other) === site).length
  return ofNetwork >= limit || ofSite >= SITE_FACTOR * limit
}

/** An address of a network from `networkOf`. */
export function addressOf(network: string): string {
  return network.replace(/\/64$/, '')
}
