import { utf8ToBytes } from '@noble/hashes/utils'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from './hex.ts'
import {
  appendLeaf,
  consistencyProof,
  consistencyProofNodeIds,
  emptyFrontier,
  type Frontier,
  frontierNodeIds,
  frontierRoot,
  hashLeaf,
  inclusionProof,
  inclusionProofNodeIds,
  type NodeId,
  rootOfLeaves,
} from './tree.ts'
import vectors from './vectors/merkle.json'

const toBytes = (hex: string) => hexToBytes(`0x${hex}`)
const leafHashes = vectors.entries.map((entry) => hashLeaf(utf8ToBytes(entry)))
const formatNodeId = ({ level, index }: NodeId) => `${level}/${index}`

/** Appends all leaves. Returns the frontier of each tree size, and all nodes that a log stores. */
function appendAllLeaves(): { frontiers: Frontier[]; nodes: Map<string, Uint8Array> } {
  const nodes = new Map<string, Uint8Array>()
  const frontiers = [emptyFrontier]
  for (const leafHash of leafHashes) {
    const appendResult = appendLeaf(frontiers.at(-1) ?? emptyFrontier, leafHash)
    for (const { id, hash } of appendResult.nodes) {
      expect(nodes.has(formatNodeId(id))).toBe(false)
      nodes.set(formatNodeId(id), hash)
    }
    frontiers.push(appendResult.frontier)
  }
  return { frontiers, nodes }
}

const { frontiers, nodes } = appendAllLeaves()

function getNode(id: NodeId): Uint8Array {
  const hash = nodes.get(formatNodeId(id))
  if (!hash) throw new Error(`No node ${formatNodeId(id)}`)
  return hash
}

describe('appendLeaf and frontierRoot', () => {
  it('hash leaves according to RFC 6962', () => {
    expect(leafHashes).toEqual(vectors.leafHashes.map(toBytes))
  })

  it.each(vectors.roots.map((root, size) => ({ size, root })))(
    'compute the root of $size entries',
    ({ size, root }) => {
      const frontier = frontiers[size] ?? emptyFrontier
      expect(rootOfLeaves(leafHashes.slice(0, size))).toEqual(toBytes(root))
      expect(frontierRoot(frontier)).toEqual(toBytes(root))
      expect(frontier.size).toBe(size)
      expect(frontierNodeIds(size).map(getNode)).toEqual(frontier.hashes)
    },
  )

  it('do not mutate the given frontier', () => {
    const frontierBefore = frontiers[3] ?? emptyFrontier
    const hashes = [...frontierBefore.hashes]
    appendLeaf(frontierBefore, hashLeaf(new Uint8Array()))
    expect(frontierBefore.hashes).toEqual(hashes)
  })

  it('reject a frontier whose hashes do not match its size, and a full tree', () => {
    expect(() => appendLeaf({ size: 3, hashes: [] }, hashLeaf(new Uint8Array()))).toThrow('too few')
    expect(() => appendLeaf({ size: Number.MAX_SAFE_INTEGER, hashes: [] }, new Uint8Array(32))).toThrow('full')
  })
})

describe('inclusionProof and consistencyProof', () => {
  const badSize = new RangeError('The size is not an integer from 0 to 2^53 - 1')
  const indexError = new RangeError('The index is not in the tree')
  const badOldSize = new RangeError('The old size is not from 1 to the new size')

  it.each([
    [0, 0, indexError],
    [1, 1, indexError],
    [-1, 5, indexError],
    [0.5, 5, indexError],
    [Number.NaN, 5, indexError],
    [0, 2 ** 53, badSize],
  ])('reject index %d in a tree of %d', (index, size, error) => {
    expect(() => inclusionProof(index, size, getNode)).toThrow(error)
  })

  it.each([
    [0, 0, badOldSize],
    [0, 5, badOldSize],
    [6, 5, badOldSize],
    [1.5, 5, badOldSize],
    [1, 2 ** 53, badSize],
  ])('reject consistency from %d to %d', (oldSize, newSize, error) => {
    expect(() => consistencyProof(oldSize, newSize, getNode)).toThrow(error)
  })

  it('frontierNodeIds rejects a negative size', () => {
    expect(() => frontierNodeIds(-1)).toThrow(badSize)
  })

  it.each(vectors.inclusion)('prove entry $index of $size', ({ index, size, path }) => {
    expect(inclusionProof(index, size, getNode)).toEqual(path.map(toBytes))
  })

  it.each(vectors.consistency)('prove that $oldSize grew to $newSize', ({ oldSize, newSize, path }) => {
    expect(consistencyProof(oldSize, newSize, getNode)).toEqual(path.map(toBytes))
  })

  // The worked example of RFC 9162 section 2.1.5: seven leaves a..., inner nodes g = 1/0, h = 1/1,
  // i = 1/2, k = 2/0.
  it.each([
    ['d0', inclusionProofNodeIds(0, 7), ['0/1', '1/1', '1/2', '0/6']],
    ['d3', inclusionProofNodeIds(3, 7), ['0/2', '1/0', '1/2', '0/6']],
    ['d4', inclusionProofNodeIds(4, 7), ['0/5', '0/6', '2/0']],
    ['d6', inclusionProofNodeIds(6, 7), ['1/2', '2/0']],
    ['hash0', consistencyProofNodeIds(3, 7), ['0/2', '0/3', '1/0', '1/2', '0/6']],
    ['hash1', consistencyProofNodeIds(4, 7), ['1/2', '0/6']],
    ['hash2', consistencyProofNodeIds(6, 7), ['1/2', '0/6', '2/0']],
  ])('read the nodes that RFC 9162 names for %s', (_, ids, expected) => {
    expect(ids.map(formatNodeId)).toEqual(expected)
  })

  it('read O(log size) nodes of a huge tree', () => {
    const size = Number.MAX_SAFE_INTEGER
    for (const index of [0, 2 ** 32, 2 ** 52 - 1, size - 1]) {
      expect(inclusionProofNodeIds(index, size).length).toBeLessThanOrEqual(2 * 53)
      expect(consistencyProofNodeIds(index + 1, size).length).toBeLessThanOrEqual(3 * 53)
    }
  })
})
