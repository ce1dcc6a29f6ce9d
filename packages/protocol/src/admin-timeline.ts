import { z } from 'zod'
import { auditEntry } from './admin.ts'
import { isoTime } from './primitives.ts'
import { createPageSchema, pageSize } from './shared-schemas.ts'
import { supportMessage } from './support-messages.ts'
import { activity } from './system.ts'

/** `cursor` is `nextCursor` of the previous page. */
export const timelineQuery = z.strictObject({
  cursor: z.string().max(100).optional(),
  limit: pageSize,
})

const event = { id: z.string(), at: isoTime }

export const timelineEvent = z.discriminatedUnion('type', [
  /**
   * An entry of the account's activity. Entries about payments need payments.read, and those about
   * alerts need alerts.read.
   */
  z.object({ type: z.literal('activity'), ...event, ...activity.pick({ kind: true, detail: true }).shape }),
  /** An audited action by staff, the command line or the server. Needs audit.read. */
  z.object({
    type: z.literal('staff'),
    ...event,
    ...auditEntry.pick({ action: true, actor: true, reason: true, detail: true }).shape,
  }),
  /** A support message of the account. Requires the permission `letters.read`. */
  z.object({
    type: z.literal('letter'),
    ...event,
    letterId: z.number().int(),
    ...supportMessage.pick({ subject: true, state: true }).shape,
  }),
  /** Number of alerts that the account read on a day (UTC), with the time of the last one. */
  z.object({ type: z.literal('read'), ...event, count: z.number().int() }),
])
export type TimelineEvent = z.infer<typeof timelineEvent>

export const userTimeline = createPageSchema(timelineEvent)
