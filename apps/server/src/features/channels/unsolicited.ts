import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { DestinationKind } from '@tocsin/protocol'
import { HOUR_MS } from '@tocsin/protocol/durations'
import { networkOf } from '../../http/network.ts'
import { Quotas } from '../../quota.ts'
import type { Resolve } from '../feed/endpoint.ts'

/**
 * Requests of all accounts to a host whose owner has not agreed to them, by name and by address: a
 * wildcard of the name server gives one address any number of names. Only these kinds accept any
 * host; the address of a chat is a secret of its owner.
 */
const MOST_UNSOLICITED_PER_HOUR = 120
const kindsOfAnyHost = ['webhook', 'ntfy', 'web-push']
/** Large services, which would be used up by few accounts and are not harmed. */
const largeServices =
  /(^|\.)(fcm\.googleapis\.com|push\.services\.mozilla\.com|notify\.windows\.com|push\.apple\.com|ntfy\.sh)$/
const unsolicited = new Quotas(MOST_UNSOLICITED_PER_HOUR, HOUR_MS)
/** Mails with a code to one mailbox, from all accounts. */
const MOST_MAILS_PER_HOUR = 5
const mailed = new Quotas(MOST_MAILS_PER_HOUR, HOUR_MS)

/** @param to the host, or the address of a mail */
export function consumeUnsolicited(kind: DestinationKind, to: string): boolean {
  const nowMs = performance.now()
  for (const quotas of [unsolicited, mailed]) quotas.deleteIdle(nowMs)
  // Most services deliver what follows a plus sign to the same mailbox.
  if (kind === 'email') return mailed.consume(to.toLowerCase().replace(/\+[^@]*@/, '@'), nowMs)
  if (!isLimited(kind, to)) return true
  const name = nameOf(to)
  return unsolicited.consume(isIP(bare(name)) ? networkOf(bare(name)) : name, nowMs)
}

/**
 * Resolves the host and counts a request to each of its addresses. The request must go to the
 * returned addresses: the name server could give others to a second query.
 * @returns undefined if the host is not limited or is an address itself, and null if the limit of
 *   an address is reached
 */
export async function resolveWithinLimit(
  kind: DestinationKind,
  host: string,
  resolve: Resolve,
): Promise<LookupAddress[] | null | undefined> {
  const name = nameOf(host)
  if (!isLimited(kind, host) || isIP(bare(name))) return undefined
  // Without an address the request fails as to any unknown host.
  const addresses = await resolve(name).catch(() => [])
  const networks = new Set(addresses.map(({ address }) => networkOf(address)))
  const nowMs = performance.now()
  return [...networks].every((network) => unsolicited.consume(network, nowMs)) ? addresses : null
}

const nameOf = (host: string) => host.replace(/:\d+$/, '')
const bare = (name: string) => name.replace(/^\[|\]$/g, '')
const isLimited = (kind: DestinationKind, host: string) =>
  kindsOfAnyHost.includes(kind) && !largeServices.test(nameOf(host))
