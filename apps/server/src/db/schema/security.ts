import type { SecurityCategory } from '@tocsin/protocol'
import { bigint, bigserial, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { timestampColumn } from './columns.ts'

/**
 * The security log. Append-only: triggers reject updates, and deletes of rows that are younger than
 * 90 days. Accounts are identified by `accounts.security_id`, so that the entries of a deleted
 * account remain without a link to a person.
 */
export const securityEvents = pgTable(
  'security_events',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: timestampColumn('at').notNull(),
    category: text('category').$type<SecurityCategory>().notNull(),
    /** A kind of activity, an action of the audit log, or a refusal code. */
    kind: text('kind').notNull(),
    /** The account that acted, or whose access the event concerns. */
    accountRef: uuid('account_ref'),
    /** Another account that the event concerns, such as the one whose role was changed. */
    subjectRef: uuid('subject_ref'),
    /** IPv4 address or IPv6 /64 prefix. */
    network: text('network'),
    /** Text of the server without personal data: factor, browser, method and path. */
    detail: text('detail').notNull(),
    requestId: text('request_id'),
  },
  (table) => [
    index('security_events_account').on(table.accountRef, table.id),
    index('security_events_category').on(table.category, table.id),
    index('security_events_kind').on(table.kind, table.id),
    index('security_events_network').on(table.network, table.id),
    index('security_events_at').on(table.at),
  ],
)

/** Events that have not been written to the diagnostic log or sent to the syslog receiver. */
export const securityOutbox = pgTable(
  'security_outbox',
  {
    eventId: bigint('event_id', { mode: 'number' })
      .notNull()
      .references(() => securityEvents.id, { onDelete: 'cascade' }),
    target: text('target').$type<'line' | 'syslog'>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.target, table.eventId] }),
    // For the cascade when an event is deleted.
    index('security_outbox_event').on(table.eventId),
  ],
)
