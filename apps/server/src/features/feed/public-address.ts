import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/**
 * Blocks that are not ordinary unicast addresses of the Internet: multicast, and the IANA
 * special-purpose registries (RFC 6890 and its updates). These include globally reachable entries
 * that belong to a service (AS112, AMT, 6to4 relays).
 */
const notPublicIPv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/**
 * Blocks within 2000::/3, the only global unicast range, that are not public. 2001::/23 contains
 * Teredo, ORCHID, AMT (2001:3::/32) and AS112 (2001:4:112::/48).
 */
const notPublicIPv6 = ['2001::/23', '2001:db8::/32', '2620:4f:8000::/48', '3fff::/20']

/** Prefixes that embed an IPv4 address, and the 16-bit group at which the address begins. */
const embeddingPrefixes = [
  { prefix: '::ffff:0:0/96', atGroup: 6 },
  { prefix: '64:ff9b::/96', atGroup: 6 },
  { prefix: '2002::/16', atGroup: 1 },
].map(({ prefix, atGroup }) => ({ block: createBlockList([prefix], 'ipv6'), atGroup }))

const blockedIPv4 = createBlockList(notPublicIPv4, 'ipv4')
const blockedIPv6 = createBlockList(notPublicIPv6, 'ipv6')
const globalIPv6 = createBlockList(['2000::/3'], 'ipv6')

function createBlockList(subnets: string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

/**
 * Returns true if the IP address belongs to the public Internet. For an embedded IPv4 address, that
 * address is checked.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blockedIPv4.check(address, 'ipv4')
  if (!isIPv6(address) || address.includes('%')) return false
  const groups = parseGroups(address)
  for (const { block, atGroup } of embeddingPrefixes) {
    if (block.check(formatGroups(groups), 'ipv6'))
      return isPublicAddress(formatIPv4(groups[atGroup], groups[atGroup + 1]))
  }
  const groupsText = formatGroups(groups)
  return globalIPv6.check(groupsText, 'ipv6') && !blockedIPv6.check(groupsText, 'ipv6')
}

/** Returns the eight groups of 16 bits. */
function parseGroups(address: string): number[] {
  const [head = '', tail] = address.split('::')
  const headGroups = parseSide(head)
  if (tail === undefined) return headGroups
  const tailGroups = parseSide(tail)
  return [...headGroups, ...new Array<number>(8 - headGroups.length - tailGroups.length).fill(0), ...tailGroups]
}

function parseSide(side: string): number[] {
  if (side === '') return []
  return side.split(':').flatMap((part) => {
    if (isIP(part) !== 4) return [Number.parseInt(part, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}

function formatGroups(groups: number[]): string {
  return groups.map((group) => group.toString(16)).join(':')
}

function formatIPv4(high = 0, low = 0): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}
