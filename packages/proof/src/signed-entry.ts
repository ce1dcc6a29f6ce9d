import { isIndex, isObject } from './field-checks.ts'
import type { Hex } from './hex.ts'
import { maxPathLength } from './place.ts'
import { readHash } from './words.ts'

/**
 * A log entry with its proof, as sent by the API. Until it is anchored the path is empty and the
 * anchor fields are null.
 */
export interface SignedEntry {
  /** The canonical bytes as text. */
  bytes: string
  signature: string
  leafHash: Hex
  index: number
  /** Sibling hashes, leaf to root. */
  merklePath: Hex[]
  treeSize: number | null
  root: Hex | null
  avalancheTx: Hex | null
}

/**
 * Validates the structure of an entry. verifyKeyList and verifyOutcomes check the content.
 * @throws Error naming what is missing or malformed
 */
export function parseSignedEntry(value: unknown): SignedEntry {
  if (!isObject(value)) throw new Error('The entry is not an object')
  const entry: { readonly [field in keyof SignedEntry]?: unknown } = value
  const { bytes, signature, index, merklePath, treeSize } = entry
  if (typeof bytes !== 'string' || typeof signature !== 'string')
    throw new Error('The entry has no content or signature')
  if (!isIndex(index)) throw new Error('The entry has no index')
  if (!Array.isArray(merklePath) || merklePath.length > maxPathLength)
    throw new Error('The path is not a list of hashes')
  if (treeSize !== null && !isIndex(treeSize)) throw new Error('The tree size is not an integer')
  return {
    bytes,
    signature,
    leafHash: readHash(entry.leafHash, 'leaf hash'),
    index,
    merklePath: merklePath.map((hash) => readHash(hash, 'path')),
    treeSize,
    root: entry.root === null ? null : readHash(entry.root, 'root'),
    avalancheTx: entry.avalancheTx === null ? null : readHash(entry.avalancheTx, 'transaction'),
  }
}
