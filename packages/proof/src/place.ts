import { isIndex } from './field-checks.ts'
import { bytesToHex, type Hex, hexToBytes } from './hex.ts'
import { computeInclusionSteps, type InclusionStep } from './tree-proof.ts'
import { readHash } from './words.ts'

/** A tree of 2^53 leaves has 53 levels, so no path has more hashes. */
export const maxPathLength = 53

/**
 * The claimed position of an entry: its index, the tree, and the anchor transaction. Untrusted: any
 * field may be missing or malformed.
 */
export interface ClaimedPosition {
  readonly index?: unknown
  readonly leafHash?: unknown
  readonly merklePath?: unknown
  readonly treeSize?: unknown
  readonly root?: unknown
  readonly avalancheTx?: unknown
}

interface InclusionPosition {
  leafHash: Hex
  index: number
  size: number
  path: Hex[]
  root: Hex
}

/**
 * One step of the Merkle path. `level` counts from 1, `side` is the side of the sibling, `hash` is
 * the hash of the parent node.
 */
export interface PathStep {
  level: number
  side: InclusionStep['side']
  sibling: Hex
  hash: Hex
}

/**
 * True if the entry claims not to be anchored yet: all four fields are empty. Otherwise path, size
 * and root must form a valid proof, even if the transaction is null.
 */
export function isUnanchored({ merklePath, treeSize, root, avalancheTx }: ClaimedPosition): boolean {
  const hasNoPath = Array.isArray(merklePath) && merklePath.length === 0
  return hasNoPath && treeSize === null && root === null && avalancheTx === null
}

/** @throws Error naming what is missing or malformed */
export function parsePosition({ index, leafHash, merklePath, treeSize, root }: ClaimedPosition): InclusionPosition {
  if (!isIndex(index)) throw new Error('The entry has no index')
  if (typeof treeSize !== 'number') throw new Error('The proof names no tree size')
  if (!Array.isArray(merklePath) || merklePath.length > maxPathLength)
    throw new Error('The path is not a list of hashes')
  return {
    leafHash: readHash(leafHash, 'leaf hash'),
    index,
    size: treeSize,
    path: merklePath.map((hash) => readHash(hash, 'path')),
    root: readHash(root, 'root'),
  }
}

/** The steps from leaf to root. Null if the path length does not match index and size. */
export function computePathSteps({ leafHash, index, size, path }: InclusionPosition): PathStep[] | null {
  const steps = computeInclusionSteps({ leafHash: hexToBytes(leafHash), index, size, path: path.map(hexToBytes) })
  if (!steps) return null
  return steps.map(({ side, sibling, hash }, i) => ({
    level: i + 1,
    side,
    sibling: bytesToHex(sibling),
    hash: bytesToHex(hash),
  }))
}
