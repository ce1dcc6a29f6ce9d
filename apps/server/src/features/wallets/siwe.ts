import { isIPv4, isIPv6 } from 'node:net'
import { type Address, getAddress, isAddress } from 'viem'

/** A Sign-In with Ethereum message (EIP-4361), version 1, taken apart. */
export interface SiweMessage {
  scheme: string | null
  domain: string
  /** Checksummed (EIP-55), as the message has to write it. */
  address: Address
  statement: string | null
  uri: string
  chainId: number
  nonce: string
  issuedAt: Date
  expirationTime: Date | null
  notBefore: Date | null
  requestId: string | null
  resources: string[]
}

// RFC 3986, appendix A.
const UNRESERVED = String.raw`[A-Za-z0-9\-._~]`
const ESCAPED = '%[0-9A-Fa-f]{2}'
const SUB_DELIMS = "[!$&'()*+,;=]"
const PCHAR = `(?:${UNRESERVED}|${ESCAPED}|${SUB_DELIMS}|[:@])`
const REG_NAME = `(?:${UNRESERVED}|${ESCAPED}|${SUB_DELIMS})+`
const IP_LITERAL = String.raw`\[[0-9A-Fa-f:.]+\]`
const AUTHORITY = `(?:(?:${UNRESERVED}|${ESCAPED}|${SUB_DELIMS}|:)*@)?(?:${IP_LITERAL}|${REG_NAME})(?::[0-9]{0,5})?`
const SCHEME = String.raw`[A-Za-z][A-Za-z0-9+\-.]*`
const PATH = `(?:/${PCHAR}*)*`
const TAIL = String.raw`(?:\?(?:${PCHAR}|[/?])*)?(?:#(?:${PCHAR}|[/?])*)?`
const URI = `${SCHEME}:(?://${AUTHORITY}${PATH}|/?${PCHAR}+${PATH})${TAIL}`
// RFC 3339.
const TIME = String.raw`\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})`

/** Schemes whose URIs name a host of the network; of others the authority may be a hash or a name. */
const NETWORK_SCHEMES = new Set(['http', 'https', 'ws', 'wss', 'ftp'])

/** The grammar of EIP-4361, in its order, and nothing before or behind. */
const MESSAGE = new RegExp(
  [
    '^',
    `(?:(?<scheme>${SCHEME})://)?(?<domain>${AUTHORITY}) wants you to sign in with your Ethereum account:\n`,
    '(?<address>0x[0-9a-fA-F]{40})\n\n',
    String.raw`(?:(?<statement>[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;= ]+)\n)?\n`,
    `URI: (?<uri>${URI})\n`,
    'Version: 1\n',
    'Chain ID: (?<chainId>[0-9]+)\n',
    'Nonce: (?<nonce>[A-Za-z0-9]{8,})\n',
    `Issued At: (?<issuedAt>${TIME})`,
    `(?:\nExpiration Time: (?<expirationTime>${TIME}))?`,
    `(?:\nNot Before: (?<notBefore>${TIME}))?`,
    `(?:\nRequest ID: (?<requestId>${PCHAR}*))?`,
    `(?:\nResources:(?<resources>(?:\n- ${URI})*))?`,
    '$',
  ].join(''),
)

/** Null for whatever is not, to the byte, a message of EIP-4361. The caller bounds its length. */
export function parseSiwe(message: string): SiweMessage | null {
  const fields = MESSAGE.exec(message)?.groups
  if (!fields) return null
  const { scheme = null, domain = '', address = '', statement = null, uri = '', nonce = '', requestId = null } = fields
  const chainId = Number(fields.chainId)
  const times = [fields.issuedAt, fields.expirationTime, fields.notBefore].map(readTime)
  const [issuedAt, expirationTime = null, notBefore = null] = times
  if (!Number.isSafeInteger(chainId) || times.includes(null) || !issuedAt) return null
  // With its capital letters: a mistyped address must not pass for another.
  if (!isAddress(address) || getAddress(address) !== address) return null
  const resources = (fields.resources ?? '').split('\n- ').slice(1)
  if (!isHost(domain) || ![uri, ...resources].every(hasHost)) return null
  return {
    scheme,
    domain,
    address,
    statement,
    uri,
    chainId,
    nonce,
    issuedAt,
    expirationTime,
    notBefore,
    requestId,
    resources,
  }
}

/**
 * False for a malformed IP literal: brackets around anything but an IPv6 address (RFC 3986, 3.2.2), and a name that ends in a number, which programs
 * take for an IPv4 address (WHATWG URL, "ends in a number") and each for another one, unless it is four plain decimals.
 */
function isHost(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (host.startsWith('[')) return isIPv6(host.slice(1, host.indexOf(']')))
  const name = unescapeHost(host.replace(/:[0-9]*$/, ''))
  if (name === null) return false
  const last = name.replace(/\.$/, '').split('.').at(-1) ?? ''
  return /^(?:[0-9]+|0x[0-9a-f]*)$/i.test(last) ? isIPv4(name) : true
}

/** Null for escapes that are no text. */
function unescapeHost(host: string): string | null {
  try {
    return decodeURIComponent(host)
  } catch {
    return null
  }
}

/** Whether the host of a URI is one, where the URI has a host. */
function hasHost(uri: string): boolean {
  const [, scheme = '', authority] = /^([^:]+):\/\/([^/?#]*)/.exec(uri) ?? []
  if (authority === undefined) return true
  return NETWORK_SCHEMES.has(scheme.toLowerCase()) || authority.includes('[') ? isHost(authority) : true
}

/** Undefined for a time that is not there, null for one that no calendar has. */
function readTime(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  // JavaScript turns 31 February into March.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
  return isDay && !Number.isNaN(time.getTime()) ? time : null
}

/** What a message must say to count here. */
export interface SiweExpectation {
  domain: string
  uri: string
  chainId: number
  nonce: string
}

export type SiweVerdict = 'valid' | 'invalid' | 'expired'

const MAX_SKEW_MS = 60_000

/** Whether a message was made for us, for this occasion and for now. Says nothing of who signed it. */
export function judgeSiwe(message: SiweMessage, expected: SiweExpectation, now: Date): SiweVerdict {
  const { domain, uri, chainId, nonce, issuedAt, expirationTime, notBefore } = message
  if (domain !== expected.domain || uri !== expected.uri) return 'invalid'
  if (chainId !== expected.chainId || nonce !== expected.nonce) return 'invalid'
  const nowMs = now.getTime()
  if (issuedAt.getTime() > nowMs + MAX_SKEW_MS) return 'invalid'
  if (notBefore && notBefore.getTime() > nowMs) return 'invalid'
  if (expirationTime && expirationTime.getTime() <= nowMs) return 'expired'
  return 'valid'
}
