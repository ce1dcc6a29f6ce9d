import type { ApiKeyScope } from '@tocsin/protocol'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { timestampColumn } from './columns.ts'

/**
 * Keys of programs. `keyHash` is SHA-256 of the key, so that a stolen dump contains no usable key.
 * Revoking a key deletes its row. The audit log records the revocation.
 */
export const apiKeys = pgTable(
  'api_keys',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    keyHash: text('key_hash').notNull().unique(),
    prefix: text('prefix').notNull(),
    name: text('name').notNull(),
    scopes: text('scopes').array().$type<ApiKeyScope[]>().notNull(),
    requestsPerMinute: integer('requests_per_minute').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    expiresAt: timestampColumn('expires_at'),
    lastUsedAt: timestampColumn('last_used_at'),
  },
  (table) => [index('api_keys_account').on(table.accountId, table.createdAt)],
)
