import { utf8ToBytes } from '@noble/hashes/utils'
import { canonicalJson, readJson } from './canonical-json.ts'
import { isChecksummed, isIndex, isTime } from './field-checks.ts'
import { type Address, equalBytes } from './hex.ts'

/** Says nothing but that the log was alive, so that a quiet log is anchored too and later entries can not be back-dated below it. */
export interface HeartbeatStatement {
  kind: 'heartbeat'
  index: number
  createdAt: string
  signer: Address
}

/**
 * The canonical bytes: `{"kind":"heartbeat","v":1,...}` as RFC 8785 (JCS) JSON in UTF-8.
 * @throws Error when the statement has no canonical form
 */
export function encodeHeartbeat(statement: HeartbeatStatement): Uint8Array {
  return utf8ToBytes(canonicalJson({ ...parseHeartbeat(statement), v: 1 }))
}

/**
 * The heartbeat in canonical bytes.
 * @throws Error on bytes that encodeHeartbeat would not have written
 */
export function decodeHeartbeat(bytes: Uint8Array): HeartbeatStatement {
  const statement = parseHeartbeat(readJson(bytes))
  if (!equalBytes(encodeHeartbeat(statement), bytes)) {
    throw new Error('The bytes are not the canonical form of a heartbeat')
  }
  return statement
}

/**
 * The statement's fields from any value; other fields are ignored.
 * @throws Error naming the field that is missing or malformed
 */
export function parseHeartbeat(value: unknown): HeartbeatStatement {
  if (typeof value !== 'object' || value === null) throw new Error('The heartbeat is not an object')
  const claim: { readonly [field in keyof HeartbeatStatement]?: unknown } = value
  const { kind, index, createdAt, signer } = claim
  if (kind !== 'heartbeat') throw new Error("The heartbeat's kind is not heartbeat")
  if (!isIndex(index)) throw new Error("The heartbeat's index is not an integer from 0 up")
  if (!isTime(createdAt)) throw new Error("The heartbeat's createdAt is not a UTC time with milliseconds")
  if (!isChecksummed(signer)) throw new Error("The heartbeat's signer is not a checksummed address")
  return { kind, index, createdAt, signer }
}
