import { utf8ToBytes } from '@noble/hashes/utils'
import { canonicalJson, decodeCanonical } from './canonical-json.ts'
import { isChecksummed, isHash, isIndex, isObject, isTime } from './field-checks.ts'
import type { Address, Hex } from './hex.ts'

/**
 * A signing key and its window: the key is valid for entries from `fromIndex` (inclusive) to
 * `untilIndex` (exclusive). If `untilIndex` is null, the window has no end.
 */
export interface SigningKey {
  address: Address
  /** Ed25519 public key for checkpoints during this key's window: 32 bytes in lower-case hex. */
  checkpointKey: Hex
  fromIndex: number
  untilIndex: number | null
}

/** The complete history of signing keys, as a log entry. */
export interface KeysStatement {
  kind: 'keys'
  index: number
  createdAt: string
  /** The key that signs this list. It must be valid at `index`. */
  signer: Address
  /** The windows start at entry 0 and have no gaps or overlaps. Only the last one has no end. */
  keys: SigningKey[]
}

/**
 * Encodes the canonical bytes: `{"kind":"keys","v":1,...}` as RFC 8785 (JCS) JSON in UTF-8.
 * @throws Error when the list has no canonical form
 */
export function encodeKeys(statement: KeysStatement): Uint8Array {
  const { kind, index, createdAt, signer, keys } = parseKeys(statement)
  const list = keys.map((key) => ({ ...key }))
  return utf8ToBytes(canonicalJson({ kind, v: 1, index, createdAt, signer, keys: list }))
}

/**
 * Decodes canonical bytes.
 * @throws Error on bytes that encodeKeys would not produce
 */
export function decodeKeys(bytes: Uint8Array): KeysStatement {
  return decodeCanonical(bytes, parseKeys, encodeKeys, 'a key list')
}

/**
 * Validates a value and returns the fields of the statement; other fields are ignored.
 * @throws Error naming what is missing, malformed or violates the rules for windows
 */
export function parseKeys(value: unknown): KeysStatement {
  if (!isObject(value)) throw new Error('The key list is not an object')
  const claim: { readonly [field in keyof KeysStatement]?: unknown } = value
  const { kind, index, createdAt, signer, keys } = claim
  if (kind !== 'keys') throw new Error("The key list's kind is not keys")
  if (!isIndex(index)) throw new Error("The key list's index is not an integer of 0 or more")
  if (!isTime(createdAt)) throw new Error("The key list's createdAt is not a UTC time with milliseconds")
  if (!isChecksummed(signer)) throw new Error("The key list's signer is not a checksummed address")
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('The key list names no keys')
  const parsedKeys = keys.map(parseKey)
  assertWindows(parsedKeys)
  return { kind, index, createdAt, signer, keys: parsedKeys }
}

function parseKey(value: unknown, at: number): SigningKey {
  const name = `Key ${at + 1} of the list`
  if (!isObject(value)) throw new Error(`${name} is not an object`)
  const claim: { readonly [field in keyof SigningKey]?: unknown } = value
  const { address, checkpointKey, fromIndex, untilIndex } = claim
  if (!isChecksummed(address)) throw new Error(`${name} has no checksummed address`)
  if (!isHash(checkpointKey)) throw new Error(`${name} has no checkpoint key of 32 bytes in lower-case hex`)
  if (!isIndex(fromIndex)) throw new Error(`${name} has no index from which it is valid`)
  if (untilIndex !== null && !(isIndex(untilIndex) && untilIndex > fromIndex)) {
    throw new Error(`${name} does not end after it begins`)
  }
  return { address, checkpointKey, fromIndex, untilIndex }
}

function assertWindows(keys: readonly SigningKey[]): void {
  let nextIndex: number | null = 0
  for (const [at, { address, checkpointKey, fromIndex, untilIndex }] of keys.entries()) {
    const name = `Key ${at + 1} of the list`
    if (nextIndex === null) throw new Error(`${name} comes after one that is still valid`)
    if (fromIndex !== nextIndex) throw new Error(`${name} begins at entry ${fromIndex} instead of ${nextIndex}`)
    const earlierKeys = keys.slice(0, at)
    // A replaced key may be compromised, so it must not become valid again.
    if (earlierKeys.some((key) => key.address === address)) throw new Error(`${name} has been replaced before`)
    if (earlierKeys.some((key) => key.checkpointKey === checkpointKey)) {
      throw new Error(`${name} has the checkpoint key of an earlier one`)
    }
    nextIndex = untilIndex
  }
  if (nextIndex !== null) throw new Error('The last key of the list is no longer valid')
}
