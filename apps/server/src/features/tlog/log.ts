import { appendLeaf, type Frontier, frontierNodeIds, frontierRoot, hashLeaf, type NodeId } from '@tocsin/proof'

/** What is logged: the exact bytes that were signed. */
export interface Entry {
  bytes: Uint8Array
  signature: string
}

/** The log's newest state: its size, the frontier that the next append needs, and the root. */
export interface Head {
  size: number
  frontier: Frontier
  root: Uint8Array
}

/** The head as it is stored: `frontier` is the concatenation of 32-byte hashes, largest subtree first. */
export interface StoredHead {
  size: number
  frontier: Uint8Array
  root: Uint8Array
}

/** What the log says of itself is untrue. Nothing may be appended or anchored until a person has looked. */
export class LogFault extends Error {
  override readonly name = 'LogFault'
}

const HASH_LENGTH = 32

export function toHead(frontier: Frontier): Head {
  return { size: frontier.size, frontier, root: frontierRoot(frontier) }
}

/** @throws LogFault when frontier, size and root don't belong together */
export function parseHead({ size, frontier, root }: StoredHead): Head {
  const hashes: Uint8Array[] = []
  for (let at = 0; at < frontier.length; at += HASH_LENGTH) hashes.push(frontier.slice(at, at + HASH_LENGTH))
  const head = toHead({ size, hashes })
  const isWhole = frontier.length === frontierNodeIds(size).length * HASH_LENGTH
  if (!isWhole || !isSameHash(head.root, root)) {
    throw new LogFault(`The head of the log (size ${size}) is damaged: its root does not follow from its frontier`)
  }
  return head
}

export function formatHead({ size, frontier, root }: Head): StoredHead {
  return { size, frontier: Buffer.concat(frontier.hashes), root }
}

/** The log with one entry more, and the nodes that this entry completes. */
export function extendHead(
  head: Head,
  bytes: Uint8Array,
): { head: Head; leafHash: Uint8Array; nodes: { id: NodeId; hash: Uint8Array }[] } {
  const leafHash = hashLeaf(bytes)
  const { frontier, nodes } = appendLeaf(head.frontier, leafHash)
  return { head: toHead(frontier), leafHash, nodes }
}

/** Anchoring is called delayed when an entry has waited longer than two rounds and what a slow block takes. */
export function isAnchoringDelayed(oldestWaitingAt: Date | null, now: Date, intervalSeconds: number): boolean {
  const patienceMs = 2 * intervalSeconds * 1000 + 20_000
  return oldestWaitingAt !== null && now.getTime() - oldestWaitingAt.getTime() > patienceMs
}

export function isSameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
