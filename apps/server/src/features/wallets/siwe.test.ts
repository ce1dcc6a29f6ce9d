import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/cpu-ms.ts'
import { parseSiwe, validateSiweFields } from './siwe.ts'

const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const fullMessage = [
  'https://tocsin.example:8443 wants you to sign in with your Ethereum account:',
  address,
  '',
  'Ring the bell: all of it, twice!',
  '',
  'URI: https://tocsin.example:8443/auth?from=here#top',
  'Version: 1',
  'Chain ID: 43114',
  'Nonce: bell00tower11',
  'Issued At: 2026-01-15T12:00:00.000Z',
  'Expiration Time: 2026-01-15T13:10:00+01:00',
  'Not Before: 2026-01-15T11:59:00Z',
  'Request ID: ring-7@night',
  'Resources:',
  '- https://tocsin.example/terms',
  '- ipfs://bafybeigdyrzt',
].join('\n')

/** Replaces or removes (null) the line that starts with the given text. */
function replaceLine(start: string, line: string | null): string {
  const lines = fullMessage.split('\n')
  const lineIndex = lines.findIndex((one) => one.startsWith(start))
  if (lineIndex < 0) throw new Error(`No line begins with ${start}`)
  lines.splice(lineIndex, 1, ...(line === null ? [] : [line]))
  return lines.join('\n')
}
const removeLines = (...starts: string[]) => {
  const lines = fullMessage.split('\n').filter((line) => !starts.some((start) => line.startsWith(start)))
  return lines.join('\n')
}
const swapLines = (one: string, other: string) => {
  const lines = fullMessage.split('\n')
  const [a, b] = [one, other].map((start) => lines.findIndex((line) => line.startsWith(start)))
  if (a === undefined || b === undefined || a < 0 || b < 0) throw new Error('No such lines')
  ;[lines[a], lines[b]] = [lines[b] ?? '', lines[a] ?? '']
  return lines.join('\n')
}
const TITLE = ' wants you to sign in with your Ethereum account:'

