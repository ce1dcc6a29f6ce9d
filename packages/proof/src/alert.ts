import { bytesToUtf8, utf8ToBytes } from '@noble/hashes/utils'
import { type Address, checksumAddress, equalBytes, type Hex } from './hex.ts'

/**
 * What the service states about the market: the one content of an alert that is signed, logged and shown. Everything
 * else about an alert (signature, path, anchor) is proof around it.
 */
export interface AlertStatement {
  /** 0-based place in the log, without gaps. */
  index: number
  id: string
  asset: string
  priority: 'low' | 'medium' | 'high' | 'critical'
  anomalyType: string
  regime: string
  summary: string
  /** Percent from 0 to 100 with at most one decimal. */
  confidence: number
  /** UTC with milliseconds, exactly as Date.toISOString() writes it, not before 1970. */
  createdAt: string
  origin: 'admin' | 'feed' | 'demo'
  /** SHA-256 of the raw feed message, lower-case: required of origin 'feed', null for 'admin', either for 'demo'. */
  signalHash: Hex | null
  /** Address of the key that signs: the key id. */
  signer: Address
}

const textFields = ['id', 'asset', 'anomalyType', 'regime', 'summary'] as const
const statementKeys = [
  ...textFields,
  'index',
  'priority',
  'confidence',
  'createdAt',
  'origin',
  'signalHash',
  'signer',
] as const
const priorities = ['low', 'medium', 'high', 'critical']
const origins = ['admin', 'feed', 'demo']

/**
 * The canonical bytes: `{"kind":"alert","v":1,...}` as RFC 8785 (JCS) JSON in UTF-8. Fields beyond the statement's are
 * left out.
 * @throws Error with the field's name when a field has no canonical form
 */
export function encodeAlert(statement: AlertStatement): Uint8Array {
  assertStatement(statement)
  const fields: Record<string, string | number | null> = { kind: 'alert', v: 1 }
  for (const key of statementKeys) fields[key] = statement[key]
  // A flat object of well-formed strings and finite numbers: JSON.stringify of each value is JCS already.
  const members = Object.keys(fields)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${JSON.stringify(fields[key])}`)
  return utf8ToBytes(`{${members.join(',')}}`)
}

/**
 * The statement in canonical bytes.
 * @throws Error on bytes that encodeAlert would not have written
 */
export function decodeAlert(bytes: Uint8Array): AlertStatement {
  const statement = parseAlert(JSON.parse(bytesToUtf8(bytes)))
  // Other spacing, key order, number form, doubled or unknown keys and bad UTF-8 all end here.
  if (!equalBytes(encodeAlert(statement), bytes)) throw new Error('The bytes are not the canonical form of an alert')
  return statement
}

/**
 * The statement's fields out of anything, others left behind.
 * @throws Error with the field's name when a field is missing or has no canonical form
 */
export function parseAlert(value: unknown): AlertStatement {
  assertStatement(value)
  const { index, id, asset, priority, anomalyType, regime, summary } = value
  const { confidence, createdAt, origin, signalHash, signer } = value
  return {
    index,
    id,
    asset,
    priority,
    anomalyType,
    regime,
    summary,
    confidence,
    createdAt,
    origin,
    signalHash,
    signer,
  }
}

/** @throws Error naming the first field that has no canonical form */
function assertStatement(value: unknown): asserts value is AlertStatement {
  if (typeof value !== 'object' || value === null) throw new Error('The alert is not an object')
  const alert: { readonly [field in keyof AlertStatement]?: unknown } = value
  expect(isIndex(alert.index), 'index', 'an integer from 0 up')
  for (const field of textFields) expect(isText(alert[field]), field, 'well-formed Unicode text')
  expect(isOneOf(priorities, alert.priority), 'priority', `one of ${priorities.join(', ')}`)
  expect(isPercent(alert.confidence), 'confidence', 'a percentage from 0 to 100 with at most one decimal')
  expect(isTime(alert.createdAt), 'createdAt', 'a UTC time with milliseconds')
  expect(isOneOf(origins, alert.origin), 'origin', `one of ${origins.join(', ')}`)
  expect(isSignalHash(alert.signalHash, alert.origin), 'signalHash', 'the hash of the feed message, null without one')
  expect(isChecksummed(alert.signer), 'signer', 'a checksummed address')
}

function expect(holds: boolean, field: keyof AlertStatement, expected: string): void {
  if (!holds) throw new Error(`The alert's ${field} is not ${expected}`)
}

function isIndex(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && !Object.is(value, -0)
}

function isText(value: unknown): boolean {
  // With the u flag a paired surrogate is one code point, so only lone ones match.
  return typeof value === 'string' && !/[\ud800-\udfff]/u.test(value)
}

function isOneOf(allowed: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && allowed.includes(value)
}

function isPercent(value: unknown): boolean {
  if (typeof value !== 'number' || !(value >= 0 && value <= 100) || Object.is(value, -0)) return false
  return Math.round(value * 10) / 10 === value
}

function isTime(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false
  const time = Date.parse(value)
  return time >= 0 && new Date(time).toISOString() === value
}

function isSignalHash(value: unknown, origin: unknown): boolean {
  if (value === null) return origin !== 'feed'
  // Zero stands for "none" in the signed form.
  return typeof value === 'string' && /^0x(?!0{64})[0-9a-f]{64}$/.test(value) && origin !== 'admin'
}

function isChecksummed(value: unknown): boolean {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(value)) return false
  return checksumAddress(value.toLowerCase()) === value
}
