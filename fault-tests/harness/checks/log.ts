import { createHash } from 'node:crypto'
import type { Evidence } from '../evidence.ts'

/**
 * Checks that the entries have no gap and no fork. The Merkle tree (RFC 6962) of their bytes must
 * have every root in the contract's events, and the tables must hold the same anchors. At the end,
 * everything must be anchored.
 */
export function checkLog({ entries, chainAnchors, savedAnchors }: Evidence): string[] {
  const problems: string[] = []
  const gapIndex = entries.findIndex(({ index }, at) => index !== at)
  if (gapIndex !== -1) problems.push(`Entry ${gapIndex} is missing`)
  const rootsBySize = new Map(chainAnchors.map(({ size, root }) => [size, root]))
  /** Roots of the complete subtrees, largest first. */
  const subtrees: { height: number; hash: Buffer }[] = []
  for (const [at, { bytes }] of entries.entries()) {
    let node = { height: 0, hash: hashParts(0, bytes) }
    for (let leftSibling = subtrees.at(-1); leftSibling?.height === node.height; leftSibling = subtrees.at(-1)) {
      subtrees.pop()
      node = { height: node.height + 1, hash: hashParts(1, leftSibling.hash, node.hash) }
    }
    subtrees.push(node)
    const root = rootsBySize.get(at + 1)
    if (root === undefined) continue
    rootsBySize.delete(at + 1)
    const computedRoot = subtrees.map(({ hash }) => hash).reduceRight((right, left) => hashParts(1, left, right))
    if (`0x${computedRoot.toString('hex')}` !== root)
      problems.push(`The anchor of size ${at + 1} does not match the entries`)
  }
  for (const size of rootsBySize.keys()) problems.push(`The anchor of size ${size} is beyond the log`)
  const formatAnchors = (anchors: Evidence['chainAnchors']) => anchors.map(({ size, root }) => `${size} ${root}`).join()
  if (formatAnchors(chainAnchors) !== formatAnchors(savedAnchors))
    problems.push('The stored anchors differ from those on the chain')
  const last = chainAnchors.at(-1)?.size ?? 0
  if (last !== entries.length) problems.push(`${entries.length - last} entries are not anchored`)
  return problems
}

function hashParts(prefix: 0 | 1, ...parts: Uint8Array[]): Buffer {
  const hash = createHash('sha256').update(Uint8Array.of(prefix))
  for (const part of parts) hash.update(part)
  return hash.digest()
}
