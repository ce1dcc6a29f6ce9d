import type { SupportCategory } from '@tocsin/protocol'
import { bigserial, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { moment } from './columns.ts'

/** Messages from the support form. Stored even if mailing them fails. */
export const supportMessages = pgTable('support_messages', {
  id: bigserial('id', { mode: 'number' }).primaryKey(),
  /** The signed-in account, if any. */
  accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
  name: text('name').notNull(),
  email: text('email').notNull(),
  subject: text('subject').notNull(),
  category: text('category').$type<SupportCategory>(),
  message: text('message').notNull(),
  at: moment('at').notNull(),
})
