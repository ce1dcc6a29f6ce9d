import { type LookupAddress, type LookupOptions, promises } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

export const NOT_ALLOWED = 'The endpoint is not at a public address'

/**
 * Parses a URL that a user has entered; by default, the URL of a feed. The URL parser has already
 * normalized decimal, octal, hexadecimal and short forms of an address.
 * @throws Error with a message for the operator
 */
export function parseEndpoint(text: string, allowPrivate: boolean, schemes = ['ws', 'wss']): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !schemes.includes(url.protocol.slice(0, -1)))
    throw new Error(`The endpoint must be ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`)
  if (url.username || url.password) throw new Error('The endpoint must not contain a user name or password')
  if (url.hash) throw new Error('The endpoint must not have a fragment')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isAllowed = isIP(host) ? isPublicAddress(host) : !/(^|\.)localhost\.?$/i.test(host)
  if (!allowPrivate && !isAllowed) throw new Error(NOT_ALLOWED)
  return url
}

export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/**
 * Resolves with the operating system, which knows names of the private network. Two slow names can
 * block all other lookups.
 */
const resolveAny: Resolve = (hostname) => promises.lookup(hostname, { all: true, order: 'verbatim' })

/**
 * Creates a function that queries name servers directly. A name whose server does not answer does
 * not delay other names. Concurrent lookups of a name share one query.
 */
export function createPublicResolve(resolver = new promises.Resolver({ timeout: 2_000, tries: 2 })): Resolve {
  const runningLookups = new Map<string, Promise<LookupAddress[]>>()
  const resolveNow: Resolve = async (hostname) => {
    const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const addresses = results.flatMap((result, index) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
    )
    const [ipv4Result] = results
    if (addresses.length === 0 && ipv4Result.status === 'rejected') throw ipv4Result.reason
    return addresses
  }
  return (hostname) => {
    const runningLookup = runningLookups.get(hostname)
    if (runningLookup) return runningLookup
    const newLookup = resolveNow(hostname).finally(() => runningLookups.delete(hostname))
    runningLookups.set(hostname, newLookup)
    return newLookup
  }
}
const resolvePublic = createPublicResolve()

export const chooseResolver = (allowPrivate: boolean): Resolve => (allowPrivate ? resolveAny : resolvePublic)

/**
 * Creates the DNS lookup for the socket itself. The socket connects to exactly the checked
 * addresses, which prevents DNS rebinding. Rejects a name if any of its addresses is not public.
 */
export function createLookup(allowPrivate: boolean, resolve: Resolve = chooseResolver(allowPrivate)): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    const resolveAllowed = async () => {
      const addresses = await resolve(hostname)
      const isAllowed = addresses.length > 0 && addresses.every(({ address }) => isPublicAddress(address))
      if (!allowPrivate && !isAllowed) throw new Error(NOT_ALLOWED)
      return addresses
    }
    resolveAllowed().then(
      (addresses) => {
        if (options.all) return callback(null, addresses)
        callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
      },
      (error: Error) => callback(error, options.all ? [] : '', 4),
    )
  }
}
