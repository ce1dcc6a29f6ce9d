import { isIPv6 } from 'node:net'

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i
const IPV6_NETWORK = /([\da-f]+:[\da-f]+:[\da-f]+):[\da-f]+::\/64$/

/**
 * Factor by which limits of a network are multiplied for its whole site. More than 1, because
 * several customers can share a /48.
 */
export const SITE_FACTOR = 4

/**
 * Returns the network that is stored and that rate limits count: an IPv4 address, or the /64 prefix
 * of an IPv6 address, because one household has 2^64 addresses (RFC 4291, 2.5.4).
 */
export function getNetwork(ip: string): string {
  const mappedIPv4 = MAPPED_IPV4.exec(ip)?.[1]
  if (mappedIPv4) return mappedIPv4
  if (!isIPv6(ip)) return ip
  const [front = '', back] = ip.toLowerCase().replace(/%.*$/, '').split('::')
  const groups = front === '' ? [] : front.split(':')
  const backGroupCount = back === undefined || back === '' ? 0 : back.split(':').length
  const zeroCount = back === undefined ? 0 : Math.max(0, 8 - groups.length - backGroupCount)
  const allGroups = [...groups, ...Array<string>(zeroCount).fill('0'), ...(back ? back.split(':') : [])]
  return `${allGroups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/**
 * Returns the site of an IPv6 network. This is its /48, usually the largest network of one customer
 * (RFC 6177). Limits per network also apply to the site, multiplied by SITE_FACTOR, because a
 * customer can use 65,536 networks.
 * @param network a network from `getNetwork`, or a text that ends with such a network
 * @returns null for IPv4, where the address is the site
 */
export function getSite(network: string): string | null {
  return IPV6_NETWORK.test(network) ? network.replace(IPV6_NETWORK, '$1::/48') : null
}

/**
 * True if at least `limit` of these networks are this network, or at least SITE_FACTOR * `limit` of
 * them belong to its site.
 */
export function isNetworkFull(networks: readonly string[], network: string, limit: number): boolean {
  const site = getSite(network)
  const networkCount = networks.filter((other) => other === network).length
  const siteCount = site === null ? 0 : networks.filter((other) => getSite(other) === site).length
  return networkCount >= limit || siteCount >= SITE_FACTOR * limit
}

/** Returns an IP address of a network that `getNetwork` has returned. */
export function getAddress(network: string): string {
  return network.replace(/\/64$/, '')
}
