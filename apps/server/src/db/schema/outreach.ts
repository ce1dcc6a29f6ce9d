import type { AdminMessage, Audience, Segment } from '@tocsin/protocol'
import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { timestampColumn } from './columns.ts'

/** Texts that pages show to an audience. They never change, except that they can be ended. */
export const announcements = pgTable(
  'announcements',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    text: text('text').notNull(),
    audience: text('audience').$type<Audience>().notNull(),
    onPublicPages: boolean('on_public_pages').notNull(),
    startsAt: timestampColumn('starts_at').notNull(),
    endsAt: timestampColumn('ends_at').notNull(),
    /** Time when a member of staff ended the announcement. */
    endedAt: timestampColumn('ended_at'),
    createdAt: timestampColumn('created_at').notNull(),
    /** Has no foreign key, because the id outlives the account. */
    createdBy: uuid('created_by'),
  },
  (table) => [
    index('announcements_created').on(table.createdAt, table.id),
    index('announcements_shown').on(table.endsAt).where(sql`ended_at is null`),
  ],
)

/** Messages to segments of accounts. */
export const messages = pgTable(
  'messages',
  {
    id: uuid('id').primaryKey().defaultRandom(),
    via: text('via').$type<AdminMessage['via']>().notNull(),
    kind: text('kind').$type<AdminMessage['kind']>().notNull(),
    segment: jsonb('segment').$type<Segment>().notNull(),
    subject: text('subject').notNull(),
    text: text('text').notNull(),
    /**
     * Number of recipients when the message was created. Accounts that were deleted later get
     * nothing.
     */
    total: integer('total').notNull(),
    createdAt: timestampColumn('created_at').notNull(),
    createdBy: uuid('created_by'),
    /** Time when all recipients were processed, or when the message was cancelled. */
    endedAt: timestampColumn('ended_at'),
    isCancelled: boolean('is_cancelled').notNull().default(false),
  },
  (table) => [
    index('messages_created').on(table.createdAt, table.id),
    index('messages_running').on(table.createdAt).where(sql`ended_at is null`),
  ],
)

/**
 * Recipients of messages. The rows are written with the message. An email is queued, or a notice
 * stored at a destination, in the transaction that changes the state, so that no recipient gets a
 * message twice.
 */
export const messageRecipients = pgTable(
  'message_recipients',
  {
    messageId: uuid('message_id')
      .notNull()
      .references(() => messages.id, { onDelete: 'cascade' }),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    state: text('state').$type<'waiting' | 'sent' | 'skipped'>().notNull(),
    /**
     * Time when the message was sent or skipped. While the state is `waiting`, time of the last
     * attempt.
     */
    at: timestampColumn('at'),
  },
  (table) => [
    primaryKey({ columns: [table.messageId, table.accountId] }),
    index('message_recipients_account').on(table.accountId),
    index('message_recipients_waiting')
      .on(table.messageId, table.at.asc().nullsFirst(), table.accountId)
      .where(sql`state = 'waiting'`),
  ],
)

/**
 * Addresses that have unsubscribed from news, and mailboxes that have unsubscribed from the
 * confirmation codes of one account. An account sends such a code to confirm an email destination.
 * `emailHash` is a SHA-256 hash in hex. For news it is the hash of the normalized address, and for
 * codes the hash of a text with the account id and the mailbox (`hashCodes` in
 * `mail/suppressions.ts`).
 */
export const mailSuppressions = pgTable('mail_suppressions', {
  emailHash: text('email_hash').primaryKey(),
  at: timestampColumn('at').notNull(),
})
