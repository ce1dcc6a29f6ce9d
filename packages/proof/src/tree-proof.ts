import { equalBytes } from './hex.ts'
import { hashNode } from './tree.ts'

/**
 * Verification of inclusion and consistency proofs by the algorithms of RFC 9162 sections 2.1.3.2
 * and 2.1.4.2. On invalid input these functions return false or null and never throw.
 */

export interface InclusionClaim {
  leafHash: Uint8Array
  index: number
  size: number
  /** Sibling hashes, leaf to root. */
  path: readonly Uint8Array[]
}

/** One step of the path: the sibling, its side, and the hash of the parent node. */
export interface InclusionStep {
  side: 'left' | 'right'
  sibling: Uint8Array
  hash: Uint8Array
}

/**
 * The steps from the leaf to the root that the path leads to. Null if the path length does not
 * match index and size.
 */
export function computeInclusionSteps({ leafHash, index, size, path }: InclusionClaim): InclusionStep[] | null {
  if (!isSize(size) || !isSize(index + 1) || index >= size || !areHashes([leafHash, ...path])) return null
  const steps: InclusionStep[] = []
  let hash = leafHash
  let nodeIndex = index
  let lastNodeIndex = size - 1
  for (const sibling of path) {
    if (lastNodeIndex === 0) return null
    if (nodeIndex % 2 === 1 || nodeIndex === lastNodeIndex) {
      hash = hashNode(sibling, hash)
      steps.push({ side: 'left', sibling, hash })
      while (nodeIndex % 2 === 0 && nodeIndex !== 0) {
        nodeIndex = halve(nodeIndex)
        lastNodeIndex = halve(lastNodeIndex)
      }
    } else {
      hash = hashNode(hash, sibling)
      steps.push({ side: 'right', sibling, hash })
    }
    nodeIndex = halve(nodeIndex)
    lastNodeIndex = halve(lastNodeIndex)
  }
  return lastNodeIndex === 0 ? steps : null
}

/** The root that the path leads to. Null if the path length does not match index and size. */
export function rootFromInclusion(claim: InclusionClaim): Uint8Array | null {
  const steps = computeInclusionSteps(claim)
  return steps && (steps.at(-1)?.hash ?? claim.leafHash)
}

export function verifyInclusion(claim: InclusionClaim & { root: Uint8Array }): boolean {
  const root = rootFromInclusion(claim)
  return root !== null && equalBytes(root, claim.root)
}

export interface ConsistencyClaim {
  oldSize: number
  newSize: number
  oldRoot: Uint8Array
  newRoot: Uint8Array
  path: readonly Uint8Array[]
}

/**
 * Returns whether the path proves that the old tree is a prefix of the new one. Old size 0 is
 * rejected: every tree extends the empty tree, so the proof would be meaningless.
 */
export function verifyConsistency({ oldSize, newSize, oldRoot, newRoot, path }: ConsistencyClaim): boolean {
  if (!isSize(oldSize) || !isSize(newSize) || oldSize > newSize || !areHashes(path)) return false
  if (oldSize === newSize) return path.length === 0 && equalBytes(oldRoot, newRoot)
  // If the old size is a power of two, the old tree is a node of the new tree. The proof then omits
  // the first hash, because that hash is the old root.
  const [firstHash, ...otherHashes] = isPowerOfTwo(oldSize) ? [oldRoot, ...path] : path
  if (!firstHash) return false
  const roots = computeConsistencyRoots(oldSize, newSize, firstHash, otherHashes)
  return roots !== null && equalBytes(roots.old, oldRoot) && equalBytes(roots.new, newRoot)
}

function computeConsistencyRoots(
  oldSize: number,
  newSize: number,
  firstHash: Uint8Array,
  otherHashes: readonly Uint8Array[],
): { old: Uint8Array; new: Uint8Array } | null {
  let nodeIndex = oldSize - 1
  let lastNodeIndex = newSize - 1
  while (nodeIndex % 2 === 1) {
    nodeIndex = halve(nodeIndex)
    lastNodeIndex = halve(lastNodeIndex)
  }
  let oldHash = firstHash
  let newHash = firstHash
  for (const sibling of otherHashes) {
    if (lastNodeIndex === 0) return null
    if (nodeIndex % 2 === 1 || nodeIndex === lastNodeIndex) {
      oldHash = hashNode(sibling, oldHash)
      newHash = hashNode(sibling, newHash)
      while (nodeIndex % 2 === 0 && nodeIndex !== 0) {
        nodeIndex = halve(nodeIndex)
        lastNodeIndex = halve(lastNodeIndex)
      }
    } else {
      newHash = hashNode(newHash, sibling)
    }
    nodeIndex = halve(nodeIndex)
    lastNodeIndex = halve(lastNodeIndex)
  }
  return lastNodeIndex === 0 ? { old: oldHash, new: newHash } : null
}

function halve(value: number): number {
  return Math.floor(value / 2)
}

function isSize(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0
}

function isPowerOfTwo(value: number): boolean {
  let power = 1
  while (power < value) power *= 2
  return power === value
}

function areHashes(values: readonly Uint8Array[]): boolean {
  return values.every((value) => value.length === 32)
}
