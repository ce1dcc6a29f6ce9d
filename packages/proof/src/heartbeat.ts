import { utf8ToBytes } from '@noble/hashes/utils'
import { canonicalJson, decodeCanonical } from './canonical-json.ts'
import { isChecksummed, isIndex, isObject, isTime } from './field-checks.ts'
import type { Address } from './hex.ts'

/**
 * A log entry that shows that the log was running. If a log gets no other entries, its heartbeats
 * are anchored, so that later entries cannot be back-dated to a time before the newest anchor.
 */
export interface HeartbeatStatement {
  kind: 'heartbeat'
  index: number
  createdAt: string
  signer: Address
}

/**
 * Encodes the canonical bytes: `{"kind":"heartbeat","v":1,...}` as RFC 8785 (JCS) JSON in UTF-8.
 * @throws Error when the statement has no canonical form
 */
export function encodeHeartbeat(statement: HeartbeatStatement): Uint8Array {
  return utf8ToBytes(canonicalJson({ ...parseHeartbeat(statement), v: 1 }))
}

/**
 * Decodes canonical bytes.
 * @throws Error on bytes that encodeHeartbeat would not produce
 */
export function decodeHeartbeat(bytes: Uint8Array): HeartbeatStatement {
  return decodeCanonical(bytes, parseHeartbeat, encodeHeartbeat, 'a heartbeat')
}

/**
 * Validates a value and returns the fields of the statement; other fields are ignored.
 * @throws Error naming the field that is missing or malformed
 */
export function parseHeartbeat(value: unknown): HeartbeatStatement {
  if (!isObject(value)) throw new Error('The heartbeat is not an object')
  const claim: { readonly [field in keyof HeartbeatStatement]?: unknown } = value
  const { kind, index, createdAt, signer } = claim
  if (kind !== 'heartbeat') throw new Error("The heartbeat's kind is not heartbeat")
  if (!isIndex(index)) throw new Error("The heartbeat's index is not an integer of 0 or more")
  if (!isTime(createdAt)) throw new Error("The heartbeat's createdAt is not a UTC time with milliseconds")
  if (!isChecksummed(signer)) throw new Error("The heartbeat's signer is not a checksummed address")
  return { kind, index, createdAt, signer }
}
