import { isNotNull, lte, or, type SQL } from 'drizzle-orm'
import { alerts } from '../../db/schema/alerts.ts'

/** `subscribed`: may also read broadcast alerts that are not public yet. */
export interface Readers {
  publicAt: Date
  subscribed: boolean
}

/** `all` is for admins, who may also read drafts. */
export type Sight = 'all' | Readers

/**
 * Rows that the reader may read in full. The single condition for every list, search, count, export
 * and lookup by id.
 */
export function isReadable(sight: Sight): SQL | undefined {
  if (sight === 'all') return undefined
  const isPublic = lte(alerts.createdAt, sight.publicAt)
  return sight.subscribed ? or(isNotNull(alerts.broadcastAt), isPublic) : isPublic
}

/** Rows whose existence the reader may know of: the readable ones and all broadcast ones. */
export function isShown({ publicAt }: Readers): SQL | undefined {
  return or(isNotNull(alerts.broadcastAt), lte(alerts.createdAt, publicAt))
}
