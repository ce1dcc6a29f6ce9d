import { z } from 'zod'
import { alert, alertContent, lockedAlert } from './alerts.ts'
import { listedVerdicts, maxCounted, maxFilterNames, priorities } from './names.ts'
import { isPlainText } from './plain-text.ts'
import { watchedAssets } from './preferences.ts'
import { priority, realTime, utcDay } from './primitives.ts'
import { numericCursor, pageSize } from './shared-schemas.ts'
import { parseRangeEnd, parseRangeStart } from './time-range.ts'

/**
 * `count` is at most 1,000. `isMore` is true if there may be more matches. With a search text,
 * counting stops after 1,000 matches in total, so `isMore` can be true for a priority with a lower
 * count.
 */
export const limitedCount = z.object({ count: z.number().int().min(0).max(maxCounted), isMore: z.boolean() })
export type LimitedCount = z.infer<typeof limitedCount>

export const filterText = z.string().trim().min(1).max(200).refine(isPlainText, 'Not plain text')
/** A UTC day (the whole day) or a time. */
const dayOrMoment = z.union([utcDay, realTime])

const selectionShape = {
  /**
   * The id of an alert, or search words. Each search word must match the beginning of a word in the
   * asset, type, regime or summary of the alert.
   */
  q: filterText.optional(),
  /** Selects alerts with any of these priorities. The parameter can be repeated. */
  priority: z.union([priority, z.array(priority).max(priorities.length)]).optional(),
  asset: filterText.optional(),
  /**
   * Selects alerts with any of these assets. The parameter can be repeated. An empty value matches
   * no alert.
   */
  assets: z.union([z.literal(''), alertContent.asset, watchedAssets], 'Expected up to 50 asset names').optional(),
  type: filterText.optional(),
  /** Selects alerts with any of these types. The parameter can be repeated. */
  types: z.union([filterText, z.array(filterText).max(maxFilterNames)], 'Expected up to 50 types').optional(),
  regime: filterText.optional(),
  /** `open`: the alert has a prediction whose outcome is not logged yet. */
  verdict: z.enum(listedVerdicts).optional(),
  from: dayOrMoment.optional(),
  /** End of the range, inclusive. */
  to: dayOrMoment.optional(),
  read: z.enum(['read', 'unread']).optional(),
}

interface Range {
  from?: string | undefined
  to?: string | undefined
}
const isOrdered = ({ from, to }: Range) => parseRangeStart(from) <= parseRangeEnd(to)
const rangeProblem = { path: ['to'], message: 'Expected an end that is not before the start' }

/** The filter of the alert list and of its export. */
export const alertSelection = z.strictObject(selectionShape).refine(isOrdered, rangeProblem)
export type AlertSelection = z.infer<typeof alertSelection>

export const searchAlertsQuery = z
  .strictObject({
    ...selectionShape,
    /** The value of `next` of the previous page. */
    cursor: numericCursor,
    limit: pageSize,
  })
  .refine(isOrdered, rangeProblem)

/**
 * An item of the list. A reader without a subscription gets a fresh alert as a locked row. A locked
 * row has no read state, and its `id` identifies the row, not the alert.
 */
export const listedAlert = z.object({ id: z.string(), alert: z.union([lockedAlert, alert]), isRead: z.boolean() })
export type ListedAlert = z.infer<typeof listedAlert>

export const alertSearch = z.object({
  /** Sorted from newest to oldest, by log index. */
  items: z.array(listedAlert),
  /** The cursor of the next page. Null on the last page. */
  next: z.string().nullable(),
  /** Number of matches on all pages. */
  total: limitedCount,
  /** Number of matches per priority, ignoring the `priority` filter. */
  byPriority: z.object({ critical: limitedCount, high: limitedCount, medium: limitedCount, low: limitedCount }),
  /**
   * The highest log index that is visible to the reader in full, even if that alert does not match
   * the filter. Null if no alert is visible in full.
   */
  lastIndex: z.number().int().nonnegative().nullable(),
})
export type AlertSearch = z.infer<typeof alertSearch>

/**
 * Filter options: the assets, types and regimes of the newest alerts that are visible to the reader
 * in full, sorted by name.
 */
export const alertFacets = z.object({
  assets: z.array(z.string()),
  types: z.array(z.string()),
  regimes: z.array(z.string()),
})
export type AlertFacets = z.infer<typeof alertFacets>

/** `lastIndex` is the highest log index included in the count, or null. */
export const unreadAlerts = limitedCount.extend({ lastIndex: z.number().int().nonnegative().nullable() })

export const markAllReadRequest = z.strictObject({
  /** The log index of the newest alert that the reader has seen. Later alerts stay unread. */
  upTo: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
})
/** `id` is needed to undo the operation. Null if nothing was unread. */
export const markAllReadResponse = z.object({ id: z.uuid().nullable(), marked: limitedCount })
