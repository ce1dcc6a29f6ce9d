import type { Hex } from '@tocsin/proof'
import type { Context } from '../../context.ts'
import type { Tx } from '../../db/database.ts'
import { proveInclusions } from '../../inclusion-proofs.ts'
import { type Entry, extendHead, isAnchoringDelayed, LogFault } from './log.ts'
import * as store from './store.ts'

/**
 * Appends one entry in the caller's transaction: it is logged exactly if that transaction commits. `build` is called
 * once, under the lock of the log's head, with the index that the entry will have; what it signs is therefore final.
 */
export async function appendEntry(
  ctx: Context,
  tx: Tx,
  build: (index: number) => Entry,
): Promise<{ index: number; leafHash: Uint8Array }> {
  const old = await store.lockHead(tx)
  const index = old.size
  const { bytes, signature } = build(index)
  const { head, leafHash, nodes } = extendHead(old, bytes)
  if (!(await store.insertEntry(tx, { index, bytes, signature, leafHash, appendedAt: ctx.clock.now() }))) {
    throw new LogFault(`The head of the log is damaged: it says ${index} entries, but another number is stored`)
  }
  await store.insertNodes(tx, nodes)
  if (!(await store.moveHead(tx, old.size, head))) {
    throw new LogFault(`The head of the log moved away from size ${old.size} under our lock`)
  }
  return { index, leafHash }
}

/**
 * The path of an entry in the tree of a size, leaf to root.
 * @throws RangeError unless 0 <= index < treeSize
 */
export async function proveInclusion(ctx: Context, index: number, treeSize: number): Promise<Hex[]> {
  const [path] = await proveInclusions(ctx.db, [{ index, size: treeSize }])
  if (!path) throw new Error('No path was computed')
  return path
}

/** Number of entries that are logged. */
export async function logSize(ctx: Context): Promise<number> {
  return (await store.findHead(ctx.db)).size
}

/** Whether anchors keep up with the log, as the tables say: right on every instance, whichever of them anchors. */
export async function anchorState(
  ctx: Context,
): Promise<{ state: 'current' | 'delayed'; lastAnchoredAt: Date | null; anchoredSize: number; size: number }> {
  const [{ size }, newest] = await Promise.all([store.findHead(ctx.db), store.findNewestAnchor(ctx.db)])
  const anchoredSize = newest?.size ?? 0
  const oldestWaitingAt = await store.findEntryTime(ctx.db, anchoredSize)
  const delayed = isAnchoringDelayed(oldestWaitingAt, ctx.clock.now(), ctx.config.anchor.intervalSeconds)
  return { state: delayed ? 'delayed' : 'current', lastAnchoredAt: newest?.blockAt ?? null, anchoredSize, size }
}

/** Why alerts wait for their anchor, as the anchoring instance says; null while they need not wait. */
export async function findAnchoringTrouble(ctx: Context): Promise<string | null> {
  const reason = await store.findTrouble(ctx.db)
  if (reason !== null) return reason
  const { state } = await anchorState(ctx)
  return state === 'delayed' ? 'alerts are waiting for their anchor longer than they should' : null
}
