import type { AuditAction } from '@tocsin/protocol'
import { bigserial, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { timestampColumn } from './columns.ts'

/**
 * Audit log of admin actions. Append-only: triggers reject updates, and deletes of entries of the
 * last 365 days. Contains account ids only, so that it outlives deleted accounts without personal
 * data.
 */
export const auditEntries = pgTable(
  'audit_entries',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: timestampColumn('at').notNull(),
    /** Null for operator commands, scheduled changes, the takeover alarm and mailed links. */
    actorId: uuid('actor_id'),
    action: text('action').$type<AuditAction>().notNull(),
    subject: text('subject'),
    reason: text('reason'),
    detail: jsonb('detail').$type<Record<string, string | number | boolean | null>>().notNull(),
    requestId: text('request_id').notNull(),
  },
  (table) => [
    index('audit_entries_actor').on(table.actorId, table.id),
    index('audit_entries_action').on(table.action, table.id),
    index('audit_entries_subject').on(table.subject, table.id),
  ],
)
