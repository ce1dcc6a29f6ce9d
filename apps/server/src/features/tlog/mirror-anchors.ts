import type { Context } from '../../context.ts'
import { listChainAnchors, readLatestAnchor } from './anchor-contract.ts'
import { isSameHash, LogFault } from './log.ts'
import * as store from './store.ts'

/**
 * Updates the anchors table from the chain, which is authoritative. If an anchor was sent but not
 * saved, it is restored from the contract's events. If the block of an anchor was lost in a
 * reorganisation, the anchor is deleted, so that it will be made again.
 * @returns the size that the contract has anchored
 * @throws LogFault if the chain has an anchor of a different log
 */
export async function mirrorAnchors(ctx: Context): Promise<number> {
  const latestAnchor = await readLatestAnchor(ctx)
  const { lost, newestValidAnchor } = await compareWithChain(ctx)
  const knownSize = newestValidAnchor?.size ?? 0
  const missingAnchors =
    latestAnchor.size > knownSize
      ? await listChainAnchors(ctx, {
          aboveSize: knownSize,
          fromBlock: newestValidAnchor && BigInt(newestValidAnchor.blockNumber),
          latestSize: latestAnchor.size,
        })
      : []
  await assertOwnAnchors(ctx, missingAnchors)
  if (lost.length > 0 || missingAnchors.length > 0) await saveChanges(ctx, lost, missingAnchors)
  if (latestAnchor.size > knownSize && missingAnchors.at(-1)?.size !== latestAnchor.size) {
    throw new Error(`The anchor chain does not show the event of its newest anchor (size ${latestAnchor.size}) yet`)
  }
  return latestAnchor.size
}

/**
 * Compares the stored anchors with the chain, newest first. Returns the rows whose block is gone,
 * and the first row whose block still exists.
 */
async function compareWithChain(ctx: Context) {
  const chainHeight = Number(await ctx.anchorChain.getBlockNumber())
  const lostAnchors: store.AnchorRow[] = []
  for (let limit = 1; ; limit *= 8) {
    const rows = await store.listNewestAnchors(ctx.db, limit)
    for (const row of rows.slice(Math.floor(limit / 8))) {
      // A missing block above the chain's end proves nothing: the node may only lag behind.
      if (row.blockNumber > chainHeight) continue
      const block = await ctx.anchorChain.getBlock({ blockNumber: BigInt(row.blockNumber) })
      if (block.hash === row.blockHash) return { lost: lostAnchors, newestValidAnchor: row }
      lostAnchors.push(row)
    }
    if (rows.length < limit) return { lost: lostAnchors, newestValidAnchor: null }
  }
}

/** @throws LogFault with instructions if the log is shorter than an anchor or has another root */
export async function assertOwnAnchors(
  ctx: Context,
  rows: readonly Pick<store.AnchorRow, 'size' | 'root'>[],
): Promise<void> {
  const { size } = await store.findHead(ctx.db)
  for (const row of rows) {
    if (row.size > size) throw new LogFault(describeShorterLog(ctx, size, row.size))
    const root = await store.findRoot(ctx.db, row.size)
    if (!isSameHash(root, row.root)) throw new LogFault(describeDifferentLog(ctx, row.size))
  }
}

async function saveChanges(
  ctx: Context,
  lostAnchors: store.AnchorRow[],
  foundAnchors: store.AnchorRow[],
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (lostAnchors.length > 0) {
      await store.deleteAnchors(tx, lostAnchors)
      await ctx.notifications.notify(tx, 'anchors')
    }
    for (const row of foundAnchors) await store.upsertAnchor(tx, row)
    const newestAnchor = foundAnchors.at(-1)
    if (newestAnchor) await ctx.notifications.notify(tx, 'anchors', String(newestAnchor.size))
  })
  if (lostAnchors.length > 0) {
    ctx.logger.warn({ sizes: lostAnchors.map(({ size }) => size) }, 'the anchor chain has lost blocks, anchoring again')
  }
}

function describeShorterLog(ctx: Context, size: number, anchoredSize: number): string {
  const { contract, chainId } = ctx.config.anchor
  return (
    `The alert log in this database has ${size} entries, but ${anchoredSize} are anchored in contract ${contract} on chain ${chainId}: ` +
    'entries are missing. Nothing was changed. Restore a newer backup of the database. Without one, complete the log from ' +
    'a verifier\'s mirror with "tocsin log adopt", or begin a successor log on the same accounts with "tocsin log succeed".'
  )
}

function describeDifferentLog(ctx: Context, size: number): string {
  const { contract, chainId } = ctx.config.anchor
  return (
    `The first ${size} entries of the alert log in this database are not the ones anchored in contract ${contract} on chain ${chainId}. ` +
    'Nothing was changed. Restore the database that belongs to this contract, or set the contract that belongs to this database.'
  )
}
