import type { Priority } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import { doublePrecision, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { timestampColumn } from './columns.ts'

/**
 * Alerts that are issued at a given time. `issuedAt` is set in the transaction that logs the alert.
 */
export const scheduledAlerts = pgTable(
  'scheduled_alerts',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    asset: text('asset').notNull(),
    priority: text('priority').$type<Priority>().notNull(),
    anomalyType: text('anomaly_type').notNull(),
    regime: text('regime').notNull(),
    summary: text('summary').notNull(),
    confidence: doublePrecision('confidence').notNull(),
    issueAt: timestampColumn('issue_at').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    /**
     * The author: the account that scheduled or last changed the alert. Has no foreign key, because
     * the id outlives the account.
     */
    createdBy: uuid('created_by'),
    cancelledAt: timestampColumn('cancelled_at'),
    issuedAt: timestampColumn('issued_at'),
    alertId: text('alert_id'),
    problem: text('problem'),
  },
  (table) => [
    index('scheduled_alerts_at').on(table.issueAt, table.id),
    index('scheduled_alerts_due').on(table.issueAt).where(sql`issued_at is null and cancelled_at is null`),
  ],
)
