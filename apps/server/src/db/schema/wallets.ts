import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { accounts, sessions } from './accounts.ts'
import { timestampColumn } from './columns.ts'

/**
 * Wallets with proven ownership, and the chain on which the proof is valid. A key proves its
 * address on every chain. A contract wallet proves its address only on its own chain, because the
 * same address on another chain may have another owner. Addresses are checksummed.
 */
export const wallets = pgTable(
  'wallets',
  {
    address: text('address').notNull(),
    /** Chain of a contract wallet, 0 for a key, -1 if unknown (linked by an older release). */
    chainId: integer('chain_id').notNull().default(-1),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    linkedAt: timestampColumn('linked_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.address, table.chainId] }),
    uniqueIndex('wallets_every_chain').on(table.address).where(sql`chain_id <= 0`),
    index('wallets_account').on(table.accountId, table.linkedAt),
  ],
)

/**
 * The wallets that were proved in each session. For a contract wallet, message and signature are
 * stored for rechecks, because the contract can reject the signature later. A key's signature stays
 * valid.
 */
export const walletProofs = pgTable(
  'wallet_proofs',
  {
    sessionIdHash: text('session_id_hash')
      .notNull()
      .references(() => sessions.idHash, { onDelete: 'cascade', onUpdate: 'cascade' }),
    address: text('address').notNull(),
    /** Same meaning as in `wallets`. */
    chainId: integer('chain_id').notNull().default(-1),
    provedAt: timestampColumn('proved_at').notNull(),
    message: text('message'),
    signature: text('signature'),
    /** Time of the last call of the contract, even if it had no result. Null for a key. */
    checkedAt: timestampColumn('checked_at'),
    /**
     * True if a signature of this wallet started the session. Proving the wallet again does not
     * change this.
     */
    signedIn: boolean('signed_in').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.sessionIdHash, table.address] }),
    index('wallet_proofs_checked').on(table.checkedAt).where(sql`checked_at is not null`),
  ],
)

/**
 * Unused wallet challenges of a session. The first response deletes the row, even if the signature
 * is invalid.
 */
export const walletChallenges = pgTable('wallet_challenges', {
  nonce: text('nonce').primaryKey(),
  sessionIdHash: text('session_id_hash')
    .notNull()
    .references(() => sessions.idHash, { onDelete: 'cascade', onUpdate: 'cascade' }),
  purpose: text('purpose').$type<'link' | 'confirm'>().notNull().default('link'),
  address: text('address').notNull(),
  message: text('message').notNull(),
  expiresAt: timestampColumn('expires_at').notNull(),
})

/**
 * Unused wallet challenges for signing in, of browsers without a session. The first response
 * deletes the row, even if the signature is invalid.
 */
export const walletSignIns = pgTable('wallet_sign_ins', {
  nonce: text('nonce').primaryKey(),
  /** SHA-256 of the browser's cookie. */
  browserHash: text('browser_hash').notNull(),
  address: text('address').notNull(),
  message: text('message').notNull(),
  expiresAt: timestampColumn('expires_at').notNull(),
})
