import { z } from 'zod'
import { type Alert, alert, lockedAlert } from './alerts.ts'
import { isoTime, isPlainText, type Priority, priorities, priority } from './primitives.ts'

/** Longer counts are not made: of 1,000 and more they say that there are more. */
export const mostCounted = 1_000

/** `count` stops at 1,000, among words that are in many alerts earlier; `isMore` says that there are more than it. */
export const counted = z.object({ count: z.number().int().min(0).max(mostCounted), isMore: z.boolean() })
export type Counted = z.infer<typeof counted>

const text = z.string().trim().min(1).max(200).refine(isPlainText, 'Not plain text')
/** A day (UTC, the whole of it) or a moment. */
const dayOrMoment = z.union([z.iso.date(), isoTime.refine((at) => !Number.isNaN(Date.parse(at)), 'No such time')])

const selectionShape = {
  /** All of its words, each by its beginning, in asset, type, regime or summary; or an alert's id. */
  q: text.optional(),
  priority: priority.optional(),
  asset: text.optional(),
  type: text.optional(),
  from: dayOrMoment.optional(),
  /** Up to and including it. */
  to: dayOrMoment.optional(),
  read: z.enum(['read', 'unread']).optional(),
}

interface Range {
  from?: string | undefined
  to?: string | undefined
}
const isInOrder = ({ from, to }: Range) => startOf(from) <= endOf(to)
const outOfOrder = { path: ['to'], message: 'Expected an end that is not before the start' }

/** Which of the alerts: the same for a list and for its export. */
export const alertSelection = z.strictObject(selectionShape).refine(isInOrder, outOfOrder)
export type AlertSelection = z.infer<typeof alertSelection>

export const searchAlertsQuery = z
  .strictObject({
    ...selectionShape,
    /** `next` of the page before. */
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'Not a cursor of this list')
      .optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .refine(isInOrder, outOfOrder)

/** `locked` for a fresh alert whose content is for subscribers; it is neither read nor unread, and `id` is its row's. */
export const listedAlert = z.object({ id: z.string(), alert: z.union([lockedAlert, alert]), isRead: z.boolean() })
export type ListedAlert = z.infer<typeof listedAlert>

export const alertSearch = z.object({
  /** Newest first, by log index. */
  items: z.array(listedAlert),
  /** The cursor of the next page, or null after the last. */
  next: z.string().nullable(),
  /** All that were found, on all pages. */
  total: counted,
  /** What each priority would give with the rest of the selection. */
  byPriority: z.object({ critical: counted, high: counted, medium: counted, low: counted }),
  /** The highest log index that the reader may read in full, selected or not; null before the first. */
  lastIndex: z.number().int().nonnegative().nullable(),
})
export type AlertSearch = z.infer<typeof alertSearch>

/** What one can choose among: of the newest alerts that the reader may read in full, by name. */
export const alertFacets = z.object({ assets: z.array(z.string()), types: z.array(z.string()) })

/** `lastIndex` is the highest log index that was there to be counted, or null. */
export const unreadAlerts = counted.extend({ lastIndex: z.number().int().nonnegative().nullable() })

export const markAllReadRequest = z.strictObject({
  /** The log index of the newest alert that was seen: what came after it stays as it is. */
  upTo: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
})
/** `id` takes it back; null when nothing was unread. */
export const markAllReadResponse = z.object({ id: z.uuid().nullable(), marked: counted })

/** The first moment of a selection, in ms since 1970. */
export function startOf(from: string | undefined): number {
  return from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from)
}

const dayMs = 86_400_000

/** Its last moment: of a day the last one in it. */
export function endOf(to: string | undefined): number {
  if (to === undefined) return Number.POSITIVE_INFINITY
  return to.length === 10 ? Date.parse(to) + dayMs - 1 : Date.parse(to)
}

/** The words of a text as the search takes them: letters and digits, everything else parts them. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Whether the search would find an alert, for those that come in while its answer is on the screen. Nothing that just came is read. */
export function isSelected(of: Alert, { q, priority: asked, asset, type, from, to, read }: AlertSelection): boolean {
  const at = Date.parse(of.createdAt)
  return (
    (asked === undefined || of.priority === asked) &&
    (asset === undefined || of.asset === asset) &&
    (type === undefined || of.anomalyType === type) &&
    startOf(from) <= at &&
    at <= endOf(to) &&
    read !== 'read' &&
    (q === undefined || of.id === q || isFound(of, wordsOf(q)))
  )
}

function isFound({ asset, anomalyType, regime, summary }: Alert, words: readonly string[]): boolean {
  const own = wordsOf(`${asset} ${anomalyType} ${regime} ${summary}`)
  return words.length > 0 && words.every((word) => own.some((each) => each.startsWith(word)))
}

const nothingCounted: Counted = { count: 0, isMore: false }

/** How many all of them are together, or those of one priority. */
export function totalOf(byPriority: Record<Priority, Counted>, asked: Priority | undefined): Counted {
  if (asked !== undefined) return byPriority[asked]
  return priorities.reduce((sum, each) => addCounted(sum, byPriority[each]), nothingCounted)
}

export function addCounted(one: Counted, other: Counted): Counted {
  const count = one.count + other.count
  return { count: Math.min(count, mostCounted), isMore: one.isMore || other.isMore || count > mostCounted }
}
