import type { Address } from '@tocsin/proof'
import { sql } from 'drizzle-orm'
import { bigint, check, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytes, moment } from './columns.ts'

/**
 * A single row. `size` and `frontier` (roots of the complete subtrees, largest first) are the
 * complete state that an append needs. Updated only while holding this row's lock, by
 * compare-and-swap on `size`.
 */
export const logHead = pgTable(
  'log_head',
  {
    id: integer('id').primaryKey().default(1),
    size: bigint('size', { mode: 'number' }).notNull(),
    frontier: bytes('frontier').notNull(),
    root: bytes('root').notNull(),
    /**
     * Address of the current key in the newest key list, which must sign the next entry. Null
     * before the first list.
     */
    signer: text('signer').$type<Address>(),
    /**
     * Index of the first entry of version 2. Null before there is one. A trigger on log_entries
     * sets it and rejects later alerts, corrections and retractions of version 1, which an instance
     * of the previous release may still write during an upgrade.
     */
    saltedFrom: bigint('salted_from', { mode: 'number' }),
  },
  (table) => [check('log_head_single', sql`${table.id} = 1`)],
)

/**
 * Every entry ever logged. `bytes` are the exact canonical bytes that were signed and hashed. Never
 * updated, never deleted.
 */
export const logEntries = pgTable('log_entries', {
  index: bigint('index', { mode: 'number' }).primaryKey(),
  leafHash: bytes('leaf_hash').notNull(),
  bytes: bytes('bytes').notNull(),
  signature: text('signature').notNull(),
  /**
   * When it was logged. For the demo's generated history this is later than the time of the event.
   */
  appendedAt: moment('appended_at').notNull(),
})

/**
 * Entries that are key lists. Each lists all keys that ever signed, so the newest one is
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
  blockAt: moment('block_at').notNull(),
})
