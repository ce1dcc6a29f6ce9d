import type { ProtectedChangeOutcome, ProtectedKind } from '@tocsin/protocol'
import { isNull } from 'drizzle-orm'
import { bigint, index, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import { timestampColumn } from './columns.ts'

/**
 * Changes of payment chain, treasury or signing key under the two-admin rule. `target` identifies
 * the changed value: `chain`, `treasury:<chain id>` or `signer`. There is at most one open change
 * for each target.
 */
export const protectedChanges = pgTable(
  'protected_changes',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    kind: text('kind').$type<ProtectedKind>().notNull(),
    target: text('target').notNull(),
    /** Only set if the target is a treasury. */
    chainId: bigint('chain_id', { mode: 'number' }),
    /** The value that is replaced, or null if no value was set before. */
    fromValue: text('from_value'),
    toValue: text('to_value').notNull(),
    reason: text('reason').notNull(),
    proposedBy: uuid('proposed_by').notNull(),
    proposedAt: timestampColumn('proposed_at').notNull(),
    approvedBy: uuid('approved_by'),
    approvedAt: timestampColumn('approved_at'),
    /** Time when the change takes effect. Set with the approval. */
    effectiveAt: timestampColumn('effective_at'),
    endedAt: timestampColumn('ended_at'),
    outcome: text('outcome').$type<ProtectedChangeOutcome>(),
  },
  (table) => [
    uniqueIndex('protected_changes_open').on(table.target).where(isNull(table.endedAt)),
    index('protected_changes_ended').on(table.endedAt),
  ],
)
