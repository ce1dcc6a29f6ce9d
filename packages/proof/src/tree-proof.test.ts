import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from './hex.ts'
import {
  appendLeaf,
  consistencyProof,
  emptyFrontier,
  frontierNodeIds,
  frontierRoot,
  hashLeaf,
  hashNode,
  inclusionProof,
  type NodeId,
} from './tree.ts'
import {
  computeInclusionSteps,
  type InclusionClaim,
  rootFromInclusion,
  verifyConsistency,
  verifyInclusion,
} from './tree-proof.ts'
import vectors from './vectors/merkle.json'

const toBytes = (hex: string) => hexToBytes(`0x${hex}`)
const getRoot = (size: number) => toBytes(vectors.roots[size] ?? '')
const otherLeaf = hashLeaf(Uint8Array.of(99))

function flipBit(bytes: Uint8Array): Uint8Array {
  const changedBytes = bytes.slice()
  changedBytes[31] = (changedBytes[31] ?? 0) ^ 1
  return changedBytes
}

/**
 * Returns invalid variants of a valid path: with a flipped bit, a missing, additional or shortened
 * hash, and with the hashes in reverse order.
 */
function listChangedPaths(path: Uint8Array[], spareHash: Uint8Array): Uint8Array[][] {
  const replaceAt = (i: number, ...hashes: Uint8Array[]) => [...path.slice(0, i), ...hashes, ...path.slice(i + 1)]
  const flippedPaths = path.map((hash, i) => replaceAt(i, flipBit(hash)))
  const shortenedPaths = path.map((_, i) => replaceAt(i))
  const lengthenedPaths = [[spareHash, ...path], ...path.map((hash, i) => replaceAt(i, hash, spareHash))]
  const cutHashPaths = path.map((hash, i) => replaceAt(i, hash.slice(1)))
  const reversedPaths = path.length > 1 ? [[...path].reverse()] : []
  return [...flippedPaths, ...shortenedPaths, ...lengthenedPaths, ...cutHashPaths, ...reversedPaths]
}

describe('verifyInclusion', () => {
  const claims = vectors.inclusion.map(({ index, size, path }) => ({
    index,
    size,
    path: path.map(toBytes),
    leafHash: toBytes(vectors.leafHashes[index] ?? ''),
    root: getRoot(size),
  }))

  it.each(claims)('rejects every modified proof of entry $index of $size', (claim) => {
    for (const path of listChangedPaths(claim.path, otherLeaf)) expect(verifyInclusion({ ...claim, path })).toBe(false)
    for (const path of listChangedPaths(claim.path, claim.root)) expect(verifyInclusion({ ...claim, path })).toBe(false)
    const changedClaims: Partial<InclusionClaim & { root: Uint8Array }>[] = [
      { leafHash: flipBit(claim.leafHash) },
      { leafHash: new Uint8Array() },
      { root: flipBit(claim.root) },
      { root: new Uint8Array() },
      { root: getRoot(0) },
      { index: claim.index + 1 },
      { index: claim.index - 1 },
      { index: claim.index + 2 ** 32 },
      { index: claim.size },
      { index: Number.NaN },
      { index: 0.5 },
      { size: 0 },
      { size: -claim.size },
      { size: claim.size * 4 },
      { size: claim.size + 2 ** 32 },
      { size: 2 ** 53 },
      { size: Number.POSITIVE_INFINITY },
    ]
    for (const change of changedClaims)
      expect(verifyInclusion({ ...claim, ...change }), JSON.stringify(change)).toBe(false)
  })

  it.each(claims)('accepts entry $index of $size', (claim) => {
    expect(verifyInclusion(claim)).toBe(true)
  })

  it('rejects hashes that are not 32 bytes long, even if their concatenation leads to the root', () => {
    const [left, right] = [hashLeaf(Uint8Array.of(1)), hashLeaf(Uint8Array.of(2))]
    const root = hashNode(left, right)
    const longerLeaf = Uint8Array.of(left[31] ?? 0, ...right)
    expect(hashNode(left.slice(0, 31), longerLeaf)).toEqual(root)
    expect(verifyInclusion({ leafHash: left.slice(0, 31), index: 0, size: 2, path: [longerLeaf], root })).toBe(false)
  })

  it('computeInclusionSteps lists the side, the sibling and the hash of each step', () => {
    const [first, second, third] = [hashLeaf(Uint8Array.of(1)), hashLeaf(Uint8Array.of(2)), otherLeaf]
    const leftNode = hashNode(first, second)
    expect(computeInclusionSteps({ leafHash: second, index: 1, size: 3, path: [first, third] })).toEqual([
      { side: 'left', sibling: first, hash: leftNode },
      { side: 'right', sibling: third, hash: hashNode(leftNode, third) },
    ])
  })

  it('rootFromInclusion returns null for a path of the wrong length', () => {
    expect(rootFromInclusion({ leafHash: otherLeaf, index: 0, size: 1, path: [otherLeaf] })).toBeNull()
    expect(rootFromInclusion({ leafHash: otherLeaf, index: 0, size: 1, path: [] })).toEqual(otherLeaf)
  })
})

