import { utf8ToBytes } from '@noble/hashes/utils'
import { canonicalJson, decodeCanonical } from './canonical-json.ts'
import { isChainId, isChecksummed, isHash, isIndex, isObject, isText, isTime } from './field-checks.ts'
import type { Address, Hex } from './hex.ts'

/**
 * The log that this log continues: its identity, how much of it the operator still has, and how
 * much was anchored.
 */
export interface Predecessor {
  chainId: number
  /** The AlertAnchor contract of the former log. */
  contract: Address
  firstSigner: Address
  /**
   * Number of entries of the former log that the operator still has, starting at 0, and their root.
   */
  size: number
  root: Hex
  /**
   * Newest anchor in the former contract. Without one, size 0 and the root of the empty tree.
   */
  anchoredSize: number
  anchoredRoot: Hex
}

/** The second entry of a log that continues another one on a new contract. */
export interface SuccessionStatement {
  kind: 'succession'
  /** Always 1: directly after the first key list. */
  index: number
  createdAt: string
  signer: Address
  predecessor: Predecessor
  /** Explanation for readers: what happened and what was lost. */
  reason: string
}

/** The only valid index of a succession. */
export const successionIndex = 1

/**
 * Encodes the canonical bytes: `{"kind":"succession","v":1,...}` as RFC 8785 (JCS) JSON in UTF-8.
 * @throws Error when the statement has no canonical form
 */
export function encodeSuccession(statement: SuccessionStatement): Uint8Array {
  const { predecessor, ...fields } = parseSuccession(statement)
  return utf8ToBytes(canonicalJson({ ...fields, predecessor: { ...predecessor }, v: 1 }))
}

/**
 * Decodes canonical bytes.
 * @throws Error on bytes that encodeSuccession would not produce
 */
export function decodeSuccession(bytes: Uint8Array): SuccessionStatement {
  return decodeCanonical(bytes, parseSuccession, encodeSuccession, 'a succession')
}

/**
 * Validates a value and returns the fields of the statement; other fields are ignored.
 * @throws Error naming the field that is missing or malformed
 */
export function parseSuccession(value: unknown): SuccessionStatement {
  if (!isObject(value)) throw new Error('The succession is not an object')
  const claim: { readonly [field in keyof SuccessionStatement]?: unknown } = value
  const { kind, index, createdAt, signer, reason } = claim
  if (kind !== 'succession') throw new Error("The succession's kind is not succession")
  if (index !== successionIndex) throw new Error(`The succession's index is not ${successionIndex}`)
  if (!isTime(createdAt)) throw new Error("The succession's createdAt is not a UTC time with milliseconds")
  if (!isChecksummed(signer)) throw new Error("The succession's signer is not a checksummed address")
  if (!isText(reason)) throw new Error("The succession's reason is not well-formed Unicode text")
  return { kind, index, createdAt, signer, predecessor: parsePredecessor(claim.predecessor), reason }
}

function parsePredecessor(value: unknown): Predecessor {
  if (!isObject(value)) throw new Error('The predecessor is not an object')
  const claim: { readonly [field in keyof Predecessor]?: unknown } = value
  const { chainId, contract, firstSigner, size, root, anchoredSize, anchoredRoot } = claim
  if (!isChainId(chainId)) throw new Error("The predecessor's chainId is not a positive integer")
  if (!isChecksummed(contract)) throw new Error("The predecessor's contract is not a checksummed address")
  if (!isChecksummed(firstSigner)) throw new Error("The predecessor's firstSigner is not a checksummed address")
  if (!isIndex(size)) throw new Error("The predecessor's size is not an integer of 0 or more")
  if (!isHash(root)) throw new Error("The predecessor's root is not 0x and 64 lower-case hex digits")
  if (!isIndex(anchoredSize)) throw new Error("The predecessor's anchoredSize is not an integer of 0 or more")
  if (!isHash(anchoredRoot)) throw new Error("The predecessor's anchoredRoot is not 0x and 64 lower-case hex digits")
  return { chainId, contract, firstSigner, size, root, anchoredSize, anchoredRoot }
}
