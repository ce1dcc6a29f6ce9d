import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { DestinationKind } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { getNetwork } from '../../http/network.ts'
import { Quotas } from '../../quota.ts'
import type { Resolve } from '../feed/endpoint.ts'

/**
 * Maximum number of requests in an hour from all accounts to a host whose owner has not agreed to
 * them. Requests are counted by name and by IP address, because a wildcard DNS record gives one
 * address any number of names. Applies only to kinds that accept any host. The other kinds need no
 * limit, because only the owner of a chat knows its URL.
 */
const MAX_UNSOLICITED_PER_HOUR = 120
const kindsOfAnyHost = ['webhook', 'ntfy', 'web-push']
/**
 * Hosts without this limit: large services, which such requests do not harm. A few accounts would
 * otherwise use up the limit for everyone.
 */
const largeServices =
  /(^|\.)(fcm\.googleapis\.com|push\.services\.mozilla\.com|notify\.windows\.com|push\.apple\.com|ntfy\.sh)$/
const unsolicitedQuotas = new Quotas(MAX_UNSOLICITED_PER_HOUR, HOUR_MS)
/** Maximum number of emails with a code to one mailbox in an hour, from all accounts. */
const MAX_MAILS_PER_HOUR = 5
const mailQuotas = new Quotas(MAX_MAILS_PER_HOUR, HOUR_MS)

/**
 * Returns the mailbox of an address. Most services ignore a plus sign and the text after it, so
 * such addresses count as one mailbox.
 */
export const toMailbox = (address: string) => address.toLowerCase().replace(/\+[^@]*@/, '@')

/**
 * Counts a request to a host, or an email with a code, and returns false if the limit is reached.
 * @param hostOrAddress the host, or the email address
 */
export function consumeOutboundQuota(kind: DestinationKind, hostOrAddress: string): boolean {
  const nowMs = performance.now()
  for (const quotas of [unsolicitedQuotas, mailQuotas]) quotas.deleteIdle(nowMs)
  if (kind === 'email') return mailQuotas.consume(toMailbox(hostOrAddress), nowMs)
  if (!isLimited(kind, hostOrAddress)) return true
  const name = removePort(hostOrAddress)
  return unsolicitedQuotas.consume(isIP(removeBrackets(name)) ? getNetwork(removeBrackets(name)) : name, nowMs)
}

/**
 * Resolves the host and counts a request to each of its addresses. The request must go to the
 * returned addresses, because a second DNS query could return others.
 * @returns undefined if the host is not limited or is an address itself, and null if the limit of
 *   an address is reached
 */
export async function resolveWithinLimit(
  kind: DestinationKind,
  host: string,
  resolve: Resolve,
): Promise<LookupAddress[] | null | undefined> {
  const name = removePort(host)
  if (!isLimited(kind, host) || isIP(removeBrackets(name))) return undefined
  // If the name has no address, the request fails like one to an unknown host.
  const addresses = await resolve(name).catch(() => [])
  const networks = new Set(addresses.map(({ address }) => getNetwork(address)))
  const nowMs = performance.now()
  return [...networks].every((network) => unsolicitedQuotas.consume(network, nowMs)) ? addresses : null
}

const removePort = (host: string) => host.replace(/:\d+$/, '')
const removeBrackets = (name: string) => name.replace(/^\[|\]$/g, '')
const isLimited = (kind: DestinationKind, host: string) =>
  kindsOfAnyHost.includes(kind) && !largeServices.test(removePort(host))
