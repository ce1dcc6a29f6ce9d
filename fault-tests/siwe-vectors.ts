import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isSignedByKey } from '@tocsin/server/features/wallets/signature.ts'
import { parseSiwe, type SiweMessage, validateSiweFields } from '@tocsin/server/features/wallets/siwe.ts'

/**
 * Runs the parser and the verifier over the test vectors of spruceid/siwe (test/), which are not
 * part of this repository: `node --import tsx fault-tests/siwe-vectors.ts <folder>`. The folder
 * holds parsing_positive.json, parsing_negative.json, verification_positive.json and
 * verification_negative.json, each {cases: {name: case}}.
 */

interface Verification {
  domain: string
  address: string
  statement?: string
  uri: string
  version: string
  chainId: number
  nonce: string
  issuedAt: string
  expirationTime?: string
  notBefore?: string
  signature: string
  /** Time at which the message is verified. If it is not set, the current time. */
  time?: string
  /** Values that the verifier expects, if they differ from the message. */
  domainBinding?: string
  matchNonce?: string
}
interface Parsed {
  message: string
  fields: Record<string, unknown>
}

const folder = process.argv[2]
if (!folder) throw new Error('Usage: siwe-vectors.ts <folder>')

function readCases<Case>(file: string): [string, Case][] {
  return Object.entries(JSON.parse(readFileSync(join(folder ?? '', file), 'utf8')).cases)
}

/** Returns whether every field that the vector names has been parsed to its value. */
function readsAs(message: SiweMessage | null, fields: Parsed['fields']): boolean {
  if (!message) return false
  const read: Record<string, unknown> = { ...message, version: '1' }
  return Object.entries(fields).every(([name, value]) => {
    const own = read[name]
    if (own instanceof Date) return own.getTime() === Date.parse(String(value))
    return JSON.stringify(own) === JSON.stringify(value)
  })
}

function write(fields: Verification): string {
  const optional = [
    ['Expiration Time', fields.expirationTime],
    ['Not Before', fields.notBefore],
  ].flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []))
  return [
    `${fields.domain} wants you to sign in with your Ethereum account:`,
    fields.address,
    '',
    ...(fields.statement ? [fields.statement] : []),
    '',
    `URI: ${fields.uri}`,
    `Version: ${fields.version}`,
    `Chain ID: ${fields.chainId}`,
    `Nonce: ${fields.nonce}`,
    `Issued At: ${fields.issuedAt}`,
    ...optional,
  ].join('\n')
}

async function isAccepted(fields: Verification): Promise<boolean> {
  const text = write(fields)
  const message = parseSiwe(text)
  if (!message) return false
  const expected = {
    domain: fields.domainBinding ?? fields.domain,
    uri: fields.uri,
    chainId: fields.chainId,
    nonce: fields.matchNonce ?? fields.nonce,
  }
  // Some vectors set a time of verification long before their time of issue. The time of issue is
  // moved to it, so that it does not make them invalid.
  const now = fields.time ? new Date(fields.time) : new Date()
  const issuedAt = new Date(Math.min(message.issuedAt.getTime(), now.getTime()))
  if (validateSiweFields({ ...message, issuedAt }, expected, now) !== 'valid') return false
  return isSignedByKey({ address: message.address, message: text, signature: fields.signature })
}

async function report<Case>(
  file: string,
  wanted: boolean,
  accepts: (one: Case) => boolean | Promise<boolean>,
): Promise<number> {
  const cases = readCases<Case>(file)
  const wrong: string[] = []
  for (const [name, one] of cases) if ((await accepts(one)) !== wanted) wrong.push(name)
  for (const name of wrong) console.error(`${file}: "${name}" should be ${wanted ? 'accepted' : 'refused'}`)
  console.log(`${file}: ${cases.length - wrong.length} of ${cases.length} as expected`)
  return wrong.length
}

const wrongCounts = [
  await report<Parsed>('parsing_positive.json', true, ({ message, fields }) => readsAs(parseSiwe(message), fields)),
  await report<string>('parsing_negative.json', false, (message) => parseSiwe(message) !== null),
  await report<Verification>('verification_positive.json', true, isAccepted),
  await report<Verification>('verification_negative.json', false, isAccepted),
]
process.exitCode = wrongCounts.every((wrong) => wrong === 0) ? 0 : 1