describe('verifyConsistency', () => {
  const claims = vectors.consistency.map(({ oldSize, newSize, path }) => ({
    oldSize,
    newSize,
    oldRoot: getRoot(oldSize),
    newRoot: getRoot(newSize),
    path: path.map(toBytes),
  }))

  it.each(claims)('rejects every modified proof from $oldSize to $newSize', (claim) => {
    for (const path of listChangedPaths(claim.path, otherLeaf))
      expect(verifyConsistency({ ...claim, path })).toBe(false)
    for (const path of listChangedPaths(claim.path, claim.newRoot))
      expect(verifyConsistency({ ...claim, path })).toBe(false)
    const changedClaims: Partial<typeof claim>[] = [
      { oldRoot: flipBit(claim.oldRoot) },
      { newRoot: flipBit(claim.newRoot) },
      { oldRoot: new Uint8Array() },
      { oldSize: 0 },
      { oldSize: 0, oldRoot: getRoot(0) },
      { oldSize: -1 },
      { oldSize: 0.5 },
      { oldSize: Number.NaN },
      { oldSize: claim.newSize + 1 },
      { newSize: claim.newSize * 4 },
      { newSize: claim.newSize + 2 ** 32 },
      { newSize: 2 ** 53 },
    ]
    for (const change of changedClaims)
      expect(verifyConsistency({ ...claim, ...change }), JSON.stringify(change)).toBe(false)
  })

  it('rejects growth from an empty tree whose claimed root is a leaf hash', () => {
    const claim = { oldSize: 0, newSize: 1, oldRoot: otherLeaf, newRoot: otherLeaf, path: [otherLeaf] }
    expect(verifyConsistency(claim)).toBe(false)
  })

  it('rejects a path that continues above the roots', () => {
    const [a, b, c, d] = [getRoot(1), getRoot(2), getRoot(3), getRoot(4)]
    const leftNode = hashNode(a, b)
    const claim = {
      ...{ oldSize: 3, oldRoot: hashNode(leftNode, c) },
      ...{ newSize: 4, newRoot: hashNode(leftNode, hashNode(c, d)) },
      path: [c, d, leftNode],
    }
    expect(verifyConsistency(claim)).toBe(true)
    const [oldRoot, newRoot] = [hashNode(otherLeaf, claim.oldRoot), hashNode(otherLeaf, claim.newRoot)]
    expect(verifyConsistency({ ...claim, oldRoot, newRoot, path: [...claim.path, otherLeaf] })).toBe(false)
  })

  it.each(claims)('accepts growth from $oldSize to $newSize', (claim) => {
    expect(verifyConsistency(claim)).toBe(true)
  })
})

