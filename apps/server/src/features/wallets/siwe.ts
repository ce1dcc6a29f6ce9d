import { isIPv4, isIPv6 } from 'node:net'
import { type Address, getAddress, isAddress } from 'viem'

/** A parsed Sign-In with Ethereum message (EIP-4361), version 1. */
export interface SiweMessage {
  scheme: string | null
  domain: string
  /** Checksummed (EIP-55), as EIP-4361 requires. */
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

/** Schemes whose authority is a network host. In other schemes it may be a hash or a name. */
const NETWORK_SCHEMES = new Set(['http', 'https', 'ws', 'wss', 'ftp'])

/** The EIP-4361 grammar, anchored at both ends. */
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

/** Returns null unless the text exactly matches EIP-4361. The caller must limit its length. */
export function parseSiwe(message: string): SiweMessage | null {
  const fields = MESSAGE.exec(message)?.groups
  if (!fields) return null
  const { scheme = null, domain = '', address = '', statement = null, uri = '', nonce = '', requestId = null } = fields
  const chainId = Number(fields.chainId)
  const times = [fields.issuedAt, fields.expirationTime, fields.notBefore].map(readTime)
  const [issuedAt, expirationTime = null, notBefore = null] = times
  if (!Number.isSafeInteger(chainId) || times.includes(null) || !issuedAt) return null
  // The checksum is required, so that a mistyped address is rejected.
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
 * Returns false for a malformed IP host. This is a host in brackets that is not an IPv6 address
 * (RFC 3986, 3.2.2), or a name that ends in a number but is not a dotted-decimal IPv4 address.
 * Programs disagree on which IPv4 address such a name means (WHATWG URL, "ends in a number").
 */
function isHost(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  if (host.startsWith('[')) return isIPv6(host.slice(1, host.indexOf(']')))
  const name = unescapeHost(host.replace(/:[0-9]*$/, ''))
  if (name === null) return false
  const lastLabel = name.replace(/\.$/, '').split('.').at(-1) ?? ''
  return /^(?:[0-9]+|0x[0-9a-f]*)$/i.test(lastLabel) ? isIPv4(name) : true
}

/** Returns null for percent-encoding that is not valid UTF-8. */
function unescapeHost(host: string): string | null {
  try {
    return decodeURIComponent(host)
  } catch {
    return null
  }
}

/** Returns false if the URI has an invalid host. URIs without a host are valid. */
function hasHost(uri: string): boolean {
  const [, scheme = '', authority] = /^([^:]+):\/\/([^/?#]*)/.exec(uri) ?? []
  if (authority === undefined) return true
  return NETWORK_SCHEMES.has(scheme.toLowerCase()) || authority.includes('[') ? isHost(authority) : true
}

/** Parses a time. Returns undefined if it is missing and null if its date is impossible. */
function readTime(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  // Date accepts 31 February and returns a day in March.
  const isDay = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
  return isDay && !Number.isNaN(time.getTime()) ? time : null
}

/** The values that a message must have. */
export interface SiweExpectation {
  domain: string
  uri: string
  chainId: number
  nonce: string
}

export type SiweVerdict = 'valid' | 'invalid' | 'expired'

const MAX_SKEW_MS = 60_000

/** Checks domain, URI, chain, nonce and times of a message. Does not check its signature. */
export function validateSiweFields(message: SiweMessage, expectedFields: SiweExpectation, now: Date): SiweVerdict {
  const { domain, uri, chainId, nonce, issuedAt, expirationTime, notBefore } = message
  if (domain !== expectedFields.domain || uri !== expectedFields.uri) return 'invalid'
  if (chainId !== expectedFields.chainId || nonce !== expectedFields.nonce) return 'invalid'
  const nowMs = now.getTime()
  if (issuedAt.getTime() > nowMs + MAX_SKEW_MS) return 'invalid'
  if (notBefore && notBefore.getTime() > nowMs) return 'invalid'
  if (expirationTime && expirationTime.getTime() <= nowMs) return 'expired'
  return 'valid'
}
