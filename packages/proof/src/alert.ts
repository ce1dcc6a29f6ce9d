import { utf8ToBytes } from '@noble/hashes/utils'
import { type CanonicalValue, canonicalJson, decodeCanonical } from './canonical-json.ts'
import { isChecksummed, isHash, isIndex, isObject, isSalt, isText, isTime } from './field-checks.ts'
import type { Address, Hex } from './hex.ts'

/**
 * The content of an alert: what is signed, logged and displayed. Signature, inclusion proof and
 * anchor are proof of this content. Corrections and retractions are alerts that reference an
 * earlier entry.
 */
export interface AlertStatement {
  kind: 'alert' | 'correction' | 'retraction'
  /** 0-based log index. Indexes have no gaps. */
  index: number
  id: string
  asset: string
  priority: 'low' | 'medium' | 'high' | 'critical'
  anomalyType: string
  regime: string
  summary: string
  /** Percent, 0 to 100, with at most one decimal. */
  confidence: number
  /** UTC with milliseconds in the format of Date.toISOString(), not before 1970. */
  createdAt: string
  origin: 'admin' | 'feed' | 'demo'
  /**
   * SHA-256 of the raw feed message in lower-case hex. Required for origin 'feed', null for
   * 'admin', optional for 'demo'.
   */
  signalHash: Hex | null
  /** Address of the signing key, which is also its key id. */
  signer: Address
  /**
   * Index of the corrected or retracted entry, below `index`. Null if and only if the kind is
   * 'alert'.
   */
  targetIndex: number | null
  /**
   * Leaf hash of the corrected or retracted entry in lower-case hex. Null if and only if the kind
   * is 'alert'.
   */
  targetLeafHash: Hex | null
  /**
   * 16 random bytes in lower-case hex. Present in version 2 of the statement, absent in version 1.
   * Without a salt, the public leaf hash of guessable content would reveal that content.
   */
  salt?: Hex
}

const kinds = ['alert', 'correction', 'retraction']
const textFields = ['id', 'asset', 'anomalyType', 'regime', 'summary'] as const
const priorities = ['low', 'medium', 'high', 'critical']
const origins = ['admin', 'feed', 'demo']

/**
 * Encodes the canonical bytes: `{"kind":"alert","v":2,...}` as RFC 8785 (JCS) JSON in UTF-8.
 * Statements without a salt have `"v":1`. Unknown fields are dropped.
 * @throws Error with the field's name when a field has no canonical form
 */
export function encodeAlert(statement: AlertStatement): Uint8Array {
  return encodeParsed(parseAlert(statement))
}

function encodeParsed(statement: AlertStatement): Uint8Array {
  const { anomalyType, asset, confidence, createdAt, id, index, kind, origin, priority, regime } = statement
  const fields: Record<string, CanonicalValue> = {
    anomalyType,
    asset,
    confidence,
    createdAt,
    id,
    index,
    kind,
    origin,
    priority,
    regime,
  }
  // The fields are assigned in canonical order and without spreading objects, both for speed.
  if (statement.salt !== undefined) fields.salt = statement.salt
  fields.signalHash = statement.signalHash
  fields.signer = statement.signer
  fields.summary = statement.summary
  if (kind !== 'alert') {
    fields.targetIndex = statement.targetIndex
    fields.targetLeafHash = statement.targetLeafHash
  }
  fields.v = statement.salt === undefined ? 1 : 2
  return utf8ToBytes(canonicalJson(fields))
}

/**
 * Decodes canonical bytes.
 * @param value the parsed JSON of the bytes, if the caller already has it
 * @throws Error on bytes that encodeAlert would not produce
 */
export function decodeAlert(bytes: Uint8Array, value?: unknown): AlertStatement {
  return decodeCanonical(bytes, parseAlert, encodeParsed, 'an alert', value)
}

/**
 * Validates a value and returns the fields of the statement; other fields are ignored. If `kind` is
 * missing, the kind is 'alert', because alerts from before corrections existed have no kind. Alerts
 * of version 1 have no salt.
 * @throws Error with the field's name when a field is missing or has no canonical form
 */
export function parseAlert(value: unknown): AlertStatement {
  if (!isObject(value)) throw new Error('The alert is not an object')
  const claim: { kind?: unknown; targetIndex?: unknown; targetLeafHash?: unknown; salt?: unknown } = value
  const { kind = 'alert', targetIndex = null, targetLeafHash = null, salt = null } = claim
  const alert = { ...value, kind, targetIndex, targetLeafHash }
  assertStatement(alert)
  if (salt !== null && !isSalt(salt)) throw new Error("The alert's salt is not 0x and 32 lower-case hex digits")
  const { index, id, asset, priority, anomalyType, regime, summary } = alert
  const { confidence, createdAt, origin, signalHash, signer } = alert
  const statement: AlertStatement = {
    kind: alert.kind,
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
    targetIndex: alert.targetIndex,
    targetLeafHash: alert.targetLeafHash,
  }
  if (salt !== null) statement.salt = salt
  return statement
}

type ClaimedStatement = { readonly [field in Exclude<keyof AlertStatement, 'salt'>]?: unknown }

/** @throws Error naming the first field that has no canonical form */
function assertStatement(alert: ClaimedStatement): asserts alert is Omit<AlertStatement, 'salt'> {
  expect(isOneOf(kinds, alert.kind), 'kind', `one of ${kinds.join(', ')}`)
  expect(isIndex(alert.index), 'index', 'an integer of 0 or more')
  for (const field of textFields) expect(isText(alert[field]), field, 'well-formed Unicode text')
  expect(isOneOf(priorities, alert.priority), 'priority', `one of ${priorities.join(', ')}`)
  expect(isPercent(alert.confidence), 'confidence', 'a percentage from 0 to 100 with at most one decimal')
  expect(isTime(alert.createdAt), 'createdAt', 'a UTC time with milliseconds')
  expect(isOneOf(origins, alert.origin), 'origin', `one of ${origins.join(', ')}`)
  expect(
    isSignalHash(alert.signalHash, alert.origin),
    'signalHash',
    'a hash that its origin allows (feed: required, admin: null, demo: optional)',
  )
  expect(isChecksummed(alert.signer), 'signer', 'a checksummed address')
  assertTarget(alert)
}

function assertTarget({ kind, index, targetIndex, targetLeafHash }: ClaimedStatement): void {
  if (kind === 'alert') {
    expect(targetIndex === null, 'targetIndex', 'null, though it corrects nothing')
    expect(targetLeafHash === null, 'targetLeafHash', 'null, though it corrects nothing')
    return
  }
  expect(isIndex(targetIndex) && targetIndex < Number(index), 'targetIndex', 'an index below its own')
  expect(isHash(targetLeafHash), 'targetLeafHash', '0x and 64 lower-case hex digits')
}

function expect(isValid: boolean, field: keyof AlertStatement, description: string): void {
  if (!isValid) throw new Error(`The alert's ${field} is not ${description}`)
}

function isOneOf(allowedValues: readonly string[], value: unknown): boolean {
  return typeof value === 'string' && allowedValues.includes(value)
}

function isPercent(value: unknown): boolean {
  if (typeof value !== 'number' || !(value >= 0 && value <= 100) || Object.is(value, -0)) return false
  return Math.round(value * 10) / 10 === value
}

function isSignalHash(value: unknown, origin: unknown): boolean {
  if (value === null) return origin !== 'feed'
  // The signed form encodes "no hash" as zero, so a hash of zero is not allowed.
  return isHash(value) && !/^0x0{64}$/.test(value) && origin !== 'admin'
}