describe('proofs of any tree', () => {
  const leaves = fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { minLength: 1, maxLength: 200 })
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

  function buildTree(leafHashes: Uint8Array[]) {
    const nodes = new Map<string, Uint8Array>()
    const roots = [frontierRoot(emptyFrontier)]
    let frontier = emptyFrontier
    for (const leafHash of leafHashes) {
      const appendResult = appendLeaf(frontier, leafHash)
      for (const { id, hash } of appendResult.nodes) nodes.set(`${id.level}/${id.index}`, hash)
      frontier = appendResult.frontier
      roots.push(frontierRoot(frontier))
    }
    const getNode = ({ level, index }: NodeId) => nodes.get(`${level}/${index}`) ?? new Uint8Array()
    return { getNode, rootAt: (size: number) => roots[size] ?? new Uint8Array() }
  }

  it('prove any leaf, and are rejected if any bit is changed', () => {
    fc.assert(
      fc.property(leaves, share, share, fc.nat(), (leafHashes, sizeShare, indexShare, bit) => {
        const { getNode, rootAt } = buildTree(leafHashes)
        const size = 1 + Math.floor(leafHashes.length * sizeShare)
        const index = Math.floor(size * indexShare)
        const leafHash = leafHashes[index] ?? otherLeaf
        const claim = { leafHash, index, size, path: inclusionProof(index, size, getNode), root: rootAt(size) }
        expect(verifyInclusion(claim)).toBe(true)
        const parts = [claim.leafHash, claim.root, ...claim.path].map((part) => part.slice())
        const part = parts[bit % parts.length] ?? otherLeaf
        part[bit % 32] = (part[bit % 32] ?? 0) ^ (1 << (bit % 8))
        const [leaf = otherLeaf, root = otherLeaf, ...path] = parts
        expect(verifyInclusion({ ...claim, leafHash: leaf, root, path })).toBe(false)
      }),
    )
  })

  it('prove consistency between any two sizes', () => {
    fc.assert(
      fc.property(leaves, share, share, fc.nat(), (leafHashes, newShare, oldShare, bit) => {
        const { getNode, rootAt } = buildTree(leafHashes)
        const newSize = 1 + Math.floor(leafHashes.length * newShare)
        const oldSize = 1 + Math.floor(newSize * oldShare)
        const path = consistencyProof(oldSize, newSize, getNode)
        const claim = { oldSize, newSize, oldRoot: rootAt(oldSize), newRoot: rootAt(newSize), path }
        expect(verifyConsistency(claim)).toBe(true)
        const parts = [claim.oldRoot, claim.newRoot, ...path].map((part) => part.slice())
        const part = parts[bit % parts.length] ?? otherLeaf
        part[bit % 32] = (part[bit % 32] ?? 0) ^ (1 << (bit % 8))
        const [oldRoot = otherLeaf, newRoot = otherLeaf, ...changed] = parts
        expect(verifyConsistency({ ...claim, oldRoot, newRoot, path: changed })).toBe(false)
      }),
    )
  })

  // Covers all pairs of sizes, because random sizes are rarely so close that both trees have the
  // same last node.
  it('prove every entry and every growth up to 33 entries', () => {
    const leafHashes = Array.from({ length: 33 }, (_, index) => hashLeaf(Uint8Array.of(index)))
    const { getNode, rootAt } = buildTree(leafHashes)
    for (let size = 1; size <= 33; size++) {
      for (const [index, leafHash] of leafHashes.slice(0, size).entries()) {
        const proof = { index, size, path: inclusionProof(index, size, getNode) }
        expect(verifyInclusion({ ...proof, leafHash, root: rootAt(size) })).toBe(true)
        const growthClaim = { oldSize: index + 1, newSize: size, path: consistencyProof(index + 1, size, getNode) }
        expect(verifyConsistency({ ...growthClaim, oldRoot: rootAt(index + 1), newRoot: rootAt(size) })).toBe(true)
      }
    }
  })

  /**
   * Computes the path length with bigints: one sibling per level below the point where the paths of
   * the entry and of the last entry diverge, plus one per complete subtree on the left.
   */
  function computePathLength(index: bigint, size: bigint): number {
    const innerLength = (index ^ (size - 1n)) === 0n ? 0 : (index ^ (size - 1n)).toString(2).length
    const border = (index >> BigInt(innerLength)).toString(2).replaceAll('0', '').length
    return innerLength + border
  }

  it('have the expected path length, including for tree sizes of 53 bits', () => {
    const size = fc.oneof(
      fc.integer({ min: 1, max: 70 }),
      fc.maxSafeNat().map((number) => Math.max(1, number)),
    )
    fc.assert(
      fc.property(size, share, (entryCount, indexShare) => {
        const index = Math.floor(entryCount * indexShare)
        const length = computePathLength(BigInt(index), BigInt(entryCount))
        const path = new Array<Uint8Array>(length).fill(otherLeaf)
        expect(inclusionProof(index, entryCount, () => otherLeaf)).toHaveLength(length)
        expect(rootFromInclusion({ leafHash: otherLeaf, index, size: entryCount, path })).not.toBeNull()
        for (const wrongPath of [[...path, otherLeaf], path.slice(1)]) {
          if (wrongPath.length === length) continue
          expect(rootFromInclusion({ leafHash: otherLeaf, index, size: entryCount, path: wrongPath })).toBeNull()
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('proofs of trees beyond 2^32 entries', () => {
  const commonLeaf = hashLeaf(Uint8Array.of(0))
  const commonByLevel = [commonLeaf]
  for (let level = 1; level <= 53; level++) {
    const lowerNode = commonByLevel[level - 1] ?? commonLeaf
    commonByLevel.push(hashNode(lowerNode, lowerNode))
  }

  /**
   * Returns the nodes of a tree in which all leaves except the one at `oddIndex` are equal. Such a
   * tree of any size has only two hashes per level: one for the node above that leaf, and one for
   * all other complete nodes.
   */
  function createTreeWithOddLeaf(oddIndex: number): (id: NodeId) => Uint8Array {
    const oddByLevel = [otherLeaf]
    for (let level = 1; level <= 53; level++) {
      const oddNode = oddByLevel[level - 1] ?? otherLeaf
      const commonNode = commonByLevel[level - 1] ?? commonLeaf
      const isRightChild = Math.floor(oddIndex / 2 ** (level - 1)) % 2 === 1
      oddByLevel.push(isRightChild ? hashNode(commonNode, oddNode) : hashNode(oddNode, commonNode))
    }
    return ({ level, index }) => {
      const hash = (Math.floor(oddIndex / 2 ** level) === index ? oddByLevel : commonByLevel)[level]
      if (!hash) throw new Error(`No level ${level}`)
      return hash
    }
  }

  const sizes = fc
    .tuple(fc.integer({ min: 32, max: 52 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([power, share]) => Math.floor(2 ** power * (1 + share * 0.999)) + 1)
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

  it('prove an entry at its index and at no other', () => {
    fc.assert(
      fc.property(sizes, share, (size, indexShare) => {
        const index = Math.floor(size * indexShare)
        const getNode = createTreeWithOddLeaf(index)
        const root = frontierRoot({ size, hashes: frontierNodeIds(size).map(getNode) })
        const claim = { leafHash: otherLeaf, index, size, path: inclusionProof(index, size, getNode), root }
        expect(verifyInclusion(claim)).toBe(true)
        for (const wrongIndex of [index + 1, index - 1, index % 2 ** 32, index % 2 ** 31].filter((i) => i !== index)) {
          expect(verifyInclusion({ ...claim, index: wrongIndex })).toBe(false)
        }
      }),
    )
  })

  it('prove consistency with the old tree and with no other', () => {
    fc.assert(
      fc.property(sizes, share, share, (newSize, oldShare, indexShare) => {
        const oldSize = Math.max(1, Math.floor(newSize * oldShare))
        const computeRootAt = (size: number, getNode: (id: NodeId) => Uint8Array) =>
          frontierRoot({ size, hashes: frontierNodeIds(size).map(getNode) })
        const getNode = createTreeWithOddLeaf(Math.floor(oldSize * indexShare))
        const claim = {
          oldSize,
          newSize,
          oldRoot: computeRootAt(oldSize, getNode),
          newRoot: computeRootAt(newSize, getNode),
          path: consistencyProof(oldSize, newSize, getNode),
        }
        expect(verifyConsistency(claim)).toBe(true)
        // Use the old root of a tree in which all leaves are equal, as if the log had rewritten its
        // history.
        expect(verifyConsistency({ ...claim, oldRoot: computeRootAt(oldSize, createTreeWithOddLeaf(newSize)) })).toBe(
          false,
        )
      }),
    )
  })
})
