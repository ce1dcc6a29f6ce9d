import { z } from 'zod'
import { isoTime, maxChainId, planId, realTime } from './primitives.ts'
import { createLineSchema, createPageSchema, createVisibleTextSchema, pageSize } from './shared-schemas.ts'

/**
 * Texts of operators for many people: announcements on the pages, and messages by email or to
 * destinations.
 */

const pageQuery = z.strictObject({ cursor: z.uuid().optional(), limit: pageSize })

// Announcements

export const audiences = ['all', 'signed-in', 'with-plan', 'without-plan', 'staff'] as const
export type Audience = (typeof audiences)[number]

/** An announcement as pages show it to a reader. */
export const announcement = z.object({ id: z.uuid(), text: z.string() })
export type Announcement = z.infer<typeof announcement>
export const announcements = z.array(announcement)

export const createAnnouncementRequest = z
  .strictObject({
    /** Plain text. */
    text: createLineSchema(300),
    audience: z.enum(audiences),
    /**
     * If true, visitors who are not signed in see the announcement too. Only for the audience
     * `all`.
     */
    onPublicPages: z.boolean(),
    /** Time from which the announcement is shown. Default: now. */
    from: realTime.optional(),
    until: realTime,
  })
  .refine(({ audience, onPublicPages }) => audience === 'all' || !onPublicPages, {
    message: 'Only an announcement for everyone can be on public pages',
    path: ['onPublicPages'],
  })

export const announcementStates = ['scheduled', 'shown', 'over', 'ended'] as const
export const adminAnnouncement = z.object({
  id: z.uuid(),
  text: z.string(),
  audience: z.enum(audiences),
  onPublicPages: z.boolean(),
  state: z.enum(announcementStates),
  from: isoTime,
  until: isoTime,
  createdAt: isoTime,
  /** Null if the account was deleted. */
  createdBy: z.string().nullable(),
})
export type AdminAnnouncement = z.infer<typeof adminAnnouncement>
export const listAnnouncementsQuery = pageQuery
export const announcementPage = createPageSchema(adminAnnouncement)

// Messages

const days = z.number().int().min(1).max(365)

/**
 * The recipients of a message: accounts that are not suspended and meet the condition when the
 * message is created.
 */
export const segment = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('all') }),
  z.strictObject({ kind: z.literal('with-plan') }),
  /** Accounts whose access ends within `days`. */
  z.strictObject({ kind: z.literal('ending'), days }),
  /** Accounts whose access has ended within the last `days` and has not been renewed. */
  z.strictObject({ kind: z.literal('ended'), days }),
  z.strictObject({ kind: z.literal('never-bought') }),
  /** Accounts whose current plan is this one. */
  z.strictObject({ kind: z.literal('by-plan'), planType: planId }),
  /** Accounts that have paid on this chain. */
  z.strictObject({ kind: z.literal('by-chain'), chainId: z.number().int().min(1).max(maxChainId) }),
])
export type Segment = z.infer<typeof segment>

/**
 * `mail`: accounts with a verified address. `channel`: one healthy destination of each account that
 * has a plan, because destinations receive nothing without a plan.
 */
export const messageVias = ['mail', 'channel'] as const
/**
 * `service`: about the service that the account uses, such as an outage. `news`: anything else.
 * News has a link to unsubscribe and is not sent to accounts that have unsubscribed.
 */
export const messageKinds = ['service', 'news'] as const

const messageContent = {
  via: z.enum(messageVias),
  kind: z.enum(messageKinds),
  segment,
  subject: createLineSchema(120),
  /** Plain text; empty lines divide paragraphs. */
  text: createVisibleTextSchema(5000),
}
export const previewMessageRequest = z.strictObject(messageContent)
export type MessageContent = z.output<typeof previewMessageRequest>
export const messagePreview = z.object({
  /** Number of accounts that receive the message. */
  count: z.number().int(),
  /** The message as plain text, addressed to the admin who requests the preview. */
  preview: z.string(),
})
/** `count` is that of the preview. If the segment has another size now, nothing is sent. */
export const createMessageRequest = z.strictObject({ ...messageContent, count: z.number().int().min(1) })

export const messageStates = ['running', 'done', 'cancelled'] as const
export const adminMessage = z.object({
  id: z.uuid(),
  via: z.enum(messageVias),
  kind: z.enum(messageKinds),
  segment,
  subject: z.string(),
  text: z.string(),
  state: z.enum(messageStates),
  total: z.number().int(),
  sent: z.number().int(),
  /**
   * Number of recipients who did not get the message: at the time of sending they had unsubscribed,
   * were suspended or had no verified address. For a channel: they had no healthy destination, or
   * each of their healthy destinations still had another unsent notice after a day.
   */
  skipped: z.number().int(),
  createdAt: isoTime,
  createdBy: z.string().nullable(),
  endedAt: isoTime.nullable(),
})
export type AdminMessage = z.infer<typeof adminMessage>
export const listMessagesQuery = pageQuery
export const messagePage = createPageSchema(adminMessage).extend({
  /** Number of addresses that have unsubscribed from news. */
  unsubscribed: z.number().int(),
})
