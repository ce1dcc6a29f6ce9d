import { createHash } from 'node:crypto'
import type { Evidence } from '../evidence.ts'

/**
 * Checks that the entries have no gap and no fork. The Merkle tree (RFC 6962) of their bytes must
 * have every root in the contract's events, and the tables must hold the same anchors. At the end,
 * everything must be anchored.
 */
export function checkLog({ entries, chainAnchors, savedAnchors }: Evidence): string[] {
  const problems: string[] = []
  const gap = entries.findIndex(({ index }, at) => index !== at)
  if (gap !== -1) problems.push(`Entry ${gap} is missing`)
  const sizes = new Map(chainAnchors.map(({ size, root }) => [size, root]))
  /** Roots of the complete subtrees, largest first. */
  const subtrees: { height: number; hash: Buffer }[] = []
  for (const [at, { bytes }] of entries.entries()) {
    let node = { height: 0, hash: sha256(0, bytes) }
    for (let left = subtrees.at(-1); left?.height === node.height; left = subtrees.at(-1)) {
      subtrees.pop()
      node = { height: node.height + 1, hash: sha256(1, left.hash, node.hash) }
    }
    subtrees.push(node)
    const root = sizes.get(at + 1)
    if (root === undefined) continue
    sizes.delete(at + 1)
    const own = subtrees.map(({ hash }) => hash).reduceRight((right, left) => sha256(1, left, right))
    if (`0x${own.toString('hex')}` !== root) problems.push(`The anchor of size ${at + 1} does not match the entries`)
  }
  for (const size of sizes.keys()) problems.push(`The anchor of size ${size} is beyond the log`)
  const list = (anchors: Evidence['chainAnchors']) => anchors.map(({ size, root }) => `${size} ${root}`).join()
  if (list(chainAnchors) !== list(savedAnchors)) problems.push('The stored anchors differ from those on the chain')
  const last = chainAnchors.at(-1)?.size ?? 0
  if (last !== entries.length) problems.push(`${entries.length - last} entries are not anchored`)
  return problems
}

function sha256(prefix: 0 | 1, ...parts: Uint8Array[]): Buffer {
  const hash = createHash('sha256').update(Uint8Array.of(prefix))
  for (const part of parts) hash.update(part)
  return hash.digest()
}
