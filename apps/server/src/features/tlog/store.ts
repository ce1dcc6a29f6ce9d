import { emptyFrontier, frontierNodeIds, frontierRoot, type NodeId } from '@tocsin/proof'
import { and, asc, desc, eq, gte, inArray, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Queryable, Tx } from '../../db/database.ts'
import { anchors, logEntries, logHead, logNodes } from '../../db/schema.ts'
import { findSetting, saveSetting } from '../../db/setting.ts'
import { loadNodes } from '../../inclusion-proofs.ts'
import { formatHead, type Head, parseHead, toHead } from './log.ts'

export type AnchorRow = typeof anchors.$inferSelect

/** The head, locked until the transaction ends: appends run one after the other on all instances. */
export async function lockHead(tx: Tx): Promise<Head> {
  const [row] = await tx.select().from(logHead).for('update')
  if (row) return parseHead(row)
  await tx
    .insert(logHead)
    .values(formatHead(toHead(emptyFrontier)))
    .onConflictDoNothing()
  const [created] = await tx.select().from(logHead).for('update')
  if (!created) throw new Error('The head of the log can not be created')
  return parseHead(created)
}

export async function findHead(tx: Queryable): Promise<Head> {
  const [row] = await tx.select().from(logHead)
  return row ? parseHead(row) : toHead(emptyFrontier)
}

/** Compare-and-swap. @returns false when the stored size was not the old one any more */
export async function moveHead(tx: Tx, oldSize: number, head: Head): Promise<boolean> {
  const { rowCount } = await tx.update(logHead).set(formatHead(head)).where(eq(logHead.size, oldSize))
  return rowCount === 1
}

/** @returns false, and nothing is inserted, when the entry before it is not the last one that is stored */
export async function insertEntry(
  tx: Tx,
  { index, leafHash, bytes, signature, appendedAt }: typeof logEntries.$inferInsert,
): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    insert into log_entries (index, leaf_hash, bytes, signature, appended_at)
    select ${index}::bigint, ${Buffer.from(leafHash)}::bytea, ${Buffer.from(bytes)}::bytea, ${signature}, ${appendedAt.toISOString()}::timestamptz
    where coalesce((select max(index) from log_entries), -1) = ${index}::bigint - 1`)
  return rowCount === 1
}

export async function insertNodes(tx: Tx, nodes: readonly { id: NodeId; hash: Uint8Array }[]): Promise<void> {
  await tx.insert(logNodes).values(nodes.map(({ id, hash }) => ({ ...id, hash })))
}

/** Entries from an index on, in order. */
export async function listEntries(tx: Queryable, from: number, limit: number) {
  return tx.select().from(logEntries).where(gte(logEntries.index, from)).orderBy(asc(logEntries.index)).limit(limit)
}

export async function findEntryTime(tx: Queryable, index: number): Promise<Date | null> {
  const [row] = await tx.select({ at: logEntries.appendedAt }).from(logEntries).where(eq(logEntries.index, index))
  return row?.at ?? null
}

export async function countNodes(tx: Queryable): Promise<number> {
  return tx.$count(logNodes)
}

/** The root that the log had at a size of its past, from O(log size) nodes. */
export async function findRoot(tx: Queryable, size: number): Promise<Uint8Array> {
  const ids = frontierNodeIds(size)
  const getNode = await loadNodes(tx, ids)
  return frontierRoot({ size, hashes: ids.map(getNode) })
}

export async function findNewestAnchor(tx: Queryable): Promise<AnchorRow | null> {
  const [row] = await listNewestAnchors(tx, 1)
  return row ?? null
}

export async function listNewestAnchors(tx: Queryable, limit: number): Promise<AnchorRow[]> {
  return tx.select().from(anchors).orderBy(desc(anchors.size)).limit(limit)
}

export async function listAnchors(tx: Queryable): Promise<AnchorRow[]> {
  return tx.select().from(anchors).orderBy(asc(anchors.size))
}

/** A size that the chain anchored anew, in another block, takes the place of what we knew. */
export async function upsertAnchor(tx: Queryable, row: AnchorRow): Promise<void> {
  const { size: _size, ...rest } = row
  await tx.insert(anchors).values(row).onConflictDoUpdate({ target: anchors.size, set: rest })
}

export async function deleteAnchors(tx: Queryable, rows: readonly AnchorRow[]): Promise<void> {
  const sizes = rows.map(({ size }) => size)
  const hashes = rows.map(({ txHash }) => txHash)
  await tx.delete(anchors).where(and(inArray(anchors.size, sizes), inArray(anchors.txHash, hashes)))
}

const TROUBLE = 'anchoring.trouble'
const savedTrouble = z.object({ reason: z.string().nullable() })

/** Why anchoring does not get on, for every instance to tell; null when it does. */
export async function saveTrouble(tx: Queryable, reason: string | null, now: Date): Promise<void> {
  await saveSetting(tx, TROUBLE, { reason }, now)
}

export async function findTrouble(tx: Queryable): Promise<string | null> {
  const found = await findSetting(tx, TROUBLE)
  return found && savedTrouble.parse(found.value).reason
}
