import {
  appendLeaf,
  decodeAlert,
  emptyFrontier,
  type Frontier,
  frontierRoot,
  hashAlert,
  hashLeaf,
  recoverSigner,
} from '@tocsin/proof'
import type { Context } from '../../context.ts'
import { loadNodes } from '../../inclusion-proofs.ts'
import { isUnreachable, readLatestAnchor } from './anchor-contract.ts'
import { isSameHash, LogFault } from './log.ts'
import { differsFromAnchored, shorterThanAnchored } from './mirror-anchors.ts'
import * as store from './store.ts'

/**
 * Refuses a log that is shorter than, or differs from, what is anchored: somebody restored an old backup, or took another
 * database. Run it before anything is appended. An anchor chain that doesn't answer is no reason to stop: what we have
 * saved of it is compared alone, and the anchoring worker compares again when it is back.
 * @throws LogFault with what to do
 */
export async function assertLogMatchesAnchors(ctx: Context): Promise<void> {
  const saved = await store.findNewestAnchor(ctx.db)
  if (saved) await assertAnchored(ctx, saved)
  try {
    const latest = await readLatestAnchor(ctx)
    if (latest.size > 0) await assertAnchored(ctx, latest)
  } catch (error) {
    if (!isUnreachable(error)) throw error
    ctx.logger.warn(
      { reason: error.shortMessage },
      'the anchor chain does not answer; the log is compared with saved anchors alone',
    )
  }
}

async function assertAnchored(ctx: Context, anchor: { size: number; root: Uint8Array }): Promise<void> {
  const head = await store.findHead(ctx.db)
  if (anchor.size > head.size) throw new LogFault(shorterThanAnchored(ctx, head.size, anchor.size))
  const root = await store.findRoot(ctx.db, anchor.size)
  if (!isSameHash(root, anchor.root)) throw new LogFault(differsFromAnchored(ctx, anchor.size))
}

const BATCH = 1_000

/**
 * Recomputes the whole log from its entries: leaf hashes, canonical statements, sequence, signatures, every stored node,
 * the head, and the root of every saved anchor. Takes O(size) time and constant memory.
 * @throws LogFault naming the first place that is wrong
 */
export async function checkLog(ctx: Context): Promise<{ size: number; root: Uint8Array }> {
  const anchors = await store.listAnchors(ctx.db)
  let frontier: Frontier = emptyFrontier
  let nodeCount = 0
  for (;;) {
    const entries = await store.listEntries(ctx.db, frontier.size, BATCH)
    if (entries.length === 0) break
    const nodes: StoredNode[] = []
    for (const entry of entries) {
      checkEntry(ctx, entry, frontier.size)
      const next = appendLeaf(frontier, entry.leafHash)
      frontier = next.frontier
      nodes.push(...next.nodes)
      checkAnchor(anchors, frontier)
    }
    await checkNodes(ctx, nodes)
    nodeCount += nodes.length
  }
  if (anchors.length > 0) throw new LogFault(`An anchor of size ${anchors[0]?.size} is above the log`)
  const head = await store.findHead(ctx.db)
  const root = frontierRoot(frontier)
  if (head.size !== frontier.size || !isSameHash(head.root, root))
    throw new LogFault('The head is not that of the entries')
  if ((await store.countNodes(ctx.db)) !== nodeCount) throw new LogFault('There are nodes that belong to no entry')
  return { size: frontier.size, root }
}

type EntryRow = Awaited<ReturnType<typeof store.listEntries>>[number]

function checkEntry(ctx: Context, { index, bytes, leafHash, signature }: EntryRow, expectedIndex: number): void {
  if (index !== expectedIndex) throw new LogFault(`Entry ${expectedIndex} is missing`)
  if (!isSameHash(hashLeaf(bytes), leafHash))
    throw new LogFault(`The leaf hash of entry ${index} is not that of its bytes`)
  const statement = decodeAlert(bytes)
  if (statement.index !== index) throw new LogFault(`Entry ${index} states the index ${statement.index}`)
  const { chainId, contract } = ctx.config.anchor
  const digest = hashAlert({ chainId, verifyingContract: contract }, statement)
  if (recoverSigner(digest, signature) !== statement.signer)
    throw new LogFault(`The signature of entry ${index} is wrong`)
}

type StoredNode = ReturnType<typeof appendLeaf>['nodes'][number]

async function checkNodes(ctx: Context, nodes: readonly StoredNode[]): Promise<void> {
  const getNode = await loadNodes(
    ctx.db,
    nodes.map(({ id }) => id),
  )
  for (const { id, hash } of nodes) {
    if (!isSameHash(getNode(id), hash)) throw new LogFault(`Node ${id.level}/${id.index} is wrong`)
  }
}

/** Takes the anchor of this size, if there is one, off the list. */
function checkAnchor(anchors: store.AnchorRow[], frontier: Frontier): void {
  if (anchors[0]?.size !== frontier.size) return
  if (!isSameHash(anchors[0].root, frontierRoot(frontier)))
    throw new LogFault(`The anchor of size ${frontier.size} is wrong`)
  anchors.shift()
}
