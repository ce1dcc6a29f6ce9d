import type { Address } from '@tocsin/proof'
import { sql } from 'drizzle-orm'
import { bigint, check, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytes, timestampColumn } from './columns.ts'

/**
 * A single row: the head of the log. `size` and `frontier` (roots of the complete subtrees, largest
 * first) are the whole state that an append needs. The row is updated only while its lock is held,
 * by compare-and-swap on `size`.
 */
export const logHead = pgTable(
  'log_head',
  {
    id: integer('id').primaryKey().default(1),
    size: bigint('size', { mode: 'number' }).notNull(),
    frontier: bytes('frontier').notNull(),
    root: bytes('root').notNull(),
    /**
     * Address of the current key in the newest key list. The next entry must be signed with this
     * key. Null before the first list.
     */
    signer: text('signer').$type<Address>(),
    /**
     * Index of the first entry of version 2. Null before there is one. A trigger on log_entries
     * sets it and rejects later alerts, corrections and retractions of version 1, because an
     * instance of the previous release may still write them during an upgrade.
     */
    saltedFrom: bigint('salted_from', { mode: 'number' }),
  },
  (table) => [check('log_head_single', sql`${table.id} = 1`)],
)

/**
 * Every entry that was ever logged. `bytes` are the exact canonical bytes that were signed and
 * hashed. Rows are never updated or deleted.
 */
export const logEntries = pgTable('log_entries', {
  index: bigint('index', { mode: 'number' }).primaryKey(),
  leafHash: bytes('leaf_hash').notNull(),
  bytes: bytes('bytes').notNull(),
  signature: text('signature').notNull(),
  /**
   * Time when the entry was logged. In the generated history of the demo, this is later than the
   * time of the event.
   */
  appendedAt: timestampColumn('appended_at').notNull(),
})

/**
 * Entries that are key lists. Each list contains all keys that ever signed, so the newest list is
 * sufficient.
 */
export const logKeyLists = pgTable('log_key_lists', {
  index: bigint('index', { mode: 'number' })
    .primaryKey()
    .references(() => logEntries.index),
})

/**
 * Hashes of complete subtrees: node (level, index) covers the 2^level leaves that start at index *
 * 2^level.
 */
export const logNodes = pgTable(
  'log_nodes',
  {
    level: integer('level').notNull(),
    index: bigint('index', { mode: 'number' }).notNull(),
    hash: bytes('hash').notNull(),
  },
  (table) => [primaryKey({ columns: [table.level, table.index] })],
)

/**
 * Anchored heads, a copy of the anchors on chain. A row is deleted when a reorg removes its block.
 */
export const anchors = pgTable('anchors', {
  size: bigint('size', { mode: 'number' }).primaryKey(),
  root: bytes('root').notNull(),
  txHash: text('tx_hash').notNull(),
  blockNumber: bigint('block_number', { mode: 'number' }).notNull(),
  blockHash: text('block_hash').notNull(),
  blockAt: timestampColumn('block_at').notNull(),
})
