import { sha256 } from '@noble/hashes/sha2'

/**
 * The Merkle tree of RFC 6962 section 2.1 (RFC 9162 section 2.1) with SHA-256: building roots and
 * proofs. Sizes and indexes go up to 2^53 - 1, so the code divides instead of shifting: bitwise
 * operators truncate to 32 bits.
 */

/** The complete subtree over the 2^level leaves from index * 2^level on. */
export interface NodeId {
  level: number
  index: number
}

/** The state needed to append: the roots of the complete subtrees of the tree, largest first. */
export interface Frontier {
  size: number
  hashes: Uint8Array[]
}

export const emptyFrontier: Frontier = { size: 0, hashes: [] }

/** SHA-256(0x00 || entry) */
export function hashLeaf(entry: Uint8Array): Uint8Array {
  return sha256.create().update(Uint8Array.of(0)).update(entry).digest()
}

/** SHA-256(0x01 || left || right) */
export function hashNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256.create().update(Uint8Array.of(1)).update(left).update(right).digest()
}

/**
 * Computes the root from all leaf hashes. The root of the empty tree is SHA-256 of the empty
 * string.
 */
export function rootOfLeaves(leafHashes: readonly Uint8Array[]): Uint8Array {
  return frontierRoot(leafHashes.reduce((frontier, leafHash) => appendLeaf(frontier, leafHash).frontier, emptyFrontier))
}

/**
 * Appends a leaf. `nodes` are the subtrees that the leaf completes, starting with the leaf itself.
 * A log that stores `nodes` at each append stores each of its nodes exactly once.
 */
export function appendLeaf(
  { size, hashes }: Frontier,
  leafHash: Uint8Array,
): { frontier: Frontier; nodes: { id: NodeId; hash: Uint8Array }[] } {
  if (size >= Number.MAX_SAFE_INTEGER) throw new Error('The tree is full')
  const frontierHashes = [...hashes]
  let node = { id: { level: 0, index: size }, hash: leafHash }
  const nodes = [node]
  while (node.id.index % 2 === 1) {
    const left = frontierHashes.pop()
    if (!left) throw new Error('The frontier has too few hashes for its size')
    const id = { level: node.id.level + 1, index: (node.id.index - 1) / 2 }
    node = { id, hash: hashNode(left, node.hash) }
    nodes.push(node)
  }
  return { frontier: { size: size + 1, hashes: [...frontierHashes, node.hash] }, nodes }
}

/** The root of the tree with this frontier. */
export function frontierRoot({ hashes }: Frontier): Uint8Array {
  return hashes.length === 0 ? sha256(new Uint8Array()) : hashFromRight(hashes)
}

/** The nodes that form the frontier of a tree of this size, largest first. */
export function frontierNodeIds(size: number): NodeId[] {
  assertSize(size)
  return listRangeNodeIds({ start: 0, size })
}

/**
 * The sibling hashes from leaf to root: PATH(index, D[size]) of RFC 6962 section 2.1.1.
 * @param getNode called only for the nodes of inclusionProofNodeIds
 * @throws RangeError unless 0 <= index < size
 */
export function inclusionProof(index: number, size: number, getNode: (id: NodeId) => Uint8Array): Uint8Array[] {
  return listInclusionRanges(index, size).map((range) => hashFromRight(listRangeNodeIds(range).map(getNode)))
}

/** The O(log size) nodes that inclusionProof reads. */
export function inclusionProofNodeIds(index: number, size: number): NodeId[] {
  return listInclusionRanges(index, size).flatMap(listRangeNodeIds)
}

/**
 * The consistency proof between two sizes: PROOF(oldSize, D[newSize]) of RFC 6962 section 2.1.2,
 * empty for equal sizes.
 * @param getNode called only for the nodes of consistencyProofNodeIds
 * @throws RangeError unless 0 < oldSize <= newSize
 */
export function consistencyProof(oldSize: number, newSize: number, getNode: (id: NodeId) => Uint8Array): Uint8Array[] {
  return listConsistencyRanges(oldSize, newSize).map((range) => hashFromRight(listRangeNodeIds(range).map(getNode)))
}

/** The O(log newSize) nodes that consistencyProof reads. */
export function consistencyProofNodeIds(oldSize: number, newSize: number): NodeId[] {
  return listConsistencyRanges(oldSize, newSize).flatMap(listRangeNodeIds)
}

/** A range of leaves whose subtree hash is one element of a proof. */
interface LeafRange {
  start: number
  size: number
}

function listInclusionRanges(index: number, size: number): LeafRange[] {
  assertSize(size)
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new RangeError('The index is not in the tree')
  const rangesFromRoot: LeafRange[] = []
  let range: LeafRange = { start: 0, size }
  while (range.size > 1) {
    const [left, right] = splitRange(range)
    const isLeft = index < right.start
    rangesFromRoot.push(isLeft ? right : left)
    range = isLeft ? left : right
  }
  return rangesFromRoot.reverse()
}

function listConsistencyRanges(oldSize: number, newSize: number): LeafRange[] {
  assertSize(newSize)
  if (!Number.isSafeInteger(oldSize) || oldSize < 1 || oldSize > newSize) {
    throw new RangeError('The old size is not from 1 to the new size')
  }
  const rangesFromRoot: LeafRange[] = []
  let range: LeafRange = { start: 0, size: newSize }
  while (range.start + range.size !== oldSize) {
    const [left, right] = splitRange(range)
    const endsInLeft = oldSize <= right.start
    rangesFromRoot.push(endsInLeft ? right : left)
    range = endsInLeft ? left : right
  }
  // The last subtree of the old tree is part of the proof, unless it is the whole old tree: the
  // verifier knows that root.
  if (range.start > 0) rangesFromRoot.push(range)
  return rangesFromRoot.reverse()
}

/** Splits a range. The left part has the largest power of two below the size. */
function splitRange({ start, size }: LeafRange): [left: LeafRange, right: LeafRange] {
  let leftSize = 1
  while (leftSize * 2 < size) leftSize *= 2
  return [
    { start, size: leftSize },
    { start: start + leftSize, size: size - leftSize },
  ]
}

/**
 * The complete subtrees of a range, largest first. The range must start at 0 or come from
 * `splitRange`, so that each subtree starts at a multiple of its width.
 */
function listRangeNodeIds({ start, size }: LeafRange): NodeId[] {
  const ids: NodeId[] = []
  let from = start
  let remainingLeaves = size
  while (remainingLeaves > 0) {
    let level = 0
    let width = 1
    while (width * 2 <= remainingLeaves) {
      level += 1
      width *= 2
    }
    ids.push({ level, index: from / width })
    from += width
    remainingLeaves -= width
  }
  return ids
}

/**
 * Combines the hashes of adjacent subtrees, listed by descending size: first the two on the right,
 * then the result with each further hash from right to left.
 */
function hashFromRight(hashes: readonly Uint8Array[]): Uint8Array {
  return hashes.reduceRight((right, left) => hashNode(left, right))
}

function assertSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError('The size is not an integer from 0 to 2^53 - 1')
}
