import { sha256 } from '@noble/hashes/sha2'

/**
 * The Merkle tree of RFC 6962 section 2.1 (RFC 9162 section 2.1) with SHA-256: building roots and proofs. Sizes and
 * indexes go to 2^53 - 1, so they are divided and never shifted: bit operators cut numbers to 32 bits.
 */

/** The complete subtree over the 2^level leaves from index * 2^level on. */
export interface NodeId {
  level: number
  index: number
}

/** All that appending needs of a tree: the roots of the complete subtrees it consists of, largest first. */
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

/** The root straight from all leaf hashes, for checking whole logs. The empty tree's root is SHA-256 of nothing. */
export function rootOfLeaves(leafHashes: readonly Uint8Array[]): Uint8Array {
  return frontierRoot(leafHashes.reduce((frontier, leafHash) => appendLeaf(frontier, leafHash).frontier, emptyFrontier))
}

/**
 * The tree with one leaf more, and every complete subtree that this leaf completed, the leaf itself first. Storing these
 * nodes at each append stores each node of the log exactly once.
 */
export function appendLeaf(
  { size, hashes }: Frontier,
  leafHash: Uint8Array,
): { frontier: Frontier; nodes: { id: NodeId; hash: Uint8Array }[] } {
  if (size >= Number.MAX_SAFE_INTEGER) throw new Error('The tree is full')
  const rest = [...hashes]
  let node = { id: { level: 0, index: size }, hash: leafHash }
  const nodes = [node]
  while (node.id.index % 2 === 1) {
    const left = rest.pop()
    if (!left) throw new Error('The frontier has too few hashes for its size')
    const id = { level: node.id.level + 1, index: (node.id.index - 1) / 2 }
    node = { id, hash: hashNode(left, node.hash) }
    nodes.push(node)
  }
  return { frontier: { size: size + 1, hashes: [...rest, node.hash] }, nodes }
}

/** The root of the tree that the frontier stands for. */
export function frontierRoot({ hashes }: Frontier): Uint8Array {
  return hashes.length === 0 ? sha256(new Uint8Array()) : foldRight(hashes)
}

/** The nodes whose hashes are the frontier of the tree of this size, largest first. */
export function frontierNodeIds(size: number): NodeId[] {
  assertSize(size)
  return rangeNodeIds({ start: 0, size })
}

/**
 * The sibling hashes from the leaf up to the root: PATH(index, D[size]) of RFC 6962 section 2.1.1.
 * @param getNode asked for the nodes of inclusionProofNodeIds only
 * @throws RangeError unless 0 <= index < size
 */
export function inclusionProof(index: number, size: number, getNode: (id: NodeId) => Uint8Array): Uint8Array[] {
  return inclusionRanges(index, size).map((range) => foldRight(rangeNodeIds(range).map(getNode)))
}

/** The O(log size) nodes that inclusionProof reads. */
export function inclusionProofNodeIds(index: number, size: number): NodeId[] {
  return inclusionRanges(index, size).flatMap(rangeNodeIds)
}

/**
 * That the tree of the old size is the beginning of the tree of the new one: PROOF(oldSize, D[newSize]) of RFC 6962
 * section 2.1.2, empty between equal sizes.
 * @param getNode asked for the nodes of consistencyProofNodeIds only
 * @throws RangeError unless 0 < oldSize <= newSize
 */
export function consistencyProof(oldSize: number, newSize: number, getNode: (id: NodeId) => Uint8Array): Uint8Array[] {
  return consistencyRanges(oldSize, newSize).map((range) => foldRight(rangeNodeIds(range).map(getNode)))
}

/** The O(log newSize) nodes that consistencyProof reads. */
export function consistencyProofNodeIds(oldSize: number, newSize: number): NodeId[] {
  return consistencyRanges(oldSize, newSize).flatMap(rangeNodeIds)
}

/** Consecutive leaves whose subtree hash is one element of a proof. */
interface LeafRange {
  start: number
  size: number
}

function inclusionRanges(index: number, size: number): LeafRange[] {
  assertSize(size)
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) throw new RangeError('The index is not in the tree')
  const downward: LeafRange[] = []
  let here: LeafRange = { start: 0, size }
  while (here.size > 1) {
    const [left, right] = split(here)
    const isLeft = index < right.start
    downward.push(isLeft ? right : left)
    here = isLeft ? left : right
  }
  return downward.reverse()
}

function consistencyRanges(oldSize: number, newSize: number): LeafRange[] {
  assertSize(newSize)
  if (!Number.isSafeInteger(oldSize) || oldSize < 1 || oldSize > newSize) {
    throw new RangeError('The old size is not from 1 to the new size')
  }
  const downward: LeafRange[] = []
  let here: LeafRange = { start: 0, size: newSize }
  while (here.start + here.size !== oldSize) {
    const [left, right] = split(here)
    const endsLeft = oldSize <= right.start
    downward.push(endsLeft ? right : left)
    here = endsLeft ? left : right
  }
  // The old tree's own root is known to whoever verifies, any other last subtree of it is not.
  if (here.start > 0) downward.push(here)
  return downward.reverse()
}

/** Left part: the largest power of two below the size. */
function split({ start, size }: LeafRange): [left: LeafRange, right: LeafRange] {
  let leftSize = 1
  while (leftSize * 2 < size) leftSize *= 2
  return [
    { start, size: leftSize },
    { start: start + leftSize, size: size - leftSize },
  ]
}

/** The complete subtrees that a range consists of, largest first. Splitting only ever makes ranges that are so. */
function rangeNodeIds({ start, size }: LeafRange): NodeId[] {
  const ids: NodeId[] = []
  let from = start
  let left = size
  while (left > 0) {
    let level = 0
    let width = 1
    while (width * 2 <= left) {
      level += 1
      width *= 2
    }
    ids.push({ level, index: from / width })
    from += width
    left -= width
  }
  return ids
}

/** The hash over subtrees of falling size: the smallest two first, then each next to the left. */
function foldRight(hashes: readonly Uint8Array[]): Uint8Array {
  return hashes.reduceRight((right, left) => hashNode(left, right))
}

function assertSize(size: number): void {
  if (!Number.isSafeInteger(size) || size < 0) throw new RangeError('The size is not an integer from 0 to 2^53 - 1')
}
