import { z } from 'zod'
import { alert, alertContent, lockedAlert } from './alerts.ts'
import { listedVerdicts, maxCounted, priorities } from './names.ts'
import { isPlainText } from './plain-text.ts'
import { watchedAssets } from './preferences.ts'
import { isoTime, priority } from './primitives.ts'
import { endOf, startOf } from './time-range.ts'

/**
 * `count` is capped at 1,000, and lower for very frequent search terms. `isMore` is true if there
 * are more.
 */
export const counted = z.object({ count: z.number().int().min(0).max(maxCounted), isMore: z.boolean() })
export type Counted = z.infer<typeof counted>

export const maxFilterNames = 50

const text = z.string().trim().min(1).max(200).refine(isPlainText, 'Not plain text')
/** A UTC day (meaning all of it) or a time. */
const dayOrMoment = z.union([z.iso.date(), isoTime.refine((at) => !Number.isNaN(Date.parse(at)), 'Invalid time')])

const selectionShape = {
  /** Prefixes that must all match words of asset, type, regime or summary; or an alert's id. */
  q: text.optional(),
  /** Any of these priorities; repeat the parameter. */
  priority: z.union([priority, z.array(priority).max(priorities.length)]).optional(),
  asset: text.optional(),
  /** Any of these assets; repeat the parameter. An empty value matches no alert. */
  assets: z.union([z.literal(''), alertContent.asset, watchedAssets], 'Expected up to 50 asset names').optional(),
  type: text.optional(),
  /** Any of these types; repeat the parameter. */
  types: z.union([text, z.array(text).max(maxFilterNames)], 'Expected up to 50 types').optional(),
  regime: text.optional(),
  /** `open`: the alert has a prediction, and its outcome is not logged yet. */
  verdict: z.enum(listedVerdicts).optional(),
  from: dayOrMoment.optional(),
  /** Inclusive. */
  to: dayOrMoment.optional(),
  read: z.enum(['read', 'unread']).optional(),
}

interface Range {
  from?: string | undefined
  to?: string | undefined
}
const isOrdered = ({ from, to }: Range) => startOf(from) <= endOf(to)
const outOfOrder = { path: ['to'], message: 'Expected an end that is not before the start' }

/** The filter of the alert list and of its export. */
export const alertSelection = z.strictObject(selectionShape).refine(isOrdered, outOfOrder)
export type AlertSelection = z.infer<typeof alertSelection>

export const searchAlertsQuery = z
  .strictObject({
    ...selectionShape,
    /** `next` of the previous page. */
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'Not a cursor of this list')
      .optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .refine(isOrdered, outOfOrder)

/**
 * A fresh alert is a locked row for readers without a subscription. A locked row has no read state,
 * and `id` identifies the row, not the alert.
 */
export const listedAlert = z.object({ id: z.string(), alert: z.union([lockedAlert, alert]), isRead: z.boolean() })
export type ListedAlert = z.infer<typeof listedAlert>

export const alertSearch = z.object({
  /** Newest first, by log index. */
  items: z.array(listedAlert),
  /** The cursor of the next page. Null on the last page. */
  next: z.string().nullable(),
  /** Number of matches on all pages. */
  total: counted,
  /** Number of matches per priority, ignoring the `priority` filter. */
  byPriority: z.object({ critical: counted, high: counted, medium: counted, low: counted }),
  /**
   * The highest log index that the reader may read in full, whether it matches the filter or not.
   * Null if the reader may read no alert in full.
   */
  lastIndex: z.number().int().nonnegative().nullable(),
})
export type AlertSearch = z.infer<typeof alertSearch>

/**
 * Filter options: the assets, types and regimes of the newest alerts that the reader may read in
 * full, sorted by name.
 */
export const alertFacets = z.object({
  assets: z.array(z.string()),
  types: z.array(z.string()),
  regimes: z.array(z.string()),
})
export type AlertFacets = z.infer<typeof alertFacets>

/** `lastIndex` is the highest log index included in the count, or null. */
export const unreadAlerts = counted.extend({ lastIndex: z.number().int().nonnegative().nullable() })

export const markAllReadRequest = z.strictObject({
  /** The log index of the newest alert that the reader has seen. Later alerts stay unread. */
  upTo: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
})
/** `id` undoes the operation. Null if nothing was unread. */
export const markAllReadResponse = z.object({ id: z.uuid().nullable(), marked: counted })
