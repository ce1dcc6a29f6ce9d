import type { SupportCategory, SupportMessageState } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import { bigint, bigserial, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { timestampColumn } from './columns.ts'

/** Messages of the support form. They are stored even if mailing them to the operator fails. */
export const supportMessages = pgTable(
  'support_messages',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    /** The account that was signed in, or null. */
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'set null' }),
    name: text('name').notNull(),
    email: text('email').notNull(),
    subject: text('subject').notNull(),
    category: text('category').$type<SupportCategory>(),
    message: text('message').notNull(),
    at: timestampColumn('at').notNull(),
    state: text('state').$type<SupportMessageState>().notNull().default('open'),
    assigneeId: uuid('assignee_id').references(() => accounts.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('support_messages_account').on(table.accountId),
    index('support_messages_open').on(table.at).where(sql`state = 'open'`),
  ],
)

/** Replies to support messages, and notes of staff about them. */
export const supportReplies = pgTable(
  'support_replies',
  {
    /** Also used in the Message-ID of the email with the reply. */
    id: uuid('id').primaryKey().defaultRandom(),
    letterId: bigint('letter_id', { mode: 'number' })
      .notNull()
      .references(() => supportMessages.id, { onDelete: 'cascade' }),
    kind: text('kind').$type<'answer' | 'note'>().notNull(),
    text: text('text').notNull(),
    at: timestampColumn('at').notNull(),
    authorId: uuid('author_id').references(() => accounts.id, { onDelete: 'set null' }),
  },
  (table) => [index('support_replies_letter').on(table.letterId, table.at)],
)
