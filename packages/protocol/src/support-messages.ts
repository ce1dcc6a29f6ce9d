import { z } from 'zod'
import { isoTime } from './primitives.ts'
import { createVisibleTextSchema, pageSize, searchText } from './shared-schemas.ts'
import { supportCategories } from './support.ts'

/**
 * Support messages. Staff see them as an inbox. Paths, endpoint names and permissions of the API
 * call them letters.
 */

/**
 * `open`: staff must act. `waiting`: staff have replied and wait for the writer. `closed`: done.
 */
export const supportMessageStates = ['open', 'waiting', 'closed'] as const
const state = z.enum(supportMessageStates)
export type SupportMessageState = z.infer<typeof state>

const text = createVisibleTextSchema(10_000)
const person = z.object({ id: z.uuid(), name: z.string() }).nullable()

export const supportMessage = z.object({
  id: z.number().int(),
  at: isoTime,
  name: z.string(),
  /** The address that the writer entered, not verified. */
  email: z.string(),
  subject: z.string(),
  category: z.enum(supportCategories).nullable(),
  state,
  /** Null if the message is not assigned, or if the assigned account was deleted. */
  assignee: person,
  /** The account that was signed in when the message was written. */
  account: person,
  answers: z.number().int(),
  notes: z.number().int(),
  /** Time of the message, or of its last reply or note. */
  lastAt: isoTime,
})
export type SupportMessage = z.infer<typeof supportMessage>

export const listSupportMessagesQuery = z.strictObject({
  state: state.optional(),
  /** Selects only messages that are assigned to the caller. */
  mine: z.enum(['true', 'false']).optional(),
  /** Selects only messages of this account. */
  account: z.uuid().optional(),
  /** Part of the name, address, subject or text of a message. */
  search: searchText,
  /** `nextCursor` of the previous page. */
  cursor: z.coerce.number().int().min(1).optional(),
  limit: pageSize,
})
export const supportMessagePage = z.object({
  items: z.array(supportMessage),
  nextCursor: z.number().int().nullable(),
  openCount: z.number().int(),
  oldestOpenAt: isoTime.nullable(),
})

/**
 * A reply to a support message, or a note about it. Lists are in time order. `answer` was emailed
 * to the writer; `note` is visible to staff only.
 */
export const supportMessageReply = z.object({
  id: z.uuid(),
  kind: z.enum(['answer', 'note']),
  text: z.string(),
  at: isoTime,
  /** Null if the account was deleted. */
  author: z.string().nullable(),
})
export const supportMessageDetail = supportMessage.extend({
  message: z.string(),
  replies: z.array(supportMessageReply),
})
export type SupportMessageDetail = z.infer<typeof supportMessageDetail>

export const bySupportMessage = z.strictObject({ id: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })
export const replyToSupportMessageRequest = z.strictObject({
  text,
  state: z.enum(['waiting', 'closed']).default('waiting'),
})
export const noteSupportMessageRequest = z.strictObject({ text })
/** `assigneeId` null removes the assignment. */
export const changeSupportMessageRequest = z.strictObject({ state: state.optional(), assigneeId: z.uuid().nullish() })
