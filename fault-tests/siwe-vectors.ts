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
interface ParsedVector {
  message: string
  fields: Record<string, unknown>
}

const folder = process.argv[2]
if (!folder) throw new Error('Usage: siwe-vectors.ts <folder>')

function readCases<Case>(file: string): [string, Case][] {
  return Object.entries(JSON.parse(readFileSync(join(folder ?? '', file), 'utf8')).cases)
}

/** Returns whether every field that the vector names has been parsed to its value. */
function matchesFields(message: SiweMessage | null, fields: ParsedVector['fields']): boolean {
  if (!message) return false
  const parsedFields: Record<string, unknown> = { ...message, version: '1' }
  return Object.entries(fields).every(([name, value]) => {
    const parsedValue = parsedFields[name]
    if (parsedValue instanceof Date) return parsedValue.getTime() === Date.parse(String(value))
    return JSON.stringify(parsedValue) === JSON.stringify(value)
  })
}

function formatMessage(fields: Verification): string {
  const optionalLines = [
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
    ...optionalLines,
  ].join('\n')
}

async function isAccepted(fields: Verification): Promise<boolean> {
  const text = formatMessage(fields)
  const message = parseSiwe(text)
  if (!message) return false
  const expected = {
    domain: fields.domainBinding ?? fields.domain,
    uri: fields.uri,
    chainId: fields.chainId,
    nonce: fields.matchNonce ?? fields.nonce,
  }
  // Some vectors set a verification time long before their issue time, which alone would make them
  // invalid. Therefore the earlier of the two times is used as the issue time.
  const now = fields.time ? new Date(fields.time) : new Date()
  const issuedAt = new Date(Math.min(message.issuedAt.getTime(), now.getTime()))
  if (validateSiweFields({ ...message, issuedAt }, expected, now) !== 'valid') return false
  return isSignedByKey({ address: message.address, message: text, signature: fields.signature })
}

async function countWrongCases<Case>(
  file: string,
  shouldAccept: boolean,
  isCaseAccepted: (vector: Case) => boolean | Promise<boolean>,
): Promise<number> {
  const cases = readCases<Case>(file)
  const wrongNames: string[] = []
  for (const [name, one] of cases) if ((await isCaseAccepted(one)) !== shouldAccept) wrongNames.push(name)
  for (const name of wrongNames) console.error(`${file}: "${name}" should be ${shouldAccept ? 'accepted' : 'refused'}`)
  console.log(`${file}: ${cases.length - wrongNames.length} of ${cases.length} as expected`)
  return wrongNames.length
}

const wrongCounts = [
  await countWrongCases<ParsedVector>('parsing_positive.json', true, ({ message, fields }) =>
    matchesFields(parseSiwe(message), fields),
  ),
  await countWrongCases<string>('parsing_negative.json', false, (message) => parseSiwe(message) !== null),
  await countWrongCases<Verification>('verification_positive.json', true, isAccepted),
  await countWrongCases<Verification>('verification_negative.json', false, isAccepted),
]
process.exitCode = wrongCounts.every((wrong) => wrong === 0) ? 0 : 1