describe('parseSiwe: rejects', () => {
  test.each<[string, string]>([
    ['an empty message', ''],
    ['only a title', `tocsin.example${TITLE}`],
    ['no domain', replaceLine('https://', TITLE)],
    ['a scheme without a domain', replaceLine('https://', `https://${TITLE}`)],
    ['a domain with a non-ASCII letter', replaceLine('https://', `t\u00f6csin.example${TITLE}`)],
    ['a domain with a look-alike letter', replaceLine('https://', `t\u043ecsin.example${TITLE}`)],
    ['a domain with a path', replaceLine('https://', `tocsin.example/evil${TITLE}`)],
    ['a domain with a space', replaceLine('https://', `tocsin example${TITLE}`)],
    ['a domain with half a percent escape', replaceLine('https://', `tocsin%2.example${TITLE}`)],
    ['an invalid port', replaceLine('https://', `tocsin.example:port${TITLE}`)],
    ['a scheme that begins with a digit', replaceLine('https://', `1http://tocsin.example${TITLE}`)],
    ['a scheme with one slash', replaceLine('https://', `https:/tocsin.example${TITLE}`)],
    ['another title', replaceLine('https://', 'tocsin.example wants you to sign in with your ethereum account:')],
    ['something before the title', `Hello.\n${fullMessage}`],
    ['a space before the title', ` ${fullMessage}`],
    ['no address', replaceLine('0x', '')],
    ['an address in small letters', replaceLine('0x', address.toLowerCase())],
    ['an address in capital letters', replaceLine('0x', `0x${address.slice(2).toUpperCase()}`)],
    ['an address with one wrong capital', replaceLine('0x', address.replace('F6', 'f6'))],
    ['an address that is too short', replaceLine('0x', address.slice(0, -1))],
    ['an address that is too long', replaceLine('0x', `${address}0`)],
    ['no blank line after the address', fullMessage.replace(`${address}\n\n`, `${address}\n`)],
    ['a statement of two lines', replaceLine('Ring', 'Ring the bell:\nall of it')],
    ['a statement with a non-ASCII letter', replaceLine('Ring', 'Läute die Glocke')],
    ['a statement with a tab', replaceLine('Ring', 'Ring\tthe bell')],
    ['no blank line after the statement', fullMessage.replace('twice!\n\n', 'twice!\n')],
    ['a blank line too many', fullMessage.replace('twice!\n\n', 'twice!\n\n\n')],
    ['no URI', removeLines('URI')],
    ['an empty URI', replaceLine('URI', 'URI: ')],
    ['a URI without a scheme', replaceLine('URI', 'URI: tocsin.example/auth')],
    ['a URI with a space', replaceLine('URI', 'URI: https://tocsin.example/a b')],
    ['a URI with half a percent escape', replaceLine('URI', 'URI: https://tocsin.example/%2')],
    ['a URI with two fragments', replaceLine('URI', 'URI: https://tocsin.example/#a#b')],
    ['no version', removeLines('Version')],
    ['version 2', replaceLine('Version', 'Version: 2')],
    ['version 1.0', replaceLine('Version', 'Version: 1.0')],
    ['version 11', replaceLine('Version', 'Version: 11')],
    ['no chain', removeLines('Chain ID')],
    ['a chain with a sign', replaceLine('Chain ID', 'Chain ID: -1')],
    ['a chain in hexadecimal', replaceLine('Chain ID', 'Chain ID: 0x1')],
    ['a chain id above 2^53', replaceLine('Chain ID', 'Chain ID: 9007199254740993')],
    ['no nonce', removeLines('Nonce')],
    ['a nonce of seven characters', replaceLine('Nonce', 'Nonce: bell007')],
    ['a nonce with a dash', replaceLine('Nonce', 'Nonce: bell-tower-11')],
    ['two nonces', replaceLine('Nonce', 'Nonce: bell00tower11\nNonce: bell00tower12')],
    ['no time of issue', removeLines('Issued At')],
    ['a time of issue without a zone', replaceLine('Issued', 'Issued At: 2026-01-15T12:00:00')],
    ['a time of issue without a time', replaceLine('Issued', 'Issued At: 2026-01-15')],
    ['a time of issue on February 30', replaceLine('Issued', 'Issued At: 2026-02-30T12:00:00Z')],
    ['a leap day in a year without one', replaceLine('Issued', 'Issued At: 2026-02-29T12:00:00Z')],
    ['hour 24', replaceLine('Issued', 'Issued At: 2026-01-15T24:00:00Z')],
    ['minute 60', replaceLine('Issued', 'Issued At: 2026-01-15T12:60:00Z')],
    ['an expiration that is not a time', replaceLine('Expiration', 'Expiration Time: tomorrow')],
    ['an expiration on April 31', replaceLine('Expiration', 'Expiration Time: 2026-04-31T12:00:00Z')],
    ['a beginning in month 13', replaceLine('Not', 'Not Before: 2026-13-01T12:00:00Z')],
    ['a request ID with a space', replaceLine('Request', 'Request ID: ring 7')],
    ['a resource that is not a URI', replaceLine('- ipfs', '- bafybeigdyrzt')],
    ['a resource without its dash', replaceLine('- ipfs', 'ipfs://bafybeigdyrzt')],
    ['a resource with two spaces', replaceLine('- ipfs', '-  ipfs://bafybeigdyrzt')],
    ['two resources in one line', replaceLine('- ipfs', '- ipfs://one - ipfs://two')],
    ['resources without their title', removeLines('Resources')],
    ['a space after the title of resources', replaceLine('Resources', 'Resources: ')],
    ['URI and version swapped', swapLines('URI', 'Version')],
    ['nonce and chain swapped', swapLines('Nonce', 'Chain')],
    ['expiration and beginning swapped', swapLines('Expiration', 'Not Before')],
    ['an unknown field', replaceLine('Request', 'Request ID: 7\nAdmin: true')],
    ['a trailing line break', `${fullMessage}\n`],
    ['a trailing space', `${fullMessage} `],
    ['carriage returns', fullMessage.replaceAll('\n', '\r\n')],
    ['one carriage return', fullMessage.replace('twice!\n', 'twice!\r\n')],
    ['line separators of Unicode', fullMessage.replaceAll('\n', '\u2028')],
    ['a NUL byte', `${fullMessage}\0`],
  ])('%s', (_what, message) => {
    expect(parseSiwe(message)).toBeNull()
  })
})

describe('parseSiwe: an IP host', () => {
  const listMessagesWithHost = (host: string) => [
    replaceLine('https://', `${host}${TITLE}`),
    replaceLine('URI', `URI: http://${host}/`),
    replaceLine('URI', `URI: wss://user@${host}:8443`),
    replaceLine('- ipfs', `- https://${host}?a=b`),
  ]
  test.each([
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '0X7F.0.0.1',
    '0x',
    '0177.0.0.1',
    '127.0.0.01',
    '256.1.1.1',
    '1.2.3.4.5',
    '1.2.3.4.',
    '1.2.3',
    'example.1',
    'example.0x1',
    '%31%32%37.1',
    '127.0.0.%31%',
    '[::zz]',
    '[]',
    '[:]',
    '[:::]',
    '[1.2.3.4]',
    '[::1.2.3.256]',
    '[1:2:3:4:5:6:7]',
    '[1:2:3:4:5:6:7:8:9]',
    '[1::2::3]',
    '[::12345]',
    '[::1%25eth0]',
    '[v1.a]',
    '::1',
  ])('is refused in domain, URI and resources when it is malformed: %s', (host) => {
    expect(listMessagesWithHost(host).map(parseSiwe)).toEqual([null, null, null, null])
  })

  test.each([
    '127.0.0.1',
    '255.255.255.255',
    '1.2.3.4.example',
    '1password.com',
    '0x7f.example',
    'xn--e1aybc.example',
    '[::1]',
    '[2001:db8::1]',
    '[::ffff:192.0.2.1]',
    '[1:2:3:4:5:6:7:8]',
    'localhost',
  ])('is accepted when it is well-formed: %s', (host) => {
    for (const message of listMessagesWithHost(host)) expect(parseSiwe(message)).not.toBeNull()
  })

  test('may be a number, but not an invalid IPv6 literal, in URIs of schemes without network hosts', () => {
    expect(parseSiwe(replaceLine('- ipfs', '- ens://42'))).not.toBeNull()
    expect(parseSiwe(replaceLine('- ipfs', '- ens://[42]'))).toBeNull()
  })
})

