import type { ViewFilter } from '@tocsin/protocol'
import { jsonb, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { timestampColumn } from './columns.ts'

/** Filters of the alert list that an account has saved under a name. */
export const alertViews = pgTable(
  'alert_views',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    filter: jsonb('filter').$type<ViewFilter>().notNull(),
    createdAt: timestampColumn('created_at').notNull(),
  },
  (table) => [unique('alert_views_name').on(table.accountId, table.name)],
)
