import {
  type Address,
  appendLeaf,
  bytesToHex,
  encodeStatement,
  type Frontier,
  frontierNodeIds,
  frontierRoot,
  hashLeaf,
  hashStatement,
  type LogEntry,
  type NodeId,
  type ProofDomain,
  type Statement,
} from '@tocsin/proof'
import type { Signer } from '../../context.ts'

/** A log entry: the exact bytes that were signed, and the signature. */
export interface Entry {
  bytes: Uint8Array
  signature: string
}

/**
 * The log's newest state: its size, the frontier needed for the next append, the root, and the next
 * signer.
 */
export interface Head {
  size: number
  frontier: Frontier
  root: Uint8Array
  /** Null before the first key list. */
  signer: Address | null
}

/**
 * The stored form of the head: `frontier` is the concatenation of 32-byte hashes, largest subtree
 * first.
 */
export interface StoredHead {
  size: number
  frontier: Uint8Array
  root: Uint8Array
  signer: Address | null
}

/**
 * Thrown if the stored log contradicts itself or its anchors. Nothing may be appended or anchored
 * until an operator has resolved it.
 */
export class LogFault extends Error {
  override readonly name = 'LogFault'
}

/** Encodes and signs a statement for the log. */
export function signStatement(statement: Statement, domain: ProofDomain, signer: Signer): Entry {
  return { bytes: encodeStatement(statement), signature: signer.signDigest(hashStatement(domain, statement)) }
}

const HASH_LENGTH = 32

export function toHead(frontier: Frontier, signer: Address | null): Head {
  return { size: frontier.size, frontier, root: frontierRoot(frontier), signer }
}

/** @throws LogFault if frontier, size and root do not match */
export function parseHead({ size, frontier, root, signer }: StoredHead): Head {
  const hashes: Uint8Array[] = []
  for (let index = 0; index < frontier.length; index += HASH_LENGTH)
    hashes.push(frontier.slice(index, index + HASH_LENGTH))
  const head = toHead({ size, hashes }, signer)
  const isWhole = frontier.length === frontierNodeIds(size).length * HASH_LENGTH
  if (!isWhole || !isSameHash(head.root, root)) {
    throw new LogFault(`The head of the log (size ${size}) is damaged: its root does not follow from its frontier`)
  }
  return head
}

export function formatHead({ size, frontier, root, signer }: Head): StoredHead {
  return { size, frontier: Buffer.concat(frontier.hashes), root, signer }
}

/** Returns the head after appending entries, and the tree nodes that these entries complete. */
export function extendHead(
  oldHead: Head,
  entries: readonly Entry[],
  signer: Address | null,
): { head: Head; leafHashes: Uint8Array[]; nodes: { id: NodeId; hash: Uint8Array }[] } {
  const leafHashes = entries.map(({ bytes }) => hashLeaf(bytes))
  const nodes: { id: NodeId; hash: Uint8Array }[] = []
  let { frontier } = oldHead
  for (const leafHash of leafHashes) {
    const appended = appendLeaf(frontier, leafHash)
    frontier = appended.frontier
    nodes.push(...appended.nodes)
  }
  return { head: toHead(frontier, signer), leafHashes, nodes }
}

/** Returns true if an entry has waited longer than two anchoring rounds plus a slow block. */
export function isAnchoringDelayed(oldestWaitingAt: Date | null, now: Date, intervalSeconds: number): boolean {
  const allowedDelayMs = 2 * intervalSeconds * 1000 + 20_000
  return oldestWaitingAt !== null && now.getTime() - oldestWaitingAt.getTime() > allowedDelayMs
}

/** Presents an entry in the format that verifiers expect. */
export function presentEntry(entry: Entry & { index: number; leafHash: Uint8Array }): LogEntry {
  const { index, leafHash, bytes, signature } = entry
  return { index, leafHash: bytesToHex(leafHash), bytes: Buffer.from(bytes).toString(), signature }
}

export function isSameHash(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