test('parseSiwe: rejects a long invalid message quickly', () => {
  const messages = [`https://${'a@'.repeat(2000)}`, replaceLine('- ipfs', `- a:${'/'.repeat(3000)}"`)]
  expect(cpuMs(() => expect(messages.map(parseSiwe)).toEqual([null, null]))).toBeLessThan(500)
})

test('parseSiwe: reads every field', () => {
  expect(parseSiwe(fullMessage)).toEqual({
    scheme: 'https',
    domain: 'tocsin.example:8443',
    address,
    statement: 'Ring the bell: all of it, twice!',
    uri: 'https://tocsin.example:8443/auth?from=here#top',
    chainId: 43114,
    nonce: 'bell00tower11',
    issuedAt: new Date('2026-01-15T12:00:00Z'),
    expirationTime: new Date('2026-01-15T12:10:00Z'),
    notBefore: new Date('2026-01-15T11:59:00Z'),
    requestId: 'ring-7@night',
    resources: ['https://tocsin.example/terms', 'ipfs://bafybeigdyrzt'],
  })
})

test.each<[string, string, object]>([
  [
    'no optional field',
    removeLines('Expiration', 'Not', 'Request', 'Resources', '- '),
    { expirationTime: null, resources: [] },
  ],
  ['no statement', fullMessage.replace('Ring the bell: all of it, twice!\n', ''), { statement: null }],
  ['no scheme', replaceLine('https://', `tocsin.example${TITLE}`), { scheme: null, domain: 'tocsin.example' }],
  ['an IPv6 domain', replaceLine('https://', `[::1]:3000${TITLE}`), { domain: '[::1]:3000' }],
  ['an empty request ID', replaceLine('Request', 'Request ID: '), { requestId: '' }],
  ['an empty list of resources', removeLines('- '), { resources: [] }],
  ['a URI of another scheme', replaceLine('URI', 'URI: did:key:z6Mk'), { uri: 'did:key:z6Mk' }],
  [
    'a leap day',
    replaceLine('Issued', 'Issued At: 2028-02-29T23:59:59Z'),
    { issuedAt: new Date('2028-02-29T23:59:59Z') },
  ],
])('parseSiwe: reads a message with %s', (_what, message, fields) => {
  expect(parseSiwe(message)).toMatchObject(fields)
})

describe('validateSiweFields', () => {
  const message = parseSiwe(fullMessage)
  if (!message) throw new Error('The message is invalid')
  const expected = {
    domain: 'tocsin.example:8443',
    uri: message.uri,
    chainId: 43114,
    nonce: 'bell00tower11',
  }
  const toDate = (time: string) => new Date(`2026-01-15T${time}Z`)

  test.each([
    ['another domain', { domain: 'tocsin.example' }],
    ['a domain in capitals', { domain: 'TOCSIN.example:8443' }],
    ['another URI', { uri: 'https://tocsin.example:8443' }],
    ['another chain', { chainId: 1 }],
    ['another nonce', { nonce: 'bell00tower12' }],
  ])('returns “invalid” for %s', (_what, change) => {
    expect(validateSiweFields(message, { ...expected, ...change }, toDate('12:00:00'))).toBe('invalid')
  })

  test.each([
    ['11:58:59.999', 'invalid'],
    ['11:59:00', 'valid'],
    ['12:09:59.999', 'valid'],
    ['12:10:00', 'expired'],
  ])('for a message that is valid from 11:59 to 12:10, at %s returns %s', (time, verdict) => {
    expect(validateSiweFields(message, expected, toDate(time))).toBe(verdict)
  })

  test.each([
    ['11:58:59.999', 'invalid'],
    ['11:59:00', 'valid'],
  ])('tolerates an issue time one minute ahead: at %s returns %s', (time, verdict) => {
    expect(validateSiweFields({ ...message, notBefore: null }, expected, toDate(time))).toBe(verdict)
  })
})
